// Makes elements. Text goes in as text, never as HTML: a policy may come from somebody else's address.

export const byId = (id) => document.getElementById(id);

/** An element; `attributes` with a function are listeners. Children are elements and texts; null is left out. */
export function make(tag, attributes = {}, ...children) {
  const made = tag === "svg" || attributes.svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "svg" || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

/** A text in which back quotes stand around code. */
export const prose = (text) => text.split("`").map((part, number) => (number % 2 ? make("code", {}, part) : part));

export const svg = (tag, attributes, ...children) => make(tag, { svg: true, ...attributes }, ...children);
