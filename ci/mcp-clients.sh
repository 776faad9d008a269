#!/usr/bin/env bash
# Real clients use skills mcp: Codex, OpenCode and Qwen Code with a scripted model, the
# Inspector, the SDK for TypeScript, the conformance suite, and the Microsoft Agent Framework.
#
# usage: ci/mcp-clients.sh [FOLDER]   installs them into FOLDER (default: a folder in the user's cache)
#
# It needs npm and skips without it. Without Python, the framework is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/skills-mcp-clients}
if ! command -v npm >/dev/null; then
  echo "skipped: npm is not installed"
  exit 0
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -f "$folder/package.json" ] || echo '{"private": true}' >"$folder/package.json"
npm install --prefix "$folder" --no-fund --no-audit --loglevel=error \
  @openai/codex@0.171.0 opencode-ai@1.18.33 @qwen-code/qwen-code@0.15.10 \
  @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/inspector@0.15.0 @modelcontextprotocol/conformance@0.1.16

# The conformance suite needs Node.js 22.
node=node
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 22 ]; then
  mkdir -p "$folder/node22"
  npm install --prefix "$folder/node22" --no-fund --no-audit --loglevel=error node@22
  node=$folder/node22/node_modules/.bin/node
fi

python=
if command -v python3 >/dev/null && python3 -m venv "$folder/python"; then
  "$folder/python/bin/pip" install -q --disable-pip-version-check agent-framework-core==1.23.0 mcp==2.3.0 && python=$folder/python/bin/python
fi

go build -o "$folder/skills" .
SKILLS_MCP_CLIENTS=$folder SKILLS_MCP_PROGRAM=$folder/skills SKILLS_MCP_NODE=$(command -v "$node") SKILLS_MCP_PYTHON=$python \
  go test ./ci -count=1 -v -timeout 30m -run '^TestMCP'
