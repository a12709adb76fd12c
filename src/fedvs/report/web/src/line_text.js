// What a line chart says in words: on hovering, to screen readers, and as a table.
import { value_at } from "./curve.js";
import { element } from "./dom.js";
import { curves_of } from "./line_option.js";
import { number_text, range_text } from "./numbers.js";
import { swatch } from "./swatch.js";
import { table } from "./table.js";

function tip_row(name, value) {
  return element(
    "tr",
    {},
    element("td", {}, swatch(name, false), name),
    element("td", { class: "number" }, value ? number_text(value.mean) : "–"),
    element("td", { class: "quiet" }, value ? range_text(value.low, value.high) : ""),
    element("td", { class: "quiet" }, value?.ended ? "ended" : ""),
  );
}

// A function of x and the curves on the axis in `state`: the values of all that are shown.
export function line_tip(chart, state) {
  return (x, curves) => {
    const axis = chart.axes.find(({ key }) => key === state.axis).label;
    const rows = curves
      .filter(({ name }) => !state.hidden.has(name))
      .map(({ name, curve }) => tip_row(name, value_at(curve, x)));
    const head = element("b", {}, `${axis}: ${number_text(x)}`);
    return element("div", { class: "tip" }, head, element("table", {}, ...rows));
  };
}

function end_row({ name, curve }) {
  const last = curve.x.length - 1;
  const spread = range_text(curve.low[last], curve.high[last]);
  return [name, number_text(curve.x[last]), number_text(curve.mean[last]), spread];
}

export function ends_table(chart) {
  return table({
    caption: `${chart.y}, where each curve ends`,
    columns: ["", chart.axes[0].label, "mean", "lowest – highest"],
    rows: curves_of(chart, chart.axes[0].key).map(end_row),
  });
}

export function description(chart) {
  const axes = chart.axes.map(({ label }) => label).join(" or ");
  const ends = curves_of(chart, chart.axes[0].key).map(
    ({ name, curve }) => `${name} ends at ${number_text(curve.mean[curve.mean.length - 1])}`,
  );
  return `Line chart, ${chart.title}: ${chart.y} against ${axes}. ${ends.join(", ")}.`;
}
