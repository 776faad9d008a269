#!/usr/bin/env bash
# Downloads bubblewrap for the tests, where it is not installed: the package is unpacked into
# the user's cache, which needs no privileges. Without it, the tests that need it are skipped.
set -euo pipefail

if command -v bwrap; then exit 0; fi
program=${XDG_CACHE_HOME:-$HOME/.cache}/skills-test-bubblewrap/usr/bin/bwrap
if [ ! -x "$program" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  chmod 755 "$work" # apt-get downloads as another user
  cd "$work"
  apt-get download -q bubblewrap >&2
  dpkg-deb -x bubblewrap_*.deb .
  mkdir -p "$(dirname "$program")"
  cp usr/bin/bwrap "$program.$$"
  mv "$program.$$" "$program"
fi
echo "$program"
