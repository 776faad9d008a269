#!/usr/bin/env bash
# Builds the npm package agent-skills-cli from the binaries in dist/, of goreleaser
# or `make cross`: ci/npm/pack.sh VERSION DIR
set -euo pipefail
version=${1#v} out=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$out"
mkdir -p "$out/bin"
cp "$here/skills.mjs" "$here/../../README.md" "$here/../../LICENSE" "$out"
shopt -s nullglob
for binary in "$here"/../../dist/skills-* "$here"/../../dist/skills_*/skills*; do
  name=$(basename "$binary")
  case $name in
    skills | skills.exe) # in a folder such as skills_linux_amd64_v1
      IFS=_ read -r _ system arch _ <<<"$(basename "$(dirname "$binary")")"
      name=skills-$system-$arch${name#skills} ;;
    skills-windows-*) name=$name.exe ;;
  esac
  install -m 755 "$binary" "$out/bin/$name"
done
compgen -G "$out/bin/*" >/dev/null || { echo "no binaries in dist/" >&2; exit 1; }
python3 - "$here/package.json" "$version" "$out/package.json" <<'PY'
import json, sys
source, version, target = sys.argv[1:]
package = json.load(open(source, encoding="utf-8"))
package["version"] = version
json.dump(package, open(target, "w", encoding="utf-8"), indent=2)
PY
