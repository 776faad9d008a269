#!/bin/sh
# Denies every script of a skill, and lets all other calls go on.
if grep -q '"tool":"run_skill_script"'; then
  echo 'no scripts in this house' >&2
  exit 2
fi
