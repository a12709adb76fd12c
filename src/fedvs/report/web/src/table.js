// A table that scrolls sideways in its own box, numbers to the right.
import { element } from "./dom.js";
import { looks_numeric } from "./numbers.js";
import { is_known } from "./palette.js";
import { swatch } from "./swatch.js";

function cell_of(text, column, numeric) {
  const classes = numeric ? "number" : false;
  if (column > 0) return element("td", { class: classes }, text);
  const mark = is_known(text) ? swatch(text) : null;
  return element("th", { scope: "row", class: classes }, mark, text);
}

export function table(described) {
  const rows = described.rows.map((row) => row.map((cell) => String(cell ?? "")));
  const numeric = described.columns.map((_, i) => rows.every((row) => looks_numeric(row[i] ?? "")));
  const head = described.columns.map((name, i) =>
    element("th", { scope: "col", class: numeric[i] ? "number" : false }, name),
  );
  const body = rows.map((row) =>
    element("tr", {}, ...row.map((text, i) => cell_of(text, i, numeric[i]))),
  );
  const caption = described.caption ? element("caption", {}, described.caption) : null;
  return element(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": described.caption || "table" },
    element(
      "table",
      {},
      caption,
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...body),
    ),
  );
}
