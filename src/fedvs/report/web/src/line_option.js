// ECharts' option for one chart on one x axis: per series a mean line in a band from low to high.
import { has_spread, points } from "./curve.js";
import { number_text } from "./numbers.js";
import { look_of } from "./palette.js";
import { colour } from "./theme.js";

const kFont = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const kQuiet = {
  type: "line",
  symbol: "none",
  silent: true,
  lineStyle: { opacity: 0 },
  tooltip: { show: false },
};

// The band is two stacked lines that cannot be seen, and the area between them.
function band(name, curve, logarithmic) {
  const stacked = { ...kQuiet, name, stack: `${name} spread`, stackStrategy: "all" };
  const height = curve.high.map((high, i) =>
    high === null || curve.low[i] === null ? null : high - curve.low[i],
  );
  return [
    { ...stacked, data: points(curve, curve.low, logarithmic) },
    {
      ...stacked,
      data: points(curve, height, logarithmic),
      areaStyle: { color: look_of(name).colour, opacity: 0.16 },
    },
  ];
}

function line(name, curve, logarithmic) {
  const look = look_of(name);
  return {
    type: "line",
    name,
    data: points(curve, curve.mean, logarithmic),
    showSymbol: curve.x.length < 2,
    symbol: "circle",
    symbolSize: 7,
    itemStyle: { color: look.colour },
    lineStyle: {
      color: look.colour,
      width: look.width,
      type: look.dash.length ? look.dash : "solid",
      cap: "round",
      join: "round",
    },
    emphasis: { disabled: true },
  };
}

function axis(label, gap, extra) {
  return {
    name: label,
    nameLocation: "middle",
    nameGap: gap,
    nameTextStyle: { color: colour("soft"), fontSize: 12 },
    axisLabel: { color: colour("soft"), formatter: number_text, hideOverlap: true },
    axisLine: { show: true, lineStyle: { color: colour("line") } },
    axisTick: { show: true, lineStyle: { color: colour("line") } },
    splitLine: { lineStyle: { color: colour("grid") } },
    ...extra,
  };
}

export function curves_of(chart, key) {
  return chart.series
    .filter((series) => series.curves[key]?.x.length)
    .map((series) => ({ name: series.name, curve: series.curves[key] }));
}

function x_axis(chart, state, curves) {
  const label = chart.axes.find(({ key }) => key === state.axis).label;
  const seen = curves.flatMap(({ curve }) => curve.x).filter((x) => !state.logarithmic || x > 0);
  const first = seen.reduce((a, b) => Math.min(a, b), Infinity);
  const last = seen.reduce((a, b) => Math.max(a, b), -Infinity);
  return axis(label, 28, {
    type: state.logarithmic ? "log" : "value",
    splitNumber: state.narrow ? 4 : 7,
    ...(seen.length ? { min: state.logarithmic ? first : Math.min(0, first), max: last } : {}),
    axisLabel: {
      color: colour("soft"),
      formatter: number_text,
      hideOverlap: true,
      showMinLabel: true,
      showMaxLabel: false,
    },
    splitLine: { show: false },
  });
}

export function line_option(chart, state, tooltip) {
  const curves = curves_of(chart, state.axis);
  const selected = Object.fromEntries(
    chart.series.map(({ name }) => [name, !state.hidden.has(name)]),
  );
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: kFont, color: colour("text") },
    grid: { left: 52, right: 16, top: 14, bottom: 46, containLabel: false },
    legend: { show: false, selected, data: curves.map(({ name }) => name) },
    tooltip: {
      trigger: "axis",
      confine: true,
      axisPointer: { type: "line", lineStyle: { color: colour("soft"), type: "dashed" } },
      backgroundColor: colour("card"),
      borderColor: colour("line"),
      textStyle: { color: colour("text"), fontSize: 12 },
      formatter: (marks) => tooltip(marks[0].axisValue, curves),
    },
    toolbox: {
      show: true,
      itemSize: 0,
      showTitle: false,
      feature: { dataZoom: { xAxisIndex: 0, yAxisIndex: 0, filterMode: "none" } },
    },
    dataZoom: [
      {
        type: "inside",
        xAxisIndex: 0,
        filterMode: "none",
        zoomOnMouseWheel: "ctrl",
        preventDefaultMouseMove: false,
      },
    ],
    xAxis: x_axis(chart, state, curves),
    yAxis: axis(chart.y, 38, { type: "value", scale: true }),
    series: curves.flatMap(({ name, curve }) => [
      ...(has_spread(curve) ? band(name, curve, state.logarithmic) : []),
      line(name, curve, state.logarithmic),
    ]),
  };
}
