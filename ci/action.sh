#!/usr/bin/env bash
# Run by action.yml: builds the program from the action's own checkout, checks
# the skills with it, and writes the step's outputs and the job summary.
#
# Settings are passed as variables and stay data: nothing is evaluated or globbed.
#   SKILLS_SOURCE   the action's checkout
#   SKILLS_PATH     what to check, one path a line
#   SKILLS_ARGS     further arguments, separated by white space
#   SKILLS_FORMAT   format of the log
#   SKILLS_SARIF    SARIF file to write, or nothing
#   SKILLS_SUMMARY  false disables the summary
#   SKILLS_BINARY   a program to use instead of building one, or nothing
set -euo pipefail

work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/skills-action.XXXXXX")
trap 'rm -rf "$work"' EXIT

skills=${SKILLS_BINARY:-}
if [ -z "$skills" ]; then
  skills=$work/skills$(go env GOEXE)
  # The environment of the checked repository must not affect this build.
  CGO_ENABLED=0 GOFLAGS='' GOWORK=off go -C "$SKILLS_SOURCE" build -trimpath -buildvcs=false -o "$skills" .
fi

# The bash of macOS treats an empty array as unset, so no array is ever empty.
command=("$skills" validate "--format=${SKILLS_FORMAT:-github}" "--format=markdown=$work/summary.md")
if [ -n "${SKILLS_SARIF:-}" ]; then
  command+=("--format=sarif=$SKILLS_SARIF")
fi
while read -r -a words; do
  for word in ${words[@]+"${words[@]}"}; do
    command+=("${word%$'\r'}")
  done
done <<<"${SKILLS_ARGS:-}"
command+=(--)
paths=0
while read -r path; do
  path=${path%$'\r'}
  if [ -n "$path" ]; then
    command+=("$path")
    paths=$((paths + 1))
  fi
done <<<"${SKILLS_PATH:-}"
if [ "$paths" -eq 0 ]; then
  command+=(.)
fi

# In the github format every line is escaped. In others, a skill's text at the
# start of a line could be taken for a workflow command.
token=
if [ "${SKILLS_FORMAT:-github}" != github ] && [ -n "${GITHUB_ACTIONS:-}" ]; then
  token=skills-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
fi
code=0
"${command[@]}" || code=$?
if [ -n "$token" ]; then
  echo "::$token::"
fi

if [ "${SKILLS_SUMMARY:-true}" != false ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -s "$work/summary.md" ]; then
  # GitHub refuses summaries of more than a mebibyte.
  head -c 1000000 "$work/summary.md" >>"$GITHUB_STEP_SUMMARY"
  if [ "$(wc -c <"$work/summary.md")" -gt 1000000 ]; then
    printf '\n\nThe rest is omitted: the summary would be too long.\n' >>"$GITHUB_STEP_SUMMARY"
  fi
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "exit-code=$code" >>"$GITHUB_OUTPUT"
  if [ -n "${SKILLS_SARIF:-}" ] && [ -s "$SKILLS_SARIF" ]; then
    # The step that uploads it runs in another folder, and Windows paths differ
    # from those of its bash.
    sarif=$SKILLS_SARIF
    case $sarif in
      /* | [A-Za-z]:[/\\]*) ;;
      *) sarif=$(pwd -W 2>/dev/null || pwd)/$sarif ;;
    esac
    # A name with a line break would set further outputs.
    printf 'sarif=%s\n' "${sarif//[$'\r\n']/}" >>"$GITHUB_OUTPUT"
  fi
fi
exit "$code"
