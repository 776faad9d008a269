// The client's part of ci/lsp-node.sh.
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawn } = require('child_process');
const { pathToFileURL, fileURLToPath } = require('url');
const rpc = require('vscode-jsonrpc/node');
const lsp = require('vscode-languageserver-protocol');

const program = process.argv[2];
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'lsp 节点-'));
const uri = (name) => pathToFileURL(path.join(work, name)).toString();
const text = '---\nname: pdf\ndescription: 填写 😀 forms. Use when a task names a form.\nallowed-tools: 读😀; Grep\n---\n# PDF\n\nDo 😀 it as [the guide](references/guide.md#two) says.\n';
const write = (name, content) => {
  fs.mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
  fs.writeFileSync(path.join(work, name), content);
};

const capabilities = {
  general: { positionEncodings: ['utf-16'] },
  workspace: {
    configuration: true, workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] },
  },
  window: { showDocument: { support: true } },
  textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true }, hover: { contentFormat: ['markdown'] } },
};

// A server with the messages that it has sent.
function connect(args = []) {
  const child = spawn(program, ['lsp', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
  const published = [], waiting = [], asked = [];
  const settings = { value: null };
  connection.onNotification('textDocument/publishDiagnostics', (p) => {
    published.push(p);
    waiting.forEach((check) => check());
  });
  connection.onNotification('window/logMessage', (p) => console.log('log:', p.message));
  connection.onRequest('workspace/configuration', () => [settings.value]);
  connection.onRequest('client/registerCapability', (p) => void asked.push(p));
  connection.onRequest('window/showDocument', (p) => (asked.push(p), { success: true }));
  connection.listen();
  const exited = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
  // findings waits until the last findings of a file fulfil a condition.
  const findings = (name, holds) => new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name}: ${JSON.stringify(published.slice(-3))}`)), 20000);
    const check = () => {
      const last = published.filter((p) => p.uri === uri(name)).pop();
      if (last && holds(last.diagnostics.filter((d) => d.severity < 4), last)) {
        clearTimeout(timer);
        resolve(last.diagnostics);
      }
    };
    waiting.push(check);
    check();
  });
  return { child, connection, published, asked, settings, exited, findings };
}

const rules = (...want) => (found) => JSON.stringify(found.map((d) => d.code)) === JSON.stringify(want);

const tests = {
  async session() {
    write('pdf/SKILL.md', text);
    write('pdf/references/guide.md', '# One\n\n## Two\n');
    const s = connect();
    const document = { uri: uri('pdf/SKILL.md') };
    const result = await s.connection.sendRequest(lsp.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities, workspaceFolders: [{ uri: uri('.'), name: 'work' }] });
    assert.equal(result.capabilities.positionEncoding, 'utf-16');
    await s.connection.sendNotification(lsp.InitializedNotification.type, {});
    await s.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { ...document, languageId: 'markdown', version: 1, text } });
    const [finding] = await s.findings('pdf/SKILL.md', rules('allowed-tools-format'));
    assert.deepEqual(finding.range.start, { line: 3, character: 18 });
    assert.equal(s.asked[0].registrations[0].method, 'workspace/didChangeWatchedFiles');

    // Settings are asked for again.
    s.settings.value = { rules: { 'allowed-tools-format': 'off' } };
    await s.connection.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: null });
    await s.findings('pdf/SKILL.md', rules());
    s.settings.value = null;
    await s.connection.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: { skills: { strict: true } } });
    await s.findings('pdf/SKILL.md', (found) => rules('allowed-tools-format')(found) && found[0].severity === 1);

    // Requests.
    const at = (line, character) => ({ textDocument: document, position: { line, character } });
    const actions = await s.connection.sendRequest(lsp.CodeActionRequest.type, { textDocument: document, range: finding.range, context: { diagnostics: [finding] } });
    const ignore = actions.find((a) => a.title.startsWith('Ignore'));
    await s.connection.sendRequest(lsp.ExecuteCommandRequest.type, ignore.command);
    assert.equal((await s.connection.sendRequest(lsp.HoverRequest.type, at(2, 16))).contents.value.includes('of 1,024 characters'), true);
    const items = await s.connection.sendRequest(lsp.CompletionRequest.type, at(7, 27));
    assert.ok(items.some((i) => i.label === 'references/guide.md'), JSON.stringify(items));
    const place = await s.connection.sendRequest(lsp.DefinitionRequest.type, at(7, 30));
    assert.deepEqual([fileURLToPath(place.uri), place.range.start], [path.join(work, 'pdf/references/guide.md'), { line: 2, character: 3 }]);
    const hints = await s.connection.sendRequest(lsp.InlayHintRequest.type, { textDocument: document, range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } } });
    assert.equal(hints.length, 4);
    assert.equal((await s.connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: document })).length, 4);
    const renamed = await s.connection.sendRequest(lsp.WillRenameFilesRequest.type, { files: [{ oldUri: uri('pdf/references'), newUri: uri('pdf/docs') }] });
    assert.equal(renamed.documentChanges[0].edits[0].newText, 'docs/guide.md');

    // Changes of others.
    fs.rmSync(path.join(work, 'pdf/references/guide.md'));
    await s.connection.sendNotification(lsp.DidChangeWatchedFilesNotification.type, { changes: [{ uri: uri('pdf/references/guide.md'), type: 3 }] });
    await s.findings('pdf/SKILL.md', rules('allowed-tools-format', 'link-target'));
    assert.ok(s.asked.some((a) => a.selection), 'the reason was selected');

    // A cancelled request has an answer all the same.
    const source = new rpc.CancellationTokenSource();
    const hover = s.connection.sendRequest(lsp.HoverRequest.type, at(0, 0), source.token);
    source.cancel();
    await hover.catch((e) => assert.equal(e.code, -32800));
    await s.connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: document });
    await s.findings('pdf/SKILL.md', rules());
    await s.connection.sendRequest(lsp.ShutdownRequest.type);
    await s.connection.sendNotification(lsp.ExitNotification.type);
    assert.equal(await s.exited, 0);
  },
  async 'exit without shutdown'() {
    const s = connect();
    await s.connection.sendRequest(lsp.InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
    await s.connection.sendNotification(lsp.ExitNotification.type);
    assert.equal(await s.exited, 1);
  },
  async 'the client hangs up'() {
    const s = connect();
    await s.connection.sendRequest(lsp.InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
    s.child.stdin.end();
    assert.equal(await s.exited, 1);
  },
  async 'the process of the client ends'() {
    const parent = spawn('sleep', ['300']);
    const s = connect();
    await s.connection.sendRequest(lsp.InitializeRequest.type, { processId: parent.pid, rootUri: null, capabilities: {} });
    parent.kill('SIGKILL');
    assert.equal(await s.exited, 1);
  },
  async interrupt() {
    const s = connect();
    await s.connection.sendRequest(lsp.InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
    s.child.kill('SIGTERM');
    assert.equal(await s.exited, 143);
  },
};

(async () => {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log('ok  ', name);
    } catch (error) {
      console.log('FAIL', name, error);
      process.exitCode = 1;
    }
  }
  fs.rmSync(work, { recursive: true, force: true });
  process.exit();
})();
