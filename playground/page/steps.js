// Steps through a test or a trace, forward and back.
import { byId, make } from "./dom.js";
import { drawStep } from "./state.js";
import { TraceFields, wholeNumber } from "./traces.js";

const TRACE = "";

export class Steps {
  constructor(editor, engine) {
    this.editor = editor;
    this.engine = engine;
    this.step = null;
    const place = byId("trace-of-steps");
    this.trace = new TraceFields(place, "steps", { kind: "numbers", requests: 60, pages: 12, numbers: "1 2 3 4 1 2 5 1 2 3 4 5" });
    this.capacity = make("input", { id: "steps-capacity", value: "3", inputmode: "numeric", autocomplete: "off" });
    place.append(make("div", { class: "fields" }, make("label", {}, "Capacity in pages", this.capacity)));
    const on = (id, does) => byId(id).addEventListener("click", does);
    on("begin", () => this.begin());
    on("first", () => this.go(0));
    on("back", () => this.go(this.wanted - 1));
    on("next", () => this.go(this.wanted + 1));
    on("last", () => this.go(this.step.last));
    on("to-line", () => this.ask({ op: "run", line: this.editor.line }));
    byId("slider").addEventListener("input", (event) => this.go(Number(event.target.value)));
    byId("script").addEventListener("change", () => this.choose());
    byId("steps").addEventListener("keydown", (event) => this.key(event));
    this.choose();
  }

  /** What the policy has to step through, now. */
  offer(tests) {
    const script = byId("script");
    const before = script.value;
    script.replaceChildren(
      ...tests.map((test) => make("option", { value: test }, `test ${test}`)),
      make("option", { value: TRACE }, "a trace"),
    );
    script.value = tests.includes(before) ? before : (tests[0] ?? TRACE);
    this.choose();
  }

  choose() {
    byId("trace-of-steps").hidden = byId("script").value !== TRACE;
  }

  key(event) {
    if (!this.step || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, textarea, select")) return;
    const keys = { n: this.wanted + 1, b: this.wanted - 1, Home: 0, End: this.step.last };
    if (event.key === "c") this.ask({ op: "run", line: this.editor.line });
    else if (event.key in keys) this.go(keys[event.key]);
    else return;
    event.preventDefault();
  }

  async begin(test = byId("script").value) {
    byId("script").value = test;
    this.choose();
    this.text = this.editor.text;
    const asked = { op: "begin", text: this.text, test: test === TRACE ? null : test, trace: this.trace.asked, capacity: wholeNumber(this.capacity.value) };
    this.step = null;
    byId("stepper").hidden = true;
    await this.ask(asked);
    this.generation = this.engine.generation;
  }

  /** Keys may come faster than steps are shown: the next one counts from the step that was asked for last. */
  go(number) {
    if (number < 0 || number > this.step.last) return;
    this.wanted = number;
    this.ask({ op: "go", number }, "go");
  }

  async ask(request, only = null) {
    if (request.op !== "begin" && this.generation !== this.engine.generation) {
      this.say("The steps ended when cpol was stopped: begin again.");
      return;
    }
    const answer = await this.engine.ask(request, { only, title: "stepping" });
    if (answer === null) return;
    if (!answer.ok) {
      this.say(answer.problem ?? "The policy has errors: see Problems.");
      return;
    }
    this.say(answer.step.over && answer.step.number < answer.step.last ? "Nothing follows: the policy broke here." : "");
    this.show(answer.step);
  }

  say(text) {
    byId("steps-said").textContent = text;
  }

  show(step) {
    this.step = step;
    if (!this.engine.waits("go")) this.wanted = step.number;
    byId("stepper").hidden = false;
    byId("where").textContent = `${step.number} of ${step.last}`;
    const slider = byId("slider");
    slider.max = step.last;
    slider.value = step.number;
    for (const [id, off] of [["first", step.number === 0], ["back", step.number === 0], ["next", step.over], ["last", step.over], ["to-line", step.over]]) {
      byId(id).setAttribute("aria-disabled", String(off)); // `disabled` would take the focus away
    }
    byId("step").replaceChildren(...drawStep(step));
    this.editor.showRan(this.editor.text === this.text ? step.lines : []);
  }
}
