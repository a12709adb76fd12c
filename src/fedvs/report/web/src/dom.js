// Elements without strings of HTML: text stays text, whatever a report's author wrote.

// element("button", { class: "x", onclick: f }, "Go", child)
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value);
    } else if (value !== false && value !== undefined) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// One of several: a row of buttons of which one is pressed. `choices` is [{ key, label }].
// Returns { root, select }; select(key) shows a choice that was made elsewhere.
export function choice(name, choices, first, on_choice) {
  const buttons = new Map();
  const select = (key) => {
    for (const [other, button] of buttons) button.setAttribute("aria-pressed", other === key);
  };
  const root = element("div", { class: "choice", role: "group", "aria-label": name });
  for (const { key, label } of choices) {
    const pick = () => {
      select(key);
      on_choice(key);
    };
    const button = element("button", { type: "button", "data-key": key, onclick: pick }, label);
    buttons.set(key, button);
    root.append(button);
  }
  select(first);
  return { root, select };
}
