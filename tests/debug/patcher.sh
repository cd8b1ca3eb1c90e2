#!/bin/sh
# patcher.sh - the debugger's commands on a guest of a page (patcher.S), with
# each existing build of the emulator.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
failed=0
"${CROSS:-riscv64-unknown-elf-}gcc" -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax \
    -nostdlib -g -Ttext=0x80000000 -o "$dir/patcher.elf" tests/debug/patcher.S
for kind in . asan stress; do
    [ -x "$build/$kind/rvftrace" ] || continue
    tests/debug/session tests/debug/patcher.script \
        "$build/$kind/rvftrace" debug --harts 2 "$dir/patcher.elf" || failed=1
done

# An empty line repeats a step when the lines come from a pipe.
if printf 'tbreak main\nc\nsi\n\n\nquit\n' |
    "$build/rvftrace" debug "$dir/patcher.elf" 2>"$dir/errors" | grep -qF '<main+0x6>'; then
    echo "ok - an empty line repeats a step"
else
    echo "not ok - an empty line repeats a step"
    failed=1
fi
exit $failed
