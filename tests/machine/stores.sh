#!/bin/sh
# stores.sh - harts that see each other's data late, in the modes of --stores.
. "$(dirname "$0")/common.inc"

# seen: how many messages were late, and how often both harts passed the gate.
seen() { # PROGRAM MODE OPTION...
    program=$1 mode=$2
    shift 2
    run run --quiet --harts 2 --stores "$mode" "$@" "$programs/$program.elf"
    sed -n 's/^\(late data\|both passed\) //p' "$out" | tr '\n' ' '
}
sees_tso() { seen latedata "$1" --isa rv64gc_ztso | grep -q '^0 [1-9]'; }
sees() { [ "$(seen "$@")" = '0 0 ' ]; }
sees_both() { seen latedata "$1" | grep -q '^[1-9][0-9]* [1-9]'; }

claim 'a program without fences sees data in order when stores are prompt' sees latedata prompt
for seed in 1 2 3; do
    claim "it sees old data, and both harts pass the gate, random:$seed" sees_both random:$seed
    seen latedata random:$seed >"$work/first"
    seen latedata random:$seed >"$work/second"
    claim '... the same with the same seed' cmp "$work/first" "$work/second"
done
for seed in 1 2 3; do
    claim "with Ztso it sees no old data, but both harts pass the gate, random:$seed" sees_tso random:$seed
done
for mode in prompt delayed random:1 random:2 random:3 any:1; do
    claim "with fences it sees data in order, $mode" sees latedata-fence $mode
done

# Kernels that have their fences run to their end in all modes, and what they do does not depend on caches.
T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work threads 1; echo function_graph > $T/current_tracer;
work tree 1; echo nop > $T/current_tracer; work calls 1"
script=$(echo "$script" | tr '\n' ' ')
for way in 'pfe8 2 random:1' 'mcount 4 delayed' 'atomic 2 random:2'; do
    # shellcheck disable=SC2086 # three words
    set -- $way
    for build in "$BUILD" "$BUILD/drop"; do
        rvftrace=$build/rvftrace
        LIMIT=300 run run --quiet --harts "$2" --stores "$3" --report "$work/report" --append "script=\"$script\"" \
            "$BUILD/guest-kernel/$1/kernel.elf"
        { cat "$out" "$err" "$work/report"; echo "status $status"; } >"$work/$(basename "$build").all"
    done
    rvftrace=$BUILD/rvftrace
    claim "a kernel with $1 sites on $2 harts comes to its end, $3" has_status 0
    claim '... and has no findings' says_nothing
    claim '... the same without caches' cmp "$work/$(basename "$BUILD").all" "$work/drop.all"
done

# With loads that wait a full buffer is the common case.
LIMIT=300 run run --quiet --stores any:4 --fetch coherent --append "script=\"echo nop > $T/current_tracer\"" \
    "$BUILD/guest-kernel/pfe8/kernel.elf"
claim 'a kernel whose loads wait comes to its end' has_status 0
claim '... and has no findings' says_nothing

run run --timing c906 --stores delayed "$programs/hello.elf"
claim 'core models and late stores exclude each other' refused 64 '--stores .* core models'
finish
