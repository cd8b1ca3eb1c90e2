#!/bin/sh
# info.sh - what the debugger shows of harts, tasks, devices and page tables; displays; completion;
# help; files of commands.
set -eu
build=${BUILD:-build}
kernel=$build/guest-kernel/mcount/kernel.elf
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
failed=0
tests/debug/session tests/debug/info.script "$build/rvftrace" debug --harts 2 --console none \
    --append 'script="work calls 3"' "$kernel" || failed=1

printf 'echo first\\n\nsource %s\necho last\\n\n' "$dir/inner" >"$dir/outer"
printf '# nothing\nprint 6 * 7\n\nnonsense\nprint 1\n' >"$dir/inner"
"$build/rvftrace" debug --console none -x "$dir/outer" "$kernel" </dev/null >"$dir/said" 2>&1
if sed -n '/^first/,$p' "$dir/said" | grep -v '^(rvftrace) ' >"$dir/all" &&
    printf '%s\n' first '$1 = 42' '`nonsense` is not a command; `help` lists the commands' last |
    diff - "$dir/all" >"$dir/diff"; then
    echo 'ok - source runs the commands of a file up to the first that fails'
else
    echo 'not ok - source runs the commands of a file up to the first that fails'
    sed 's/^/# /' "$dir/said" "$dir/diff"
    failed=1
fi
exit $failed
