#!/bin/sh
# back.sh - going back in a run of the guest kernel: at each instruction the registers are those that
# the run had there, whichever way the session came; what is printed is printed once; and the run
# goes on to the same report as without going back. SUITE=all: also where stores are seen late.
. "$(dirname "$0")/common.inc"

echo continue >"$work/plain"
cat >"$work/back" <<'C'
break schedule hart 0
continue
continue
reverse-stepi 200
stepi 100
reverse-continue
delete
watch ftrace_call
continue
continue
checkpoint
continue
reverse-continue
reverse-stepi
goto 100000
watch-patch ftrace_* stores
continue
continue
reverse-continue
restart 1
watch-patch off
delete
continue
reverse-stepi 5
goto 3000000
continue
restart 1
reverse-stepi 100
continue
C

debug() { # HARTS COMMANDS [OPTION]
    try "$rvftrace" debug --harts "$1" ${3:+"$3"} "--stores=$stores" --seed 1 --report "$work/$2.json" --commands "$work/$2" \
        --append "ftrace=function script=\"echo function_graph > $tracing/current_tracer;work tree 1;echo nop > $tracing/current_tracer;poweroff\"" \
        "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$work/$2.out" 2>&1
}

shown='^\[ *[0-9]*\.[0-9]*\] ' # a line of the guest

# The state at each of some instructions, the last time that the session came there.
places='100 2999999 3000000 777777 1999999 2000000 1234567 3500000 400000'
state() { # INSNS
    printf 'goto %s\ninfo machine\nregisters all\npatches 3\n' "$1"
}
{
    state 3600000
    for at in $places; do state "$at"; done
} >"$work/jumps"

# Of a transcript: the answers after "goto INSNS", without marks of changed registers.
answers() { # FILE INSNS
    awk -v at="(rvftrace) goto $2" '/^\(rvftrace\) goto /{on = $0 == at; next} on' "$1" | tr '*' ' '
}

ways='prompt,1 prompt,2'
[ "${SUITE:-}" != all ] || ways="$ways delayed,1 delayed,2 random:3,1 random:3,2"
for way in $ways; do
    harts=${way#*,} stores=${way%,*}
    about="--stores $stores: "
    debug $harts plain
    claim "the run on $harts harts comes to its end" has_status 0 and has_line 'has ended with status 0' "$work/plain.out"
    debug $harts back
    claim "going back changes nothing of the run on $harts harts" \
        has_status 0 and cmp "$work/plain.json" "$work/back.json"
    grep "$shown" "$work/plain.out" >"$work/plain.shown"
    grep "$shown" "$work/back.out" >"$work/back.shown"
    claim "output is shown once on $harts harts" diff "$work/plain.shown" "$work/back.shown"
    debug $harts jumps --console=none
    for at in $places; do
        state "$at" >"$work/once"
        debug $harts once --console=none
        answers "$work/once.out" "$at" >"$work/expected"
        answers "$work/jumps.out" "$at" >"$work/found"
        claim "instruction $at has the same state after jumps on $harts harts" \
            has_status 0 and test "$(wc -l <"$work/expected")" -gt 50 and diff "$work/expected" "$work/found"
    done
done
finish
