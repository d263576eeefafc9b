// Runs WebAssembly modules as the page does: node run_modules.mjs NATIVE.JS. Each line of standard input is a run, as
// JSON; each line of standard output is its misses.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const source = readFileSync(process.argv[2], "utf8");
const { misses } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
for await (const line of createInterface({ input: process.stdin })) {
  const { path, capacity, params, ids, numbers, objects } = JSON.parse(line);
  const given = [params, ids, numbers].map((each) => new Uint8Array(Buffer.from(each, "base64")));
  console.log(misses(new WebAssembly.Module(readFileSync(path)), capacity, ...given, objects));
}
