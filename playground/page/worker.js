// The worker that runs cpol: Python compiled to WebAssembly (Pyodide), with all its files given by the page.
// A page that was opened from a file may fetch nothing, so Pyodide's own requests are answered from what was given.
import { misses } from "./native.js";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { loadPyodide } from "pyodide/pyodide.mjs";

// Pyodide asks for a module worker. Chromium starts none from a page that was opened from a file. What differs is that
// a module worker has no importScripts, and this bundle needs none.
self.importScripts = undefined;

const NOWHERE = "https://pyodide.invalid/"; // Pyodide wants an address for its files; nothing is there

async function inflated(data) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

function answerFetches(files) {
  self.fetch = async (url) => {
    const name = String(url).split("/").pop();
    if (!(name in files)) throw new TypeError(`${name} is not in this page`);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(files[name], { headers: { "content-type": type } });
  };
}

async function start({ wasm, stdlib, cpol, lock }) {
  answerFetches({ "pyodide.asm.wasm": await inflated(wasm), "python_stdlib.zip": new Uint8Array(stdlib) });
  const python = await loadPyodide({
    indexURL: NOWHERE,
    createPyodideModule,
    lockFileContents: lock,
    packageBaseUrl: NOWHERE,
    stdout: () => {},
    stderr: () => {},
  });
  python.unpackArchive(await inflated(cpol), "tar", { extractDir: "/cpol" });
  python.runPython("import sys; sys.path.insert(0, '/cpol'); from bridge.answer import Bridge");
  return python.globals.get("Bridge")(runner(python.FS));
}

/** A function that runs native code for the bridge (bridge/native.py). Python's bytes come as proxies. */
function runner(files) {
  const modules = new Map();
  return (name, capacity, ...given) => {
    if (!modules.has(name)) modules.set(name, new WebAssembly.Module(files.readFile(`/cpol/native/${name}.wasm`)));
    const [params, ids, numbers] = given.slice(0, 3).map((each) => each.toJs());
    return misses(modules.get(name), capacity, params, ids, numbers, given[3]);
  };
}

let bridge;

self.onmessage = async ({ data }) => {
  try {
    if (data.start) {
      bridge = await start(data.start);
      self.postMessage({ ready: true });
      return;
    }
    const answer = bridge.answer(JSON.stringify(data.request), (part) =>
      self.postMessage({ number: data.number, part: JSON.parse(part) }),
    );
    self.postMessage({ number: data.number, answer: JSON.parse(answer) });
  } catch (error) {
    // Python's stack overflowed, or the browser lacks something. The page starts another worker.
    self.postMessage({ number: data.number, broken: String(error.message ?? error).split("\n")[0] });
  }
};
