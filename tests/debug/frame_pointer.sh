#!/bin/sh
# frame_pointer.sh - a function that returns with another frame pointer than it was called with
# makes the kernel panic with the function's name.
. "$(dirname "$0")/common.inc"

# The hook gets a wrong frame pointer when fib returns for the first time.
cat >"$work/commands" <<'END'
tbreak fib
continue
tbreak ftrace_return_to_handler
continue
set $a0 = 0x1234
continue
END
try "$rvftrace" debug --console "$work/console" --commands "$work/commands" \
    --append 'ftrace=function_graph ftrace_filter=fib script="work calls 1"' \
    "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$out" 2>"$err"
claim_line 'the two frame pointers are shown' 'Bad frame pointer: expected ffffff[0-9a-f]+, received 1234' "$work/console"
claim_line 'so is the function, and where it should have gone' \
    '  from func fib return to ffffffff8[0-9a-f]+' "$work/console"
claim_line 'the kernel panics: it has nowhere to return to' 'Kernel panic - not syncing: ' "$work/console"
claim 'the machine ends with failure' has_status 1 and has_line 'ended with status 1' "$out"
finish
