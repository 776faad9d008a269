#!/bin/sh
# Runs a prompt with the memory of memory.py.
memory='python3 testdata/hooks/memory.py'
exec skills run --hook before-run="$memory" --hook after-run="$memory" "$@"
