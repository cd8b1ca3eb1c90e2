#!/bin/sh
# watch.sh - watchpoints on every kind of access, with each existing build of the
# emulator; and that they do not change the cycles of the run.
. "$(dirname "$0")/common.inc"

compile "$work/watch.elf" -march=rv64gc_zihintpause -mabi=lp64d tests/debug/watch.S
in_each_build tests/debug/watch.script --harts 2 "$work/watch.elf"

# The machine's clocks at the end, after the commands of a file.
clocks() {
    { cat "$1"; printf 'continue\ninfo machine\n'; } >"$work/commands"
    try "$rvftrace" debug --harts 2 --seed "$2" --timing inorder --commands "$work/commands" \
        "$work/watch.elf" </dev/null >"$out" 2>"$err"
    sed -n '/has ended/,$p' "$out" | grep instructions
}

sed -n 's/^> //p' tests/debug/watch.script | grep -v '^set\|^cont$\|^quit' >"$work/watched"
: >"$work/plain"
for seed in 1 2 3; do
    clocks "$work/plain" $seed >"$work/plain.clocks"
    clocks "$work/watched" $seed >"$work/watched.clocks"
    claim "watchpoints change no cycle, seed $seed" has_status 0 and test -s "$work/plain.clocks" \
        and diff "$work/plain.clocks" "$work/watched.clocks"
done
finish
