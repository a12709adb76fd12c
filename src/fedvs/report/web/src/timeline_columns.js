// What a straggler timeline shows of a stretch of rounds: every round by itself where there is
// room, else columns of several rounds each.

// Per client of a column: in how many of its rounds it answered, its place in the last one, and the
// age of its model. Ages: mean over the rounds that used one, -1 if none did.
function cells_of(rounds, clients) {
  const cells = Array.from({ length: clients }, () => ({
    answered: 0,
    late: 0,
    place: 0,
    age: 0,
    used: 0,
    left_out: 0,
    oldest: -1,
  }));
  for (const round of rounds) {
    round.answered.forEach((client, i) => {
      cells[client - 1].answered += 1;
      cells[client - 1].place = i + 1;
    });
    for (const client of round.late) cells[client - 1].late += 1;
    round.ages.forEach((age, i) => {
      if (age < 0) {
        cells[i].left_out += 1;
        return;
      }
      cells[i].age += age;
      cells[i].used += 1;
      cells[i].oldest = Math.max(cells[i].oldest, age);
    });
  }
  for (const cell of cells) cell.age = cell.used ? cell.age / cell.used : -1;
  return cells;
}

// Columns that overlap [from, to] seconds, at most `limit` of them.
export function columns(timeline, from, to, limit) {
  const seen = timeline.rounds.filter((round) => round.end >= from && round.start <= to);
  const each = Math.max(1, Math.ceil(seen.length / limit));
  const made = [];
  for (let i = 0; i < seen.length; i += each) {
    const rounds = seen.slice(i, i + each);
    made.push({
      rounds,
      start: rounds[0].start,
      end: rounds[rounds.length - 1].end,
      cells: cells_of(rounds, timeline.clients),
    });
  }
  return made;
}

// Per client, the share of rounds that its upload helped to open.
export function answered_shares(timeline) {
  const counts = new Array(timeline.clients).fill(0);
  for (const round of timeline.rounds) for (const client of round.answered) counts[client - 1] += 1;
  return counts.map((count) => count / Math.max(1, timeline.rounds.length));
}

export function oldest_age(timeline) {
  return timeline.rounds.reduce(
    (oldest, round) => round.ages.reduce((a, b) => Math.max(a, b), oldest),
    0,
  );
}

export function leaves_models_out(timeline) {
  return timeline.rounds.some((round) => round.ages.some((age) => age < 0));
}
