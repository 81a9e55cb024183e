// Starts `tz lsp` and passes on what it says. It has no dependency: the few
// messages that the server knows are written here.
"use strict";
const vscode = require("vscode");
const { spawn } = require("child_process");

class Client {
  constructor(log) {
    this.log = log;
    this.waiting = new Map();
    this.next = 1;
    this.input = Buffer.alloc(0);
    this.diagnostics = vscode.languages.createDiagnosticCollection("terrazzo");
  }

  async start() {
    const settings = vscode.workspace.getConfiguration("terrazzo");
    this.process = spawn(settings.get("path"), ["lsp"], { stdio: ["pipe", "pipe", "pipe"] });
    this.process.on("error", error => vscode.window.showErrorMessage(`Terrazzo: '${settings.get("path")} lsp' does not start (${error.message}); the setting terrazzo.path names tz.`));
    this.process.on("exit", () => { this.isReady = false; this.diagnostics.clear(); for (const { reject } of this.waiting.values()) reject(new Error("tz lsp ended")); this.waiting.clear(); });
    this.process.stdin.on("error", () => { this.isReady = false; });
    this.process.stdout.on("data", bytes => this.receive(bytes));
    this.process.stderr.on("data", bytes => this.log.append(String(bytes)));
    await this.request("initialize", {
      processId: process.pid,
      capabilities: {},
      workspaceFolders: (vscode.workspace.workspaceFolders || []).map(folder => ({ uri: String(folder.uri), name: folder.name })),
      initializationOptions: this.settings(),
    });
    this.notify("initialized", {});
    this.isReady = true;
    vscode.workspace.textDocuments.forEach(document => this.open(document));
  }

  settings() {
    const settings = vscode.workspace.getConfiguration("terrazzo");
    return { terrazzo: { kernels: settings.get("kernels"), importRoots: settings.get("importRoots") } };
  }

  async stop() {
    if (!this.isReady) return;
    await this.request("shutdown", null).catch(() => undefined);
    this.notify("exit", null);
    this.isReady = false;
    this.diagnostics.clear();
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }
  notify(method, params) { this.send({ method, params }); }
  request(method, params) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  receive(bytes) {
    this.input = Buffer.concat([this.input, bytes]);
    for (;;) {
      const end = this.input.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(String(this.input.subarray(0, end)))[1]);
      if (this.input.length < end + 4 + length) return;
      const message = JSON.parse(String(this.input.subarray(end + 4, end + 4 + length)));
      this.input = this.input.subarray(end + 4 + length);
      const waiting = this.waiting.get(message.id);
      if (waiting && !message.method) {
        this.waiting.delete(message.id);
        if (message.error) waiting.reject(new Error(message.error.message));
        else waiting.resolve(message.result);
      } else if (message.method === "textDocument/publishDiagnostics") {
        this.publish(message.params);
      }
    }
  }

  publish({ uri, diagnostics }) {
    this.diagnostics.set(vscode.Uri.parse(uri), diagnostics.map(one => {
      const made = new vscode.Diagnostic(rangeOf(one.range), one.message, one.severity - 1);
      made.source = one.source;
      made.code = one.code;
      made.relatedInformation = (one.relatedInformation || []).map(note =>
        new vscode.DiagnosticRelatedInformation(locationOf(note.location), note.message));
      return made;
    }));
  }

  open(document) {
    if (this.isReady && isOurs(document)) {
      this.notify("textDocument/didOpen", { textDocument: { uri: String(document.uri), languageId: "python", version: document.version, text: document.getText() } });
    }
  }
  change(document) {
    if (this.isReady && isOurs(document)) {
      this.notify("textDocument/didChange", { textDocument: { uri: String(document.uri), version: document.version }, contentChanges: [{ text: document.getText() }] });
    }
  }
  close(document) {
    if (this.isReady && isOurs(document)) this.notify("textDocument/didClose", { textDocument: { uri: String(document.uri) } });
  }
  async ask(method, document, more) {
    if (!this.isReady) return null;
    return this.request(method, { textDocument: { uri: String(document.uri) }, ...more }).catch(() => null);
  }
}

// Other Python files are none of ours.
const isOurs = document => document.languageId === "python" && document.uri.scheme === "file" && /\b(triton|terrazzo)\b/.test(document.getText());
const positionOf = position => new vscode.Position(position.line, position.character);
const rangeOf = range => new vscode.Range(positionOf(range.start), positionOf(range.end));
const locationOf = location => new vscode.Location(vscode.Uri.parse(location.uri), rangeOf(location.range));
const at = position => ({ position: { line: position.line, character: position.character } });

let client;
async function activate(context) {
  const log = vscode.window.createOutputChannel("Terrazzo");
  const start = async () => {
    client = new Client(log);
    await client.start().catch(error => log.appendLine(error.message));
  };
  const python = { language: "python", scheme: "file" };
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("terrazzo.restart", async () => { await client.stop(); client.diagnostics.dispose(); await start(); }),
    vscode.workspace.onDidOpenTextDocument(document => client.open(document)),
    vscode.workspace.onDidChangeTextDocument(event => client.change(event.document)),
    vscode.workspace.onDidCloseTextDocument(document => client.close(document)),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration("terrazzo") && client.isReady) client.notify("workspace/didChangeConfiguration", { settings: client.settings() });
    }),
    vscode.languages.registerHoverProvider(python, {
      provideHover: async (document, position) => {
        const found = await client.ask("textDocument/hover", document, at(position));
        return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), found.range && rangeOf(found.range));
      },
    }),
    vscode.languages.registerDefinitionProvider(python, {
      provideDefinition: async (document, position) => {
        const found = await client.ask("textDocument/definition", document, at(position));
        return found && locationOf(found);
      },
    }),
    vscode.languages.registerInlayHintsProvider(python, {
      provideInlayHints: async (document, range) => {
        const found = await client.ask("textDocument/inlayHint", document, { range: { start: at(range.start).position, end: at(range.end).position } });
        return (found || []).map(hint => new vscode.InlayHint(positionOf(hint.position), hint.label, hint.kind));
      },
    }));
  await start();
}
const deactivate = () => client && client.stop();

module.exports = { activate, deactivate };
