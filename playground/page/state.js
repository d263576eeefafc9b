// Draws a step: the event, what the policy did, and the cache afterwards, with what the step changed.
import { make } from "./dom.js";

const MARKS = { new: "new", moved: "moved here", changed: "record changed" };

export function drawStep(step) {
  return [
    make("p", { class: "event" }, make("strong", {}, `${step.number}: ${step.event}`)),
    step.problem ? make("pre", { class: "problem", role: "alert" }, step.problem) : null,
    rows(step.ran, "ran"),
    rows(step.effects, "effects"),
    make("p", { class: "cache" }, `${step.cache}; ${step.clock}`),
    step.lists.map(drawList),
    step.ghosts.map(drawGhost),
    step.states.length ? make("ul", { class: "states", "aria-label": "States" }, step.states.map(drawState)) : null,
    rows([...step.tables.map((table) => table.text), ...step.inputs], "tables"),
  ]
    .flat()
    .filter((each) => each !== null);
}

function rows(texts, kind) {
  return texts.length ? make("ul", { class: kind }, texts.map((text) => make("li", {}, text))) : null;
}

function head(name, count, changed) {
  return make("h3", { class: changed ? "changed" : "" }, name, make("small", {}, ` ${count}${changed ? ", changed" : ""}`));
}

function boxes(items, box, name) {
  if (!items.length) return make("p", { class: "empty" }, "empty");
  return make("ol", { class: "boxes", "aria-label": name }, items.map((item) => (item === null ? make("li", { class: "more" }, "…") : box(item))));
}

function drawList(list) {
  const pages = `${list.pages} page${list.pages === 1 ? "" : "s"}`;
  const name = `${list.name}, from head to tail`;
  return make("div", { class: "list" }, head(list.name, pages, list.changed), boxes(list.folios, drawFolio, name));
}

function drawFolio(folio) {
  const mark = MARKS[folio.mark];
  return make(
    "li",
    { class: `folio ${folio.mark}` },
    make("b", {}, folio.name),
    folio.values.map((value) => make("small", {}, value)),
    mark ? make("span", { class: "mark" }, mark) : null,
  );
}

function drawGhost(ghost) {
  const count = `${ghost.count} of ${ghost.room}`;
  const name = `${ghost.name}, from the oldest entry`;
  return make("div", { class: "list ghost" }, head(ghost.name, count, ghost.changed), boxes(ghost.entries, (entry) => make("li", { class: "folio" }, make("b", {}, entry)), name));
}

function drawState(state) {
  const changed = state.before !== state.value;
  return make("li", { class: changed ? "changed" : "" }, make("code", {}, `${state.name} = ${changed ? `${state.before} → ` : ""}${state.value}`));
}
