// A session of VS Code's own test client with `cpolc dap`:
//     node debug_session.js NODE_MODULES PYTHON ADAPTER POLICY ADDED MOVED
// ADAPTER is a Python script that is the adapter. ADDED and MOVED are lines of POLICY with a breakpoint.
"use strict";

const assert = require("assert");
const [modules, python, adapter, policy, ...lines] = process.argv.slice(2);
const { DebugClient } = require(`${modules}/@vscode/debugadapter-testsupport`);
const [added, moved] = lines.map(Number);
const threadId = 1;

/** Ask for a move, and see where it stops. The client listens before it asks. */
async function stops(client, move, reason, where) {
  const stopped = client.assertStoppedLocation(reason, where);
  await client[`${move}Request`]({ threadId });
  return (await stopped).body.stackFrames[0];
}

async function variables(client, frameId, scope) {
  const { scopes } = (await client.scopesRequest({ frameId })).body;
  const { variablesReference } = scopes.find((each) => each.name === scope);
  const found = (await client.variablesRequest({ variablesReference })).body.variables;
  return Object.fromEntries(found.map((each) => [each.name, each.value]));
}

async function session(client) {
  const launched = { policy, test: "goes", stopOnEntry: false };
  await client.hitBreakpoint(launched, { path: policy, line: moved });
  const first = (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
  assert.match(first.name, /access to 1/);
  assert.strictEqual((await variables(client, first.id, "State")).seen, "1");
  assert.strictEqual((await client.evaluateRequest({ expression: "cold.size + hot.size", frameId: first.id })).body.result, "1");

  const next = await stops(client, "next", "step", { path: policy });
  assert.notStrictEqual(next.name, first.name);
  const back = await stops(client, "stepBack", "step", { path: policy, line: moved });
  assert.strictEqual(back.name, first.name);

  await client.setBreakpointsRequest({ source: { path: policy }, breakpoints: [{ line: added }] });
  await stops(client, "reverseContinue", "breakpoint", { path: policy, line: added });
  await stops(client, "continue", "breakpoint", { path: policy, line: added });
  await client.setBreakpointsRequest({ source: { path: policy }, breakpoints: [] });
  const last = await stops(client, "continue", "step", {});
  assert.strictEqual((await variables(client, last.id, "Ghosts"))["ghost gone"], "1 of 4");
  await assert.rejects(client.evaluateRequest({ expression: "nothing", frameId: last.id }), /nothing/);

  const ended = client.waitForEvent("terminated");
  await client.continueRequest({ threadId });
  await ended;
}

async function main() {
  const client = new DebugClient(python, adapter, "cpol", {}, true);
  client.defaultTimeout = 60_000;
  await client.start();
  try {
    await session(client);
  } finally {
    await client.stop();
  }
  console.log("the session is over");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
