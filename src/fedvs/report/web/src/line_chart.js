// A chart with its buttons: which x axis, linear or logarithmic, which series, save.
import { has_spread } from "./curve.js";
import { choice, element } from "./dom.js";
import { mount } from "./echarts.js";
import { line_option } from "./line_option.js";
import { description, ends_table, line_tip } from "./line_text.js";
import { assign_looks } from "./palette.js";
import { save_chart } from "./save_chart.js";
import { swatch } from "./swatch.js";

export const kScales = [
  { key: "linear", label: "linear" },
  { key: "log", label: "log" },
];
const kNarrow = 420; // px
const kPrintHeight = 280; // px, as style.css has it: two charts on a page
const touch = matchMedia("(pointer: coarse)");

export class LineChart {
  constructor(chart) {
    this.chart = chart;
    this.state = { axis: chart.axes[0].key, logarithmic: false, hidden: new Set(), narrow: false };
    assign_looks(chart.series.map(({ name }) => name));
    this.place = element("div", { class: "plot", role: "img", "aria-label": description(chart) });
    this.axes = choice("x axis", chart.axes, this.state.axis, (key) => this.set_axis(key));
    this.scales = choice("x scale", kScales, "linear", (key) => this.set_scale(key));
    this.root = element(
      "figure",
      { class: "chart", id: chart.id },
      element("figcaption", {}, element("h3", {}, chart.title)),
      this.tools(),
      this.place,
      this.legend(),
      this.note(),
      element("details", { class: "values" }, element("summary", {}, "values"), ends_table(chart)),
    );
  }

  // Once the root is on the page.
  start() {
    this.drawn = mount(this.place, "svg", kPrintHeight, () => this.draw());
    this.drawn.getZr().on("dblclick", () => this.draw());
    this.draw();
  }

  // All of it anew, zoomed out.
  draw() {
    this.state.narrow = this.drawn.getWidth() < kNarrow;
    const tip = line_tip(this.chart, this.state);
    this.drawn.setOption(line_option(this.chart, this.state, tip), { notMerge: true });
    this.drawn.dispatchAction({
      type: "takeGlobalCursor",
      key: "dataZoomSelect",
      dataZoomSelectActive: !touch.matches, // a finger scrolls the page; two zoom
    });
  }

  // Charts without such an axis stay as they are.
  set_axis(key) {
    if (!this.chart.axes.some((axis) => axis.key === key)) return;
    this.state.axis = key;
    this.axes.select(key);
    this.draw();
  }

  set_scale(key) {
    this.state.logarithmic = key === "log";
    this.scales.select(key);
    this.draw();
  }

  flip(name, button) {
    const { hidden } = this.state;
    hidden.has(name) ? hidden.delete(name) : hidden.add(name);
    button.setAttribute("aria-pressed", !hidden.has(name));
    this.draw();
  }

  tools() {
    const plain = (label, title, onclick) =>
      element("button", { type: "button", class: "plain", title, onclick }, label);
    return element(
      "div",
      { class: "tools" },
      this.chart.axes.length > 1 ? this.axes.root : null,
      this.scales.root,
      plain("reset", "undo all zooming", () => this.draw()),
      plain("save", "save this chart as SVG", () => save_chart(this.chart, this.state)),
    );
  }

  legend() {
    const buttons = this.chart.series.map(({ name }) => {
      const onclick = (event) => this.flip(name, event.currentTarget);
      const attributes = { type: "button", "aria-pressed": "true", onclick };
      return element("button", attributes, swatch(name), name);
    });
    return element("div", { class: "legend", role: "group", "aria-label": "series" }, ...buttons);
  }

  note() {
    const curves = this.chart.series.flatMap((series) => Object.values(series.curves));
    const usual = "Lines are means; shades reach from the lowest to the highest.";
    const note = this.chart.note ?? (curves.some(has_spread) ? usual : "");
    return note ? element("p", { class: "note" }, note) : null;
  }
}
