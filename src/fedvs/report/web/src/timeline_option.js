// ECharts' option for a straggler timeline. A cell is a client (row) in a column of rounds: its
// upper part says whether the upload was among those that opened the round, its lower part how old
// the model was that the round used.
import { number_text } from "./numbers.js";
import { colour } from "./theme.js";

function channels(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function mix(from, to, share) {
  const a = channels(from);
  const b = channels(to);
  return `rgb(${a.map((x, i) => Math.round(x + (b[i] - x) * share)).join(",")})`;
}

export const answered_colour = (share) => mix(colour("late"), colour("answered"), share);
// Age 1 must already be seen, so the scale begins a third of the way up.
export const age_colour = (age, oldest) =>
  mix(colour("fresh"), colour("stale"), 0.3 + (0.7 * age) / Math.max(1, oldest));

function rectangle(x, y, width, height, fill) {
  return { type: "rect", shape: { x, y, width, height }, style: { fill } };
}

function age_mark(cell, box, oldest) {
  const { x, y, width, height } = box;
  if (cell.age === 0 || cell.used + cell.left_out === 0) return [];
  const strip = Math.max(2, Math.round(height * 0.42));
  const fill = cell.age < 0 ? colour("card") : age_colour(cell.age, oldest);
  const mark = rectangle(x, y + height - strip, width, strip, fill);
  if (width < 17 || height < 13 || cell.age < 0 || !Number.isInteger(cell.age)) return [mark];
  // A shape by itself: as the mark's own text it would stay when ECharts reuses the mark.
  const label = {
    text: String(cell.age),
    fill: colour("on-stale"),
    fontSize: 9,
    align: "center",
    verticalAlign: "middle",
  };
  return [
    mark,
    { type: "text", x: x + width / 2, y: y + height - strip / 2, silent: true, style: label },
  ];
}

// Draws data item [start, end, row, column index].
function renderer(shown) {
  return (_, api) => {
    const column = shown.columns[api.value(3)];
    const cell = column.cells[api.value(2)];
    const [x0, y] = api.coord([api.value(0), api.value(2)]);
    const [x1] = api.coord([api.value(1), api.value(2)]);
    const row = api.size([0, 1])[1];
    const gap = column.rounds.length === 1 && x1 - x0 > 4 ? 1 : 0;
    const box = {
      x: x0,
      y: y - row / 2 + 0.5,
      width: Math.max(0.7, x1 - x0 - gap),
      height: Math.max(1, row - 1),
    };
    const total = cell.answered + cell.late;
    if (total === 0) return null;
    const upper = rectangle(
      box.x,
      box.y,
      box.width,
      box.height,
      answered_colour(cell.answered / total),
    );
    return { type: "group", children: [upper, ...age_mark(cell, box, shown.oldest)] };
  };
}

export function items(columns, clients) {
  return columns.flatMap((column, i) =>
    Array.from({ length: clients }, (_, row) => [column.start, column.end, row, i]),
  );
}

const kLabelHeight = 13; // px from one row's label to the next

// `shown` is { columns, oldest, shares, from, to, end, row_height, narrow }.
export function timeline_option(timeline, shown, tooltip) {
  const quiet = { color: colour("soft"), fontSize: 11 };
  const line = { show: true, lineStyle: { color: colour("line") } };
  const row_label = (name, i) =>
    shown.narrow ? name : `${name}   ${Math.round(100 * shown.shares[i])} %`;
  return {
    animation: false,
    backgroundColor: "transparent",
    grid: { left: shown.narrow ? 30 : 62, right: 12, top: 6, bottom: 84 },
    tooltip: {
      confine: true,
      backgroundColor: colour("card"),
      borderColor: colour("line"),
      textStyle: { color: colour("text"), fontSize: 12 },
      formatter: ({ value }) => tooltip(value[2], value[3]),
    },
    xAxis: {
      type: "value",
      min: 0,
      max: shown.end,
      name: "virtual time, s",
      nameLocation: "middle",
      nameGap: 26,
      nameTextStyle: quiet,
      axisLabel: {
        ...quiet,
        formatter: number_text,
        hideOverlap: true,
        showMinLabel: false,
        showMaxLabel: false,
      },
      axisLine: line,
      axisTick: line,
      splitLine: { show: false },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: Array.from({ length: timeline.clients }, (_, i) => String(i + 1)),
      axisLabel: {
        ...quiet,
        interval: Math.ceil(kLabelHeight / shown.row_height) - 1,
        formatter: row_label,
      },
      axisLine: line,
      axisTick: { show: false },
    },
    dataZoom: [
      {
        type: "slider",
        filterMode: "none",
        startValue: shown.from,
        endValue: shown.to,
        bottom: 8,
        height: 26,
        showDataShadow: false,
        brushSelect: false,
        borderColor: colour("line"),
        fillerColor: colour("filler"),
        labelFormatter: (value) => `${number_text(value)} s`,
        textStyle: quiet,
        handleStyle: { color: colour("card"), borderColor: colour("soft") },
        moveHandleStyle: { color: colour("soft"), opacity: 0.5 },
      },
      {
        type: "inside",
        filterMode: "none",
        zoomOnMouseWheel: "ctrl",
        preventDefaultMouseMove: false,
      },
    ],
    series: [
      {
        type: "custom",
        clip: true,
        progressive: 0,
        encode: { x: [0, 1], y: 2 },
        data: items(shown.columns, timeline.clients),
        renderItem: renderer(shown),
      },
    ],
  };
}
