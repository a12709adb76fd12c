// One look per series name, the same in every chart of the page.
import palette from "../palette.json";
import { is_dark } from "./theme.js";

const looks = new Map(Object.entries(palette.named));

function free_look(taken, turn) {
  const free = palette.others.find(({ light }) => !taken.has(light));
  return free ?? palette.others[turn % palette.others.length];
}

// Names of one chart that have no look yet get those that nothing else in the chart has, as long as
// there are any. palette.cc does the same for figures.
export function assign_looks(names) {
  const taken = new Set(
    names.filter((name) => looks.has(name)).map((name) => looks.get(name).light),
  );
  for (const name of names) {
    if (looks.has(name)) continue;
    looks.set(name, free_look(taken, taken.size));
    taken.add(looks.get(name).light);
  }
}

// Needs assign_looks() before.
export function look_of(name) {
  const { light, dark, width, dash } = looks.get(name);
  return { colour: is_dark() ? dark : light, width, dash };
}

export const is_known = (name) => looks.has(name);
