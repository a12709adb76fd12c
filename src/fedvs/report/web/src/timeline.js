// The straggler timeline: who answered when, which uploads opened each round, whose models were
// reused. It shows a window of the rounds, which its slider and buttons move.
import { element } from "./dom.js";
import { mount } from "./echarts.js";
import { answered_shares, columns, oldest_age } from "./timeline_columns.js";
import { items, timeline_option } from "./timeline_option.js";
import { cell_tip, timeline_key } from "./timeline_text.js";

const kCells = 6000; // drawn at once; more would make dragging slow
const kNarrow = 560; // px
const kFirst = { narrow: 15, wide: 40 }; // rounds in sight at first

function row_height_for(clients) {
  return clients <= 12 ? 24 : clients <= 40 ? 16 : 9;
}

export class Timeline {
  constructor(timeline) {
    const { clients, rounds, title } = timeline;
    this.timeline = timeline;
    this.end = rounds.length ? rounds[rounds.length - 1].end : 1;
    this.shown = {
      columns: [],
      oldest: oldest_age(timeline),
      shares: answered_shares(timeline),
      from: 0,
      to: this.end,
      end: this.end,
      row_height: row_height_for(clients),
      narrow: false,
    };
    this.place = element("div", {
      class: "plot",
      style: `height:${clients * this.shown.row_height + 90}px`,
      role: "img",
      "aria-label": `Timeline of ${rounds.length} rounds of ${clients} clients: ${title}`,
    });
    this.root = element(
      "figure",
      { class: "chart timeline" },
      this.caption(),
      this.tools(),
      this.place,
      timeline_key(timeline, this.shown.oldest),
    );
  }

  // Once the root is on the page.
  start() {
    this.drawn = mount(this.place, "canvas", "auto", () => this.draw());
    let waiting = false;
    this.drawn.on("datazoom", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        this.follow();
      });
    });
    this.show_first(this.drawn.getWidth() < kNarrow ? kFirst.narrow : kFirst.wide);
  }

  look(from, to) {
    const { shown, end } = this;
    const width = Math.min(to - from, end);
    shown.from = Math.max(0, Math.min(from, end - width));
    shown.to = shown.from + width;
    const limit = Math.floor(kCells / this.timeline.clients);
    shown.columns = columns(this.timeline, shown.from, shown.to, limit);
  }

  draw() {
    this.shown.narrow = this.drawn.getWidth() < kNarrow;
    const tip = (row, column) => cell_tip(this.shown.columns[column], row);
    this.drawn.setOption(timeline_option(this.timeline, this.shown, tip), { notMerge: true });
  }

  // The slider moved: other rounds may be in sight, or more in each column.
  follow() {
    const { startValue, endValue } = this.drawn.getOption().dataZoom[0];
    this.look(startValue, endValue);
    const data = items(this.shown.columns, this.timeline.clients);
    this.drawn.setOption({ series: [{ data }] });
  }

  show(from, to) {
    this.look(from, to);
    this.draw();
  }

  show_first(count) {
    const { rounds } = this.timeline;
    this.show(0, rounds[Math.min(count, rounds.length) - 1]?.end ?? this.end);
  }

  step(by) {
    const { from, to } = this.shown;
    this.show(from + by * (to - from), to + by * (to - from));
  }

  scale(by) {
    const middle = (this.shown.from + this.shown.to) / 2;
    const half = ((this.shown.to - this.shown.from) / 2) * by;
    this.show(Math.max(0, middle - half), Math.min(this.end, middle + half));
  }

  caption() {
    const shares = ", and the share of rounds that each helped to open";
    return element(
      "figcaption",
      {},
      element("h3", {}, this.timeline.title),
      element(
        "span",
        { class: "unit" },
        "rows: clients",
        element("span", { class: "wide" }, shares),
      ),
    );
  }

  tools() {
    const tool = (label, title, onclick) => {
      const attributes = { type: "button", class: "plain", title, "aria-label": title, onclick };
      return element("button", attributes, label);
    };
    return element(
      "div",
      { class: "tools" },
      tool("◀", "earlier rounds", () => this.step(-0.8)),
      tool("▶", "later rounds", () => this.step(0.8)),
      tool("+", "fewer rounds, larger", () => this.scale(0.5)),
      tool("−", "more rounds, smaller", () => this.scale(2)),
      tool("first 40", "the first 40 rounds", () => this.show_first(kFirst.wide)),
      tool("all", "all rounds", () => this.show(0, this.end)),
    );
  }
}
