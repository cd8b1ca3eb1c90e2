#!/bin/sh
# translate.sh - what a hart reads through a changed page table entry without a fence, by --translate.
. "$(dirname "$0")/common.inc"

loads() {
    run run --quiet --translate "$1" "$programs/remap.elf"
    has_status 0 && [ "$(cat "$out")" = "before 1, unfenced $2, fenced 2" ]
}

claim 'an entry that was used is used until sfence.vma when translations are stale' loads stale 1
claim 'the page table is in force at once when they are coherent' loads coherent 2
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    run run --quiet --translate random:$seed "$programs/remap.elf"
    cat "$out"
done >"$work/first"
claim 'either is seen when they are random' \
    test "$(sort -u "$work/first" | paste -sd ';')" = 'before 1, unfenced 1, fenced 2;before 1, unfenced 2, fenced 2'
wait_for_fence=rv64imafdc_zicsr_zifencei_zicntr_sstc_svadu_svinval
claim 'entries that were invalid are kept, too, where the mode says so' \
    sh -c "'$rvftrace' run --quiet --isa $wait_for_fence --translate invalid '$programs/remap.elf' | grep -qx 'before 1, unfenced 1, fenced 2'"

# A kernel that fences as it must is the same in all modes.
T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work threads 1; echo function_graph > $T/current_tracer; work tree 1; echo nop > $T/current_tracer"
for mode in stale random:1 random:2; do
    for harts in 1 4; do
        run run --quiet --harts $harts --translate $mode --audit fail --append "script=\"$script\"" "$mcount"
        claim "the guest kernel on $harts harts has no findings, $mode" has_status 0 && says_nothing
    done
done
run run --quiet --harts 4 --memory 128M --translate stale --audit fail --initrd "$BUILD/guest-kernel/initrd.cpio" \
    --append 'script="/bin/threadtest; /bin/forktest; /bin/memtest"' "$BUILD/guest-kernel/none/kernel.elf"
claim 'threads, forks and mappings of programs have none either' has_status 0
finish
