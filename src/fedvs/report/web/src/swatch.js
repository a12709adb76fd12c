// A short piece of a series' line, as legends show it.
import { look_of } from "./palette.js";
import { on_theme } from "./theme.js";

const svg = "http://www.w3.org/2000/svg";

function made(tag, attributes) {
  const shape = document.createElementNS(svg, tag);
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  return shape;
}

function paint(line, name) {
  const { colour, width, dash } = look_of(name);
  line.setAttribute("stroke", colour);
  line.setAttribute("stroke-width", width);
  line.setAttribute("stroke-dasharray", dash.join(" "));
}

// `lasting`: it stays on the page, so it follows the theme. Tips come and go.
export function swatch(name, lasting = true) {
  const root = made("svg", { class: "swatch", viewBox: "0 0 24 10", "aria-hidden": "true" });
  const line = made("line", { x1: 1, y1: 5, x2: 23, y2: 5 });
  root.append(line);
  paint(line, name);
  if (lasting) on_theme(() => paint(line, name));
  return root;
}
