// Builds the page from the report that it holds.
import { choice, element } from "./dom.js";
import { LineChart, kScales } from "./line_chart.js";
import { table } from "./table.js";
import { is_dark, on_theme, toggle_theme } from "./theme.js";
import { Timeline } from "./timeline.js";

const kFormat = 1;

function theme_button() {
  const button = element("button", { type: "button", id: "theme", onclick: toggle_theme });
  const name = () => {
    button.textContent = is_dark() ? "☀ light" : "☾ dark";
  };
  name();
  on_theme(name);
  return button;
}

function facts(report) {
  const made =
    report.made &&
    new Date(report.made).toLocaleString("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone: "UTC",
    }) + " UTC";
  const entries = [
    ["made", made],
    ["version", report.version],
    ["commit", report.commit],
    ["machine", report.machine],
  ];
  return element(
    "dl",
    { class: "facts" },
    ...entries
      .filter(([, value]) => value)
      .map(([name, value]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, value)),
      ),
  );
}

function header(report) {
  return element(
    "header",
    {},
    element(
      "div",
      { class: "top" },
      element("span", { class: "kind" }, `FedVS ${report.kind}`),
      theme_button(),
    ),
    element("h1", {}, report.title),
    report.summary ? element("p", { class: "summary" }, report.summary) : null,
    facts(report),
  );
}

// Buttons that set every chart at once, where there are more than fit one screen.
function all_charts_bar(charts, described) {
  if (charts.length < 3) return null;
  const axes = new Map(described.flatMap((chart) => chart.axes.map((axis) => [axis.key, axis])));
  const set = (setter) => (key) => charts.forEach((chart) => chart[setter](key));
  return element(
    "div",
    { class: "bar", role: "group", "aria-label": "all charts" },
    element("span", {}, "All charts:"),
    choice("x axis of all charts", [...axes.values()], described[0].axes[0].key, set("set_axis"))
      .root,
    choice("x scale of all charts", kScales, "linear", set("set_scale")).root,
  );
}

function contents(sections) {
  if (sections.length < 3) return null;
  return element(
    "nav",
    { "aria-label": "contents" },
    ...sections.map(({ title }, i) => element("a", { href: `#section-${i + 1}` }, title)),
  );
}

function section(described, index, parts) {
  const charts = described.charts.map((chart) => new LineChart(chart));
  const timelines = described.timelines.map((timeline) => new Timeline(timeline));
  parts.charts.push(...charts);
  parts.all.push(...charts, ...timelines);
  return element(
    "section",
    { id: `section-${index + 1}` },
    element("h2", {}, described.title),
    ...described.text.map((paragraph) => element("p", {}, paragraph)),
    charts.length ? element("div", { class: "charts" }, ...charts.map(({ root }) => root)) : null,
    ...described.tables.map(table),
    ...timelines.map(({ root }) => root),
  );
}

function settings(all) {
  if (!all.length) return null;
  return element(
    "section",
    { id: "settings" },
    element("h2", {}, "Settings"),
    ...all.map(({ name, text }) =>
      element(
        "details",
        {},
        element("summary", {}, name),
        element("pre", { tabindex: "0" }, element("code", {}, text)),
      ),
    ),
  );
}

function build(report) {
  const parts = { charts: [], all: [] };
  const sections = report.sections.map((described, i) => section(described, i, parts));
  const bar = all_charts_bar(
    parts.charts,
    report.sections.flatMap(({ charts }) => charts),
  );
  const page = document.getElementById("page");
  page.append(
    ...[
      header(report),
      contents(report.sections),
      bar,
      ...sections,
      settings(report.settings),
      element(
        "footer",
        {},
        "Drag across a chart to zoom, Ctrl and the wheel or two fingers likewise; ",
        "a double click resets. Charts by Apache ECharts (Apache License 2.0).",
      ),
    ].filter(Boolean),
  );
  for (const part of parts.all) part.start();
}

const report = JSON.parse(document.getElementById("report").textContent);
if (report.format === kFormat) {
  build(report);
} else {
  document
    .getElementById("page")
    .append(`This page reads reports of format ${kFormat}, not ${report.format}.`);
}
document.documentElement.dataset.ready = "yes";
