#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# xv6.sh - MIT's xv6-riscv, unmodified, from power-on to its shell and through its own tests.
# There is no package of it: build it elsewhere, and give the files, for example
#
#   XV6_KERNEL=xv6-riscv/kernel/kernel XV6_FS=xv6-riscv/fs.img tests/linux/xv6.sh
#
# It has no fence.i, so its programs run correctly only with coherent caches:
# --fetch coherent. With --fetch stale that is one finding, however often it lacks one. Its idle
# harts poll, so the tests take minutes on three harts. tests/machine/programs.sh has what it
# needs of the devices, one by one.
. "$(dirname "$0")/../machine/common.inc"

talk=$(dirname "$0")/../machine/talk.py
if [ ! -r "${XV6_KERNEL-}" ] || [ ! -r "${XV6_FS-}" ]; then
    skip xv6 "set XV6_KERNEL and XV6_FS to a build's kernel/kernel and fs.img"
    finish
fi

# xv6 HARTS COMMAND ANSWER OPTION...: boots to the shell, types the command, waits for the output ANSWER.
xv6() {
    printf 'wait $ \nsend %s\nwait %s\nwait $ \nkill\n' "$2" "$3" >"$work/talk"
    harts=$1
    shift 3
    try python3 "$talk" "${LIMIT:-3600}" "$rvftrace" run --quiet --firmware none --memory 128M --harts "$harts" \
        --drive "$XV6_FS,snapshot" "$@" "$XV6_KERNEL" <"$work/talk" >"$out" 2>"$err"
}

for harts in 1 3; do
    xv6 "$harts" ls usertests --fetch coherent
    claim "xv6 with $harts harts comes to its shell and lists its disk" has_status 0
    claim '... and every hart runs' test "$(grep -c 'hart .* starting' "$out")" -eq $((harts - 1))
    xv6 "$harts" 'usertests -q' 'ALL TESTS PASSED' --fetch coherent --audit off
    claim "xv6 with $harts harts passes its usertests -q" has_status 0
done

# Translations that stay, and stores that come late, change nothing, and are no finding; its fetches are, in all modes. It
# relies on A and D that the hardware sets (Svadu).
printf 'wait $ \nsend forktest\n' >"$work/talk"
for mode in '--translate invalid --isa rv64gc_zicntr_svadu' '--translate random:1' '--stores delayed' '--stores random:1'; do
    # shellcheck disable=SC2086 # several words
    try python3 "$talk" "${LIMIT:-3600}" "$rvftrace" run --quiet --firmware none --memory 128M --harts 2 --fetch coherent \
        $mode --drive "$XV6_FS,snapshot" --max-insns 3G "$XV6_KERNEL" <"$work/talk" >"$out" 2>"$err"
    claim "xv6 with 2 harts and $mode forks until there is no more" has_status 75 and has_line '^fork test OK' "$out" \
        and rules_are stale-fetch
done

# By the ISA it may run what was in a page before: it fails, or not, and what it lacks is said once.
lacks_one_fence() {
    [ "$(grep -Ec '^(error|warning|note): [a-z-]*: ' "$err")" -eq 1 ] && rules_are stale-fetch &&
        has_line '^  missing .* it has executed none so far$' "$err" && has_line '^  times +[0-9,]+, on hart 0' "$err" &&
        has_line '^  remedy ' "$err"
}
for harts in 1 3; do
    printf 'wait $ \nsend usertests -q\n' >"$work/talk"
    try python3 "$talk" "${LIMIT:-3600}" "$rvftrace" run --quiet --firmware none --memory 128M --harts "$harts" \
        --drive "$XV6_FS,snapshot" --fetch stale --max-insns 5G "$XV6_KERNEL" <"$work/talk" >"$out" 2>"$err"
    claim "xv6 with $harts harts and --fetch stale has one finding, with its remedy" lacks_one_fence
done
finish
