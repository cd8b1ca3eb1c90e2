#!/bin/sh
# watch.sh - watchpoints on every kind of access, with each existing build of the
# emulator; and that they do not change the cycles of the run.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
failed=0
"${CROSS:-riscv64-unknown-elf-}gcc" -march=rv64gc_zihintpause -mabi=lp64d -nostdlib -g -Ttext=0x80000000 \
    -o "$dir/watch.elf" tests/debug/watch.S
for kind in . asan stress; do
    [ -x "$build/$kind/rvftrace" ] || continue
    tests/debug/session tests/debug/watch.script \
        "$build/$kind/rvftrace" debug --harts 2 "$dir/watch.elf" || failed=1
done

# The machine's clocks at the end, after the commands of a file.
clocks() {
    { cat "$1"; printf 'continue\ninfo machine\n'; } >"$dir/commands"
    "$build/rvftrace" debug --harts 2 --seed "$2" --timing inorder --commands "$dir/commands" \
        "$dir/watch.elf" 2>/dev/null | sed -n '/has ended/,$p' | grep instructions
}

sed -n 's/^> //p' tests/debug/watch.script | grep -v '^set\|^cont$\|^quit' >"$dir/watched"
: >"$dir/plain"
for seed in 1 2 3; do
    clocks "$dir/plain" $seed >"$dir/plain.clocks"
    clocks "$dir/watched" $seed >"$dir/watched.clocks"
    if [ -s "$dir/plain.clocks" ] && cmp -s "$dir/plain.clocks" "$dir/watched.clocks"; then
        echo "ok - watchpoints change no cycle, seed $seed"
    else
        echo "not ok - watchpoints change no cycle, seed $seed"
        diff "$dir/plain.clocks" "$dir/watched.clocks" | sed 's/^/# /'
        failed=1
    fi
done
exit $failed
