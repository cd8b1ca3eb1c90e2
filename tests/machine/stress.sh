#!/bin/sh
# stress.sh - tiny caches, slices of an instruction or two, and the sanitizers: the guest sees no difference.
. "$(dirname "$0")/common.inc"

demo=$(sed -e '/^ *#/d' -e '/^ *$/d' guest-kernel/scripts/demo.txt | paste -sd ';')

# boot NAME PROGRAM OPTIONS...
boot() {
    name=$1 rvftrace=$2
    shift 2
    LIMIT=300 run run --append "script=\"$demo\"" --report "$work/$name.json" "$@" "$mcount"
    cp "$out" "$work/$name"
    rvftrace=$BUILD/rvftrace
}
instructions() { grep '"instructions"' "$work/$1.json"; }

boot release "$BUILD/rvftrace" --audit fail
claim 'the demonstration runs' has_status 0
for kind in stress asan; do
    boot $kind "$BUILD/$kind/rvftrace" --audit fail
    claim "the $kind build runs it, too" has_status 0
    claim '... with the same console' cmp "$work/release" "$work/$kind"
    claim '... in as many instructions and cycles' cmp "$work/release.json" "$work/$kind.json"
    for build in "$BUILD" "$BUILD/$kind"; do
        rvftrace=$build/rvftrace
        run run --quiet --append "script=\"echo 'tree_* k*' > /sys/kernel/tracing/set_ftrace_filter;
            echo function_graph > /sys/kernel/tracing/current_tracer; work tree 1\"" \
            --trace "$work/calls$((of = 1 - ${of:-1}))" "$mcount"
    done
    rvftrace=$BUILD/rvftrace
    claim '... and sees the same calls' cmp "$work/calls0" "$work/calls1"
done

# With several harts the slices of the stress build give another interleaving.
results() { sed -n 's/^\(work .*\) cycles=.*/\1/p' "$work/$1"; }
same_results() { [ -n "$(results release)" ] && [ "$(results release)" = "$(results "$1")" ]; }
for harts in 2 4; do
    [ $harts = 2 ] && mode=stale || mode=random:$harts
    boot stress "$BUILD/stress/rvftrace" --audit fail --harts $harts --fetch $mode
    claim "the stress build finds nothing on $harts harts, $mode" has_status 0
    claim '... and the work has the same results' same_results stress
    boot asan "$BUILD/asan/rvftrace" --audit fail --harts $harts
    claim "the sanitizers find nothing on $harts harts" has_status 0
done
boot stress "$BUILD/stress/rvftrace" --audit warn --harts 2
mcount=$BUILD/guest-kernel/mcount-no-remote-fence/kernel.elf
boot stress "$BUILD/stress/rvftrace" --audit fail --harts 2 --quiet
claim 'the stress build finds a missing remote fence' \
    has_status 80 and test "$(rules)" = missing-remote-fence
mcount=$BUILD/guest-kernel/mcount-no-local-fence/kernel.elf
boot stress "$BUILD/stress/rvftrace" --audit fail --quiet
claim 'the stress build finds a missing local fence' \
    has_status 80 and test "$(rules)" = missing-local-fence

# Harts that are interrupted all the time keep their registers, here and on QEMU.
storm=$programs/hostile/storm.elf
timeout 300 qemu-system-riscv64 -machine virt -bios none -smp 8 -display none -monitor none -serial none -kernel "$storm"
status=$?
claim 'on QEMU the program of the storm ends well' has_status 0
storm() { # BUILD HARTS OPTIONS...
    rvftrace=$1/rvftrace
    shift
    run run --quiet --firmware none --max-insns 100M --report "$work/storm.json" --harts "$@" "$storm"
    rvftrace=$BUILD/rvftrace
}
storm "$BUILD" 64
claim 'interrupts without end, 64 harts' has_status 0
cp "$work/storm.json" "$work/storm64.json"
storm "$BUILD" 64
claim '... are the same each time' has_status 0 and cmp "$work/storm.json" "$work/storm64.json"
for options in '8 --timing c906' '8 --stores delayed' '8 --stores random:2 --translate random:3 --fetch random:4' '8 --log '"$work/log"; do
    # shellcheck disable=SC2086 # words
    storm "$BUILD" $options
    claim "... $options" has_status 0
done
storm "$BUILD" 16
cp "$work/storm.json" "$work/storm16.json"
storm "$BUILD/asan" 16
claim 'the sanitizers find nothing in them, 16 harts' has_status 0 and cmp "$work/storm.json" "$work/storm16.json"
storm "$BUILD/stress" 16
claim 'nor do slices of an instruction or two lose a register' has_status 0
finish
