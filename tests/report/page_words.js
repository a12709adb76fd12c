// Words for what page_test.py asks of a page.
const all = (what, root = document) => [...root.querySelectorAll(what)];
const chart = (id) => document.getElementById(id);
const plots = () => all(".chart:not(.timeline) .plot");
const labels = (plot) => all("text", plot).map((text) => text.textContent);
const ticks_of = (id) => labels(chart(id).querySelector(".plot")).join();

// A chart's lines and shades, known by the colours of its legend.
const strokes = (plot) =>
  all(".legend line", plot.closest(".chart")).map((line) => line.getAttribute("stroke"));
const curves = (plot) =>
  strokes(plot).flatMap((stroke) =>
    all(`path[fill="none"][stroke="${stroke}"]`, plot).filter((path) => path.getBBox().width > 20),
  );
const shades = (plot) =>
  strokes(plot).flatMap((stroke) => all(`path[fill="${stroke}"]`, plot));
const legend_names = () =>
  all(".chart").map((one) => all(".legend button", one).map((button) => button.textContent));

const press = (root, text) => all("button", root).find((one) => one.textContent === text).click();
const timeline = () => document.querySelector(".timeline");
const tip = (root = document) => root.querySelector(".tip")?.innerText ?? "no tip";

const ground = () => getComputedStyle(document.body).backgroundColor;
const theme_colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const visible = (what) => all(what).filter((one) => one.getClientRects().length > 0).length;
const nameless = (what) =>
  all(what).filter((one) => !one.textContent.trim() && !one.getAttribute("aria-label")).length;

// Brings it to the middle of the screen: [left, top, width, height].
function box_of(what) {
  const found = document.querySelector(what);
  found.scrollIntoView({ block: "center" });
  const { left, top, width, height } = found.getBoundingClientRect();
  return [left, top, width, height];
}

// Every opaque colour of the timeline, as "red,green,blue".
function painted_colours() {
  const canvas = timeline().querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 255) seen.add(data.slice(i, i + 3).join());
  }
  return [...seen];
}
