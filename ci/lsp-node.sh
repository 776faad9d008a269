#!/usr/bin/env bash
# The protocol's own client for Node.js uses skills lsp: what Neovim does not use, and how a
# session ends.
#
# usage: ci/lsp-node.sh [FOLDER]   installs the client into FOLDER (default: a folder in the user's cache)
#
# It skips without npm.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/skills-lsp-client}
if ! command -v npm >/dev/null; then
  echo "skipped: npm is not installed"
  exit 0
fi
mkdir -p "$folder"
[ -f "$folder/package.json" ] || echo '{"private": true}' >"$folder/package.json"
npm install --prefix "$folder" --no-fund --no-audit --loglevel=error vscode-languageserver-protocol@3.18.5 vscode-jsonrpc@10.0.0
go build -o "$folder/skills" .
NODE_PATH=$folder/node_modules timeout 120 node ci/lsp-node.js "$folder/skills"
