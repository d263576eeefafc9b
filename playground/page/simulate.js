// Misses by capacity, drawn while they come.
import { draw, legend, table } from "./curves.js";
import { byId, make } from "./dom.js";
import { TraceFields, wholeNumber } from "./traces.js";

export class Simulate {
  constructor(editor, engine) {
    this.editor = editor;
    this.engine = engine;
    this.trace = new TraceFields(byId("trace-of-curves"), "curves", { kind: "scan", requests: 1500, pages: 200, numbers: "1-10 1-10 1-10" });
    byId("simulate").addEventListener("click", () => this.run());
  }

  /** A field for each param of the policy. What was written stays. */
  offer(params) {
    const before = this.params;
    byId("params").replaceChildren(
      ...params.map((param) =>
        make(
          "label",
          {},
          param.name,
          make("input", { "data-param": param.name, value: before[param.name] ?? "", placeholder: param.default, autocomplete: "off" }),
          make("span", { class: "hint" }, `${param.low} to ${param.high}${param.unit ? ` ${param.unit}` : ""}`),
        ),
      ),
    );
  }

  get params() {
    const inputs = [...byId("params").querySelectorAll("input")];
    return Object.fromEntries(inputs.filter((each) => each.value.trim()).map((each) => [each.dataset.param, each.value.trim()]));
  }

  async run() {
    const words = (id) => byId(id).value.split(/[\s,]+/).filter(Boolean);
    const said = byId("curves-said");
    const progress = byId("progress");
    said.textContent = "";
    progress.hidden = false;
    progress.value = 0;
    const lines = new Map();
    const how = { native: new Set(), interpreter: new Set() };
    let about = null;
    const part = (told) => {
      if ("done" in told) {
        progress.value = told.done;
      } else if ("different" in told) {
        about = told;
        said.textContent = `${told.requests} requests of ${told.different} different pages.`;
      } else {
        if (!lines.has(told.name)) lines.set(told.name, new Map());
        lines.get(told.name).set(told.capacity, told.misses);
        if ("native" in told) how[told.native ? "native" : "interpreter"].add(told.name);
        if (told.name !== "optimal") this.show(lines, about);
      }
    };
    const request = { op: "curves", text: this.editor.text, trace: this.trace.asked, capacities: words("capacities").map(wholeNumber), beside: words("beside"), params: this.params };
    const answer = await this.engine.ask(request, { part, title: "simulating" });
    progress.hidden = true;
    if (!answer.ok) {
      said.textContent = answer.problem ?? "The policy has errors: see Problems.";
      return;
    }
    if (how.native.size) said.textContent += ` Native code, ${(answer.rate / 1e6).toFixed(1)} million requests a second: ${[...how.native].join(", ")}.`;
    if (how.interpreter.size) said.textContent += ` Interpreter: ${[...how.interpreter].join(", ")}.`;
    if (answer.anomalies.length) said.textContent += ` More room brought more misses somewhere (Belady's anomaly): ${answer.anomalies.join(", ")}.`;
    this.show(lines, about);
  }

  show(lines, { capacities, requests }) {
    const order = new Map([...lines].sort(([a], [b]) => (a === "optimal") - (b === "optimal")));
    const numbers = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Misses as numbers" }, table(order, capacities, requests));
    byId("chart").replaceChildren(draw(order, capacities, requests), legend(order), numbers);
  }
}
