// Starts the language server of skills, and shows what it says.
'use strict';

const { commands, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

// The settings for the server. Empty ones are not set, so that .skills.yaml counts.
function settings() {
  const all = workspace.getConfiguration('skills');
  const out = {};
  for (const key of ['client', 'rules', 'profile', 'strict', 'advice', 'baseline', 'config']) {
    const value = all.get(key);
    const isEmpty = value === '' || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
    if (!isEmpty) {
      out[key] = value;
    }
  }
  return out;
}

async function start() {
  const config = workspace.getConfiguration('skills');
  const command = config.get('path') || 'skills';
  client = new LanguageClient(
    'skills',
    'Agent Skills',
    { command, args: ['lsp', ...config.get('arguments')] },
    {
      documentSelector: [{ scheme: 'file' }],
      initializationOptions: settings(),
      middleware: { workspace: { configuration: (params) => params.items.map(() => settings()) } },
    },
  );
  try {
    await client.start();
  } catch (error) {
    const answer = await window.showErrorMessage(`Agent Skills: cannot start ${command}: ${error?.message ?? error}`, 'Set the path');
    if (answer) {
      await commands.executeCommand('workbench.action.openSettings', 'skills.path');
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop().catch(() => {});
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand('skills.restart', async () => {
      await stop();
      await start();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('skills.path') || event.affectsConfiguration('skills.arguments')) {
        await stop();
        await start();
      } else if (event.affectsConfiguration('skills')) {
        await client?.sendNotification('workspace/didChangeConfiguration', { settings: null });
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
