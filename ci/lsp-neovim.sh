#!/usr/bin/env bash
# Neovim uses skills lsp, set up as docs/editors.md shows for its version: it opens a skill,
# edits it, fixes it, renames a file, and reads the files back.
#
# usage: ci/lsp-neovim.sh [NVIM...]   programs to try (default: nvim)
#
# It skips without Neovim.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/bin/skills" .
[ $# -gt 0 ] || set -- nvim
for nvim in "$@"; do
  if ! command -v "$nvim" >/dev/null; then
    echo "skipped: $nvim is not installed"
    continue
  fi
  rm -rf "$folder/work"
  mkdir -p "$folder/work/pdf/references" "$folder/home"
  "$nvim" --version | head -n 1
  PATH=$folder/bin:$PATH HOME=$folder/home XDG_STATE_HOME=$folder/home SKILLS_WORK=$folder/work SKILLS_DOCS=$PWD/docs/editors.md \
    timeout 120 "$nvim" --headless -u NONE -c "luafile ci/lsp-neovim.lua"
  echo
done
