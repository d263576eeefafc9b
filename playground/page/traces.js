// The fields that describe a trace. Steps and curves have a set each.
import { make } from "./dom.js";

const KINDS = {
  loop: "a loop over the pages",
  zipf: "Zipf: few pages are read often",
  scan: "Zipf with scans between",
  uniform: "all pages alike",
  numbers: "pages that I write down",
};

export class TraceFields {
  /** `defaults`: kind, requests, pages, seed, numbers. */
  constructor(parent, prefix, defaults) {
    const field = (name, label, value) => {
      const input = make("input", { id: `${prefix}-${name}`, value: String(value), inputmode: "numeric", autocomplete: "off" });
      return [make("label", {}, label, input), input];
    };
    this.kind = make("select", { id: `${prefix}-kind`, change: () => this.choose() }, Object.entries(KINDS).map(([kind, title]) => make("option", { value: kind, selected: kind === defaults.kind }, title)));
    const [requests, requestsInput] = field("requests", "Requests", defaults.requests);
    const [pages, pagesInput] = field("pages", "Different pages", defaults.pages);
    const [seed, seedInput] = field("seed", "Seed", 1);
    this.inputs = { requests: requestsInput, pages: pagesInput, seed: seedInput };
    this.seed = seed;
    this.generated = [requests, pages, seed];
    this.numbers = make("textarea", { id: `${prefix}-numbers`, rows: 2, spellcheck: "false" }, defaults.numbers);
    this.written = make("label", { class: "wide" }, "Pages, such as 1 2 3 or 1-5", this.numbers);
    parent.append(make("div", { class: "fields" }, make("label", {}, "Trace", this.kind), ...this.generated), this.written);
    this.choose();
  }

  choose() {
    const own = this.kind.value === "numbers";
    for (const label of this.generated) label.hidden = own;
    this.seed.hidden = own || this.kind.value === "loop";
    this.written.hidden = !own;
  }

  get asked() {
    const number = (input) => wholeNumber(input.value);
    const { requests, pages, seed } = this.inputs;
    return { kind: this.kind.value, numbers: this.numbers.value, requests: number(requests), pages: number(pages), seed: number(seed) };
  }
}

/** A number as it was written, or the text itself, which cpol refuses with a message. */
export function wholeNumber(text) {
  const trimmed = text.trim().replaceAll(",", "");
  return /^[0-9]{1,15}$/.test(trimmed) ? Number(trimmed) : text;
}
