// The page: the policy on one side, what it does on the other.
import { byId, make } from "./dom.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Problems } from "./problems.js";
import { fromFragment, toFragment } from "./share.js";
import { Simulate } from "./simulate.js";
import { Steps } from "./steps.js";

const WAIT = 250; // ms after the last key, then cpol looks at the text
const OWN = "";

const facts = JSON.parse(byId("data-facts").textContent);

function bytes(id) {
  const letters = atob(byId(id).textContent);
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

const engine = new Engine(
  {
    workerUrl: URL.createObjectURL(new Blob([bytes("data-worker")], { type: "text/javascript" })),
    wasm: bytes("data-wasm"),
    stdlib: bytes("data-stdlib"),
    cpol: bytes("data-cpol"),
    lock: facts.lock,
  },
  (state, detail) => {
    const said = { starting: "Starting cpol …", ready: "Ready", busy: `Busy: ${detail} …`, failed: `cpol did not start: ${detail}` };
    byId("status").textContent = said[state];
    document.body.dataset.state = state;
    byId("stop").hidden = state !== "busy";
  },
);

const editor = new Editor(byId("editor"), facts.words, changed);
const problems = new Problems(editor, engine);
const steps = new Steps(editor, engine);
const simulate = new Simulate(editor, engine);

let timer;
function changed() {
  clearTimeout(timer);
  timer = setTimeout(check, WAIT);
  editor.showRan([]);
}

async function check() {
  clearTimeout(timer);
  const { text } = editor;
  const answer = await engine.ask({ op: "check", text }, { only: "check", title: "compiling" });
  if (answer === null || text !== editor.text) return; // a later text is on its way
  document.body.dataset.checked = String(answer.ok);
  if (!answer.diagnostics) {
    problems.say(answer.problem);
    return;
  }
  editor.show(answer.diagnostics);
  problems.show(answer.diagnostics);
  if (!answer.ok) return;
  steps.offer(answer.tests);
  simulate.offer(answer.params);
}

// Tabs: the arrow keys go from one to the next.
const tabs = [...document.querySelectorAll("[role=tab]")];

function choose(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    byId(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
}

for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!to) return;
    const next = tabs[(tabs.indexOf(tab) + to + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
}

// Tests.
byId("run-tests").addEventListener("click", async () => {
  const list = byId("test-list");
  const said = byId("tests-said");
  list.replaceChildren();
  said.textContent = "Running …";
  const answer = await engine.ask({ op: "tests", text: editor.text }, { part: (test) => list.append(outcome(test)), title: "running tests" });
  if (!answer.ok) said.textContent = answer.problem ?? "The policy has errors: see Problems.";
  else if (!answer.tests) said.textContent = "The policy has no tests.";
  else if (answer.failed) said.textContent = `${answer.failed} of ${answer.tests} tests failed.`;
  else said.textContent = `${answer.tests} test${answer.tests === 1 ? "" : "s"} passed.`;
});

function outcome(test) {
  const line = make("button", { class: "link", type: "button", click: () => editor.goLine(test.line) }, `line ${test.line}`);
  const step = make(
    "button",
    {
      class: "link",
      type: "button",
      click: () => {
        choose(byId("tab-steps"));
        byId("tab-steps").focus();
        steps.begin(test.name);
      },
    },
    "step through it",
  );
  const values = [...test.values.map(([part, value]) => `${part} = ${value}`), ...(test.cache.length ? ["the cache then:"] : []), ...test.cache];
  return make(
    "li",
    { class: test.ok ? "good" : "bad" },
    make("p", {}, make("span", { class: "kind" }, test.ok ? "passed" : "failed"), " ", make("code", {}, test.name), test.about ? `: ${test.about}` : ""),
    test.message ? make("p", {}, test.message) : null,
    values.length ? make("pre", {}, values.join("\n")) : null,
    make("p", {}, line, ", ", step),
  );
}

// The header.
byId("stop").addEventListener("click", () => engine.stop("stopped"));

byId("format").addEventListener("click", async () => {
  const { text } = editor;
  const answer = await engine.ask({ op: "format", text }, { title: "formatting" });
  if (answer.ok && editor.text === text && answer.text !== text) editor.text = answer.text;
  else if (answer.problem) problems.say(answer.problem);
  else if (!answer.ok) check();
});

byId("share").addEventListener("click", async () => {
  const fragment = await toFragment(editor.text);
  history.replaceState(null, "", fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    byId("status").textContent = "The address of this policy is in the clipboard";
  } catch {
    byId("status").textContent = "The address of this page now holds the policy: copy it";
  }
});

const stdlib = byId("stdlib");
stdlib.append(
  make("option", { value: OWN }, "my own"),
  ...Object.entries(facts.policies).map(([name, { summary }]) => make("option", { value: name, title: summary }, name)),
);
stdlib.addEventListener("change", () => {
  if (stdlib.value === OWN) return;
  editor.text = facts.policies[stdlib.value].text;
  history.replaceState(null, "", `#policy=${stdlib.value}`);
});

async function open() {
  let found = {};
  let wrong = "";
  try {
    found = await fromFragment(location.hash);
    if (found.name !== undefined && !Object.hasOwn(facts.policies, found.name)) wrong = `There is no policy ${found.name} in the standard library.`;
  } catch {
    wrong = "The policy in this address is damaged: copy the whole address.";
  }
  const name = found.text === undefined ? (wrong ? "" : (found.name ?? "")) : "";
  stdlib.value = name;
  editor.text = found.text ?? (name ? facts.policies[name].text : facts.first);
  await check();
  if (wrong) problems.say(wrong);
}

window.addEventListener("hashchange", open);
open();
