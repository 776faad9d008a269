#!/usr/bin/env bash
# Run by action.yml: downloads the binary of the release that the action is named
# by, and sets the output binary to its path. Without such a release it sets
# nothing, and the program is built. A binary with another checksum is an error.
#
#   SKILLS_REPOSITORY   owner/name of the action, empty for a local one
#   SKILLS_REF          the tag, branch or commit it is named by
set -euo pipefail

version=${SKILLS_REF#v}
if [ -z "${SKILLS_REPOSITORY:-}" ] || ! [[ ${SKILLS_REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
  exit 0
fi
case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) exit 0 ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) exit 0 ;;
esac

work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/skills-release.XXXXXX")
archive=skills_${version}_${os}_${arch}.tar.gz
from=${GITHUB_SERVER_URL:-https://github.com}/$SKILLS_REPOSITORY/releases/download/$SKILLS_REF
get() { curl --fail --silent --location --max-time 60 --retry 2 --output "$work/$1" "$from/$1"; }
if ! get "skills_${version}_SHA256SUMS" || ! get "$archive"; then
  echo "no release $SKILLS_REF for $os/$arch: building the program"
  rm -rf "$work"
  exit 0
fi
cd "$work"
if ! grep -E "^[0-9a-f]{64}  $archive\$" "skills_${version}_SHA256SUMS" >expected; then
  echo "::error::the release $SKILLS_REF has no checksum of $archive"
  exit 1
fi
if command -v sha256sum >/dev/null; then
  sha256sum --check --quiet expected
else
  shasum --algorithm 256 --check --quiet expected
fi || { echo "::error::$archive does not have the checksum of the release $SKILLS_REF"; exit 1; }
tar -xzf "$archive" skills
echo "binary=$work/skills" >>"$GITHUB_OUTPUT"
