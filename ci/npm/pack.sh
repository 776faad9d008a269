#!/usr/bin/env bash
# Builds the npm package agent-skills-cli from the binaries of `make cross`:
#   ci/npm/pack.sh VERSION DIR
set -euo pipefail
version=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$out"
mkdir -p "$out/bin"
cp "$here/skills.mjs" "$here/../../README.md" "$here/../../LICENSE" "$out"
for binary in "$here"/../../dist/skills-*; do
  name=$(basename "$binary")
  case $name in skills-windows-*) name=$name.exe ;; esac
  install -m 755 "$binary" "$out/bin/$name"
done
python3 - "$here/package.json" "$version" "$out/package.json" <<'PY'
import json, sys
source, version, target = sys.argv[1:]
package = json.load(open(source, encoding="utf-8"))
package["version"] = version
json.dump(package, open(target, "w", encoding="utf-8"), indent=2)
PY
