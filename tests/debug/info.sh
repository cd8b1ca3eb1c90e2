#!/bin/sh
# info.sh - what the debugger shows of harts, tasks, devices and page tables; displays; completion;
# help; files of commands.
. "$(dirname "$0")/common.inc"
kernel=$BUILD/guest-kernel/mcount/kernel.elf

session tests/debug/info.script "$rvftrace" debug --harts 2 --console none --append 'script="work calls 3"' "$kernel"

printf 'echo first\\n\nsource %s\necho last\\n\n' "$work/inner" >"$work/outer"
printf '# nothing\nprint 6 * 7\n\nnonsense\nprint 1\n' >"$work/inner"
try "$rvftrace" debug --console none -x "$work/outer" "$kernel" </dev/null >"$out" 2>&1
sed -n '/^first/,$p' "$out" | grep -v '^(rvftrace) ' >"$work/all"
printf '%s\n' first '$1 = 42' '`nonsense` is not a command; `help` lists the commands' last >"$work/expected"
claim 'source runs the commands of a file up to the first that fails' has_status 0 and diff "$work/expected" "$work/all"
finish
