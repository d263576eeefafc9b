// The diagnostics in full, below the editor.
import { byId, make, prose } from "./dom.js";

export class Problems {
  constructor(editor, engine) {
    this.editor = editor;
    this.engine = engine;
  }

  show(diagnostics) {
    const place = byId("problems");
    if (!diagnostics.length) {
      place.replaceChildren(make("p", {}, "None."));
      return;
    }
    place.replaceChildren(make("ul", {}, diagnostics.map((found) => this.item(found))));
  }

  /** A message that is about no diagnostic. */
  say(message) {
    byId("problems").replaceChildren(make("ul", {}, make("li", { class: "error", role: "alert" }, prose(message))));
  }

  item(found) {
    const explained = make("div");
    const explain = make("button", { class: "link", type: "button", click: () => this.explain(found.code, explained, explain) }, `Explain ${found.code}`);
    return make(
      "li",
      { class: found.severity },
      make("p", {}, make("span", { class: "kind" }, found.severity), " ", this.place(found), " ", prose(found.message), found.label ? prose(` (${found.label})`) : ""),
      found.why ? make("p", {}, prose(`why: ${found.why}`)) : null,
      found.help ? make("p", {}, prose(`help: ${found.help}`)) : null,
      found.others.map((other) => make("p", {}, this.place(other), " ", prose(other.text))),
      explain,
      explained,
    );
  }

  place(found) {
    if (found.from === null) return found.where;
    return make("button", { class: "link", type: "button", click: () => this.editor.go(found.from) }, `line ${found.where}`);
  }

  async explain(code, place, button) {
    const answer = await this.engine.ask({ op: "explain", code }, { title: "explaining" });
    if (!answer.ok) {
      place.replaceChildren(make("p", {}, answer.problem));
      return;
    }
    button.hidden = true;
    const example = (word, text) => (text ? [make("p", {}, `${word}:`), make("pre", {}, text)] : []);
    place.replaceChildren(make("p", {}, make("b", {}, prose(answer.title))), make("p", {}, prose(answer.explanation)), ...example("Wrong", answer.wrong), ...example("Right", answer.right));
  }
}
