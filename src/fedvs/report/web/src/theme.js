// Light or dark: the reader's system decides until the button is pressed; paper is always white.

const dark_system = matchMedia("(prefers-color-scheme: dark)");
const printer = matchMedia("print");
const listeners = [];
let chosen = null;
let printing = printer.matches;

export const is_printing = () => printing;
export const is_dark = () =>
  !printing && (chosen ?? (dark_system.matches ? "dark" : "light")) === "dark";

// The page's own colours, as style.css defines them for the theme in force.
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function announce() {
  document.documentElement.dataset.theme = is_dark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function on_theme(listener) {
  listeners.push(listener);
}

export function toggle_theme() {
  chosen = is_dark() ? "light" : "dark";
  announce();
}

function print_changed(now) {
  if (now === printing) return;
  printing = now;
  announce();
}

dark_system.addEventListener("change", announce);
printer.addEventListener("change", (event) => print_changed(event.matches));
addEventListener("beforeprint", () => print_changed(true));
addEventListener("afterprint", () => print_changed(false));
announce();
