// Numbers as people read them.

export function number_text(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 6 });
}

// "80.1 – 84.9", or "" where there is no spread to speak of.
export function range_text(low, high) {
  if (low === null || high === null || low === high) return "";
  return `${number_text(low)} – ${number_text(high)}`;
}

export function ordinal(n) {
  const ending = n % 100 > 10 && n % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${ending}`;
}

export function looks_numeric(text) {
  return /^\s*[-+<>≤≥~±]?\s*\d/.test(text) || /^\s*[-–]?\s*$/.test(text);
}
