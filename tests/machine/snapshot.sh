#!/bin/sh
# snapshot.sh - a run that continues from a snapshot is the same as the uninterrupted run.
#
#   SEEDS=N     number of seeds for each number of harts (1)
#   SUITE=all   each number of harts with each fetch mode; otherwise a third of these pairs
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work tree 2; echo function_graph > $T/current_tracer;
work threads 2; head -n 30 $T/trace; echo nop > $T/current_tracer; work tree 2"
script=$(echo "$script" | tr '\n' ' ')
M=/lib/modules
module="insmod $M/trace_sample.ko depth=3; echo function > $T/current_tracer; cat /proc/trace_sample;
rmmod trace_sample; work calls 1; insmod $M/trace_sample.ko depth=2; cat /proc/trace_sample"
module=$(echo "$module" | tr '\n' ' ')
check=$BUILD/tests/machine/snapshot_check
kernels=$BUILD/guest-kernel

# continued LAYOUT OPTIONS...: see snapshot_check.c. Its figures are shown.
continued() {
    layout=$1
    shift
    checked "$@" "$kernels/$layout/kernel.elf"
}
checked() {
    try "$check" "$@" >"$out" 2>&1
    grep '^#' "$out"
    [ "$status" -eq 0 ] || cat "$out"
    return $status
}

for seed in $(seq "${SEEDS:-1}"); do
    for harts in 1 2 4 8; do
        for fetch in stale coherent random; do
            case ${SUITE:-}$harts-$fetch in
            all* | 1-stale | 2-random | 4-stale | 8-coherent) ;;
            *) continue ;;
            esac
            # Some are also written to files, from which another machine goes on.
            case $harts-$fetch in
            1-stale | 4-stale | 2-random) files="-w $work/file" ;;
            *) files= ;;
            esac
            # shellcheck disable=SC2086 # none or two words
            claim "$harts harts, --fetch $fetch, seed $seed: tracers switched, calls traced" \
                continued mcount $files -h $harts -f $fetch -s $seed -n 4 -t -a "script=\"$script\""
        done
    done
    claim "sites of one store each, seed $seed" \
        continued callops -w "$work/file" -h 3 -s $seed -n 4 -a "script=\"$script\""
    claim "fences that are missing, so that there are findings, seed $seed" \
        continued atomic-no-remote-fence -w "$work/file" -h 4 -s $seed -n 4 -a "script=\"$script\""
    claim "sites that come and go with a module, seed $seed" \
        continued mcount -w "$work/file" -h 2 -s $seed -n 6 -r "$kernels/mcount/modules.cpio" -a "script=\"$module\""
    claim "a model of a core, seed $seed" \
        continued mcount -w "$work/file" -c cores/c906.core -h 2 -s $seed -n 4 -a "script=\"work tree 2\""
    # These take twenty times as long, so they have less to do.
    for stores in delayed random; do
        claim "data that harts see late, $stores, seed $seed" \
            continued pfe8 -w "$work/file" -h 2 -o $stores -s $seed -n 2 -a 'script="work calls 1"'
    done
    claim "programs with vector registers, and the audit's copies of them, seed $seed" \
        continued pfe8 -h 2 -s $seed -n 3 -t -r "$kernels/initrd.cpio" -a "script=\"echo function_graph > $T/current_tracer; vectest\""
    claim "in the middle of loops of vectors, seed $seed" checked -w "$work/file" -s $seed -n 8 "$programs/vectors.elf"
    claim "256 MiB, seed $seed" continued mcount -h 2 -m 256 -s $seed -n 4 -a "script=\"$script\""
    claim "bytes typed after a snapshot come again, seed $seed" \
        continued mcount -w "$work/file" -h 2 -s $seed -n 8 -i 'echo one two
work tree 2
poweroff
'
    for mode in '' ,snapshot; do
        seq 10000 | head -c 32768 >"$work/disk"
        claim "a disk that is written$mode, seed $seed" \
            checked -w "$work/file" -s $seed -n 12 -d "$work/disk$mode" "$programs/virtio-write.elf"
    done
done
finish
