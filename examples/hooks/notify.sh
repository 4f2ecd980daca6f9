#!/bin/sh
# postGeneration: tells the desktop that the answer is there.
cat >/dev/null
title=${MM_AGENT:-mm}
text="has answered in $MM_CWD"
if command -v notify-send >/dev/null; then
    notify-send -- "$title" "$text"
elif command -v osascript >/dev/null; then
    osascript -e 'on run words' \
        -e 'display notification (item 2 of words) with title (item 1 of words)' -e 'end run' "$title" "$text"
fi
