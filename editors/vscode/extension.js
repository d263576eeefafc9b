// The client of `cpolc lsp` and `cpolc dap`. Everything that knows the language is in these two.
"use strict";

const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** The program, as the settings name it. */
function program() {
  return vscode.workspace.getConfiguration("cpol").get("command") || "cpolc";
}

/** The policy that a command is about: what a lens says, or else the file in the editor. */
function policyOf(given) {
  if (typeof given === "string") return given;
  const editor = vscode.window.activeTextEditor;
  if (editor && editor.document.languageId === "cpol") return editor.document.fileName;
  vscode.window.showErrorMessage("Open a .cpol file first.");
  return undefined;
}

/** Save the policy, so that cpolc reads what the editor shows, and run cpolc in a terminal as a task. */
async function run(policy, words) {
  const document = vscode.workspace.textDocuments.find((each) => each.fileName === policy);
  if (document && document.isDirty && !(await document.save())) return;
  const title = `${words[0]} ${path.basename(policy)}`;
  const execution = new vscode.ProcessExecution(program(), words, { cwd: path.dirname(policy) });
  const task = new vscode.Task({ type: "cpol", title }, vscode.TaskScope.Workspace, title, "cpol", execution);
  task.presentationOptions = { clear: true, panel: vscode.TaskPanelKind.Dedicated };
  await vscode.tasks.executeTask(task);
}

async function simulate(given) {
  const policy = policyOf(given);
  if (!policy) return;
  let trace = vscode.workspace.getConfiguration("cpol").get("trace");
  if (!trace) {
    const chosen = await vscode.window.showOpenDialog({ title: "A trace to simulate on", openLabel: "Simulate" });
    if (!chosen) return;
    trace = chosen[0].fsPath;
  }
  const capacity = await vscode.window.showInputBox({ prompt: "Capacities in pages", value: "1000,10000" });
  if (capacity) await run(policy, ["sim", policy, "--trace", trace, "--capacity", capacity]);
}

async function step(given, test) {
  const policy = policyOf(given);
  if (!policy) return;
  const name = test || (await vscode.window.showInputBox({ prompt: "The test to step through" }));
  if (!name) return;
  const document = vscode.workspace.textDocuments.find((each) => each.fileName === policy);
  if (document && document.isDirty && !(await document.save())) return;
  const session = { type: "cpol", request: "launch", name: `test ${name}`, policy, test: name, stopOnEntry: true };
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(vscode.Uri.file(policy)), session);
}

function activate(context) {
  const commands = {
    "cpol.test": (given, test) => {
      const policy = policyOf(given);
      return policy && run(policy, ["test", policy, ...(test ? ["--filter", test] : [])]);
    },
    "cpol.check": (given) => {
      const policy = policyOf(given);
      return policy && run(policy, ["check", policy]);
    },
    "cpol.simulate": simulate,
    "cpol.step": step,
  };
  for (const [name, command] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, command));
  }
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("cpol", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(program(), ["dap"]),
    }),
    vscode.debug.registerDebugConfigurationProvider("cpol", {
      resolveDebugConfiguration: async (_folder, configuration) => {
        const filled = { type: "cpol", request: "launch", name: "cpol", ...configuration };
        filled.policy = filled.policy || policyOf();
        if (filled.policy && !filled.test && !filled.log) {
          filled.test = await vscode.window.showInputBox({ prompt: "The test to step through" });
        }
        return filled.policy && (filled.test || filled.log) ? filled : undefined;
      },
    }),
  );
  client = new LanguageClient(
    "cpol",
    "cpol",
    { command: program(), args: ["lsp"] },
    {
      documentSelector: [{ language: "cpol" }],
      initializationOptions: { lint: vscode.workspace.getConfiguration("cpol").get("lint") },
      synchronize: { configurationSection: "cpol" },
    },
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
