// What a straggler timeline says in words: on hovering a cell, and in its key.
import { element } from "./dom.js";
import { number_text, ordinal } from "./numbers.js";
import { colour, on_theme } from "./theme.js";
import { leaves_models_out } from "./timeline_columns.js";
import { age_colour } from "./timeline_option.js";

function age_text(cell, single) {
  if (cell.used === 0) return "its model was left out";
  if (cell.age === 0)
    return single ? "its model was this round's" : "its models were their rounds'";
  if (!single) {
    const oldest = `at most ${cell.oldest}`;
    return `its models were ${number_text(cell.age)} rounds old on average, ${oldest}`;
  }
  return `its model was ${cell.age} ${cell.age === 1 ? "round" : "rounds"} old, reused`;
}

function upload_text(cell, rounds) {
  if (rounds.length > 1) {
    return `its upload helped to open ${cell.answered} of these ${rounds.length} rounds`;
  }
  const opened = rounds[0].answered.length;
  return cell.answered
    ? `its upload came ${ordinal(cell.place)} of the ${opened} that opened the round`
    : `late: the round opened with ${opened} other uploads`;
}

export function cell_tip(column, row) {
  const { rounds } = column;
  const cell = column.cells[row];
  const last = rounds[rounds.length - 1].round;
  const which = rounds.length > 1 ? `rounds ${rounds[0].round} – ${last}` : `round ${last}`;
  const lines = [
    `${number_text(column.start)} – ${number_text(column.end)} s`,
    upload_text(cell, rounds),
  ];
  if (cell.used + cell.left_out > 0) lines.push(age_text(cell, rounds.length === 1));
  return element(
    "div",
    { class: "tip" },
    element("b", {}, `client ${row + 1}, ${which}`),
    ...lines.map((line) => element("div", {}, line)),
  );
}

function key_entry(paint, label) {
  const box = element("span", { class: "box" });
  const repaint = () => {
    box.style.background = paint();
  };
  repaint();
  on_theme(repaint);
  return element("span", {}, box, label);
}

export function timeline_key(timeline, oldest) {
  const entries = [
    key_entry(() => colour("answered"), "upload opened the round"),
    key_entry(() => colour("late"), "late, not waited for"),
  ];
  if (oldest > 0) {
    const ends = () => `${age_colour(1, oldest)}, ${age_colour(oldest, oldest)}`;
    const age = oldest === 1 ? "1 round" : `1 to ${oldest} rounds`;
    const label = `lower part: model reused, ${age} old`;
    entries.push(key_entry(() => `linear-gradient(90deg, ${ends()})`, label));
  }
  if (leaves_models_out(timeline)) {
    entries.push(key_entry(() => colour("card"), "lower part empty: model left out"));
  }
  return element("div", { class: "key" }, ...entries);
}
