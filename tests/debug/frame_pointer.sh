#!/bin/sh
# frame_pointer.sh - a function that returns with another frame pointer than it was called with
# makes the kernel panic with the function's name.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# The hook gets a wrong frame pointer when fib returns for the first time.
cat >"$dir/commands" <<'END'
tbreak fib
continue
tbreak ftrace_return_to_handler
continue
set $a0 = 0x1234
continue
END
"$build/rvftrace" debug --console "$dir/console" --commands "$dir/commands" \
    --append 'ftrace=function_graph ftrace_filter=fib script="work calls 1"' \
    "$build/guest-kernel/mcount/kernel.elf" </dev/null >"$dir/transcript" 2>&1 || true

failed=0
check() {
    if grep -Eq -- "$2" "$dir/$3"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/# /' "$dir/console" "$dir/transcript"
        failed=1
    fi
}
check 'the two frame pointers are shown' \
    'Bad frame pointer: expected ffffff[0-9a-f]+, received 1234' console
check 'so is the function, and where it should have gone' \
    '  from func fib return to ffffffff8[0-9a-f]+' console
check 'the kernel panics: it has nowhere to return to' 'Kernel panic - not syncing: ' console
check 'the machine ends with failure' 'ended with status [1-9]' transcript
exit $failed
