// A curve is { x, mean, low, high }: arrays of one length, x rising; null is "not measured".

function between(values, i, share) {
  const a = values[i - 1];
  const b = values[i];
  return a === null || b === null ? null : a + (b - a) * share;
}

// What the drawn line says at `at`: straight between points, null before the first, and the last
// value, marked as ended, after the end.
export function value_at(curve, at) {
  const { x, mean, low, high } = curve;
  const last = x.length - 1;
  if (last < 0 || at < x[0]) return null;
  if (at >= x[last]) {
    return { mean: mean[last], low: low[last], high: high[last], ended: at > x[last] };
  }
  let i = x.findIndex((value) => value > at);
  const share = (at - x[i - 1]) / (x[i] - x[i - 1]);
  return {
    mean: between(mean, i, share),
    low: between(low, i, share),
    high: between(high, i, share),
    ended: false,
  };
}

export function has_spread(curve) {
  return curve.x.some((_, i) => curve.low[i] !== curve.high[i]);
}

// [x, y] pairs; a logarithmic axis has no place for x <= 0.
export function points(curve, values, logarithmic) {
  const pairs = curve.x.map((x, i) => [x, values[i]]);
  return logarithmic ? pairs.filter(([x]) => x > 0) : pairs;
}
