#!/bin/sh
# Continues the conversation CHAT of history.py: chat.sh CHAT PROMPT
history="python3 testdata/hooks/history.py $1"
shift
exec skills run --hook before-run="$history" --hook after-run="$history" "$@"
