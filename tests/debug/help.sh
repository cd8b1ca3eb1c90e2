#!/bin/sh
# help.sh - docs/debugger.md has exactly the output of `help`.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
"${CROSS:-riscv64-unknown-elf-}gcc" -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax \
    -nostdlib -g -Ttext=0x80000000 -o "$dir/patcher.elf" tests/debug/patcher.S
echo help | "$build/rvftrace" debug "$dir/patcher.elf" 2>/dev/null |
    sed '1,/^(rvftrace) help$/d' >"$dir/help"
sed '1,/^<!-- the output of/d' docs/debugger.md | awk '/^```/ { if (++n == 2) exit; next } n' >"$dir/doc"
if [ -s "$dir/help" ] && diff "$dir/doc" "$dir/help" >"$dir/diff"; then
    echo "ok - docs/debugger.md has the list that help prints"
else
    echo "not ok - docs/debugger.md has the list that help prints"
    sed 's/^/# /' "$dir/diff"
    exit 1
fi
