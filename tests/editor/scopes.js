// The scopes that the TextMate grammar gives to each character of the files on the command line, as VS Code computes them.
"use strict";

const fs = require("fs");
const path = require("path");
const [modules, grammar, ...files] = process.argv.slice(2);
const { Registry, parseRawGrammar, INITIAL } = require(path.join(modules, "vscode-textmate"));
const oniguruma = require(path.join(modules, "vscode-oniguruma"));

async function main() {
  await oniguruma.loadWASM(fs.readFileSync(path.join(modules, "vscode-oniguruma", "release", "onig.wasm")).buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammar, "utf8"), grammar),
  });
  const loaded = await registry.loadGrammar("source.cpol");
  const out = {};
  for (const file of files) {
    let stack = INITIAL;
    out[file] = fs.readFileSync(file, "utf8").split("\n").map((line) => {
      const found = loaded.tokenizeLine(line, stack);
      stack = found.ruleStack;
      return found.tokens.map((token) => [token.startIndex, token.endIndex, token.scopes[token.scopes.length - 1]]);
    });
  }
  process.stdout.write(JSON.stringify(out));
}

main();
