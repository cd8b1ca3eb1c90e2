#!/bin/sh
# back.sh - going back in a run of the guest kernel: at each instruction the registers are those that
# the run had there, whichever way the session came; what is printed is printed once; and the run
# goes on to the same report as without going back.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
tracing=/sys/kernel/tracing
failed=0
echo continue >"$dir/plain"
cat >"$dir/back" <<'C'
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
    "$build/rvftrace" debug --harts "$1" ${3:+"$3"} --seed 1 --report "$dir/$2.json" --commands "$dir/$2" \
        --append "ftrace=function script=\"echo function_graph > $tracing/current_tracer;work tree 1;echo nop > $tracing/current_tracer;poweroff\"" \
        "$build/guest-kernel/mcount/kernel.elf" </dev/null >"$dir/$2.out" 2>&1 || :
}

claim() { # TEXT COMMAND...
    text=$1
    shift
    if "$@" >"$dir/why"; then
        echo "ok - $text"
    else
        echo "not ok - $text"
        sed 's/^/# /' "$dir/why"
        failed=1
    fi
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
} >"$dir/jumps"

# Of a transcript: the answers after "goto INSNS", without marks of changed registers.
answers() { # FILE INSNS
    awk -v at="(rvftrace) goto $2" '/^\(rvftrace\) goto /{on = $0 == at; next} on' "$1" | tr '*' ' '
}

for harts in 1 2; do
    debug $harts plain
    debug $harts back
    grep -q 'has ended with status 0' "$dir/plain.out" || failed=1
    claim "going back changes nothing of the run on $harts harts" \
        cmp "$dir/plain.json" "$dir/back.json"
    grep "$shown" "$dir/plain.out" >"$dir/plain.shown"
    grep "$shown" "$dir/back.out" >"$dir/back.shown" || :
    claim "output is shown once on $harts harts" diff "$dir/plain.shown" "$dir/back.shown"
    debug $harts jumps --console=none
    for at in $places; do
        state "$at" >"$dir/once"
        debug $harts once --console=none
        answers "$dir/once.out" "$at" >"$dir/expected"
        answers "$dir/jumps.out" "$at" >"$dir/found"
        [ "$(wc -l <"$dir/expected")" -gt 50 ] || failed=1
        claim "instruction $at has the same state after jumps on $harts harts" \
            diff "$dir/expected" "$dir/found"
    done
done
exit $failed
