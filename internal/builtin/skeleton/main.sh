#!/usr/bin/env bash
# Read a file and print the result as JSON.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: main.sh --input FILE

Read a file and print the result as JSON.

exit codes: 0 success, 1 the file cannot be read, 2 usage error
TEXT
}

input=
while [[ $# -gt 0 ]]; do
  case $1 in
    --input) input=${2:-}; shift; shift || true ;;
    --help|-h) usage; exit 0 ;;
    *) echo "unknown argument: $1" >&2; usage >&2; exit 2 ;;
  esac
done
if [[ -z $input ]]; then
  usage >&2
  exit 2
fi
if [[ ! -r $input ]]; then
  echo "cannot read $input" >&2
  exit 1
fi
printf '{"bytes": %d}\n' "$(wc -c < "$input")"
