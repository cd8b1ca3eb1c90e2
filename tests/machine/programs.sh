#!/bin/sh
# programs.sh - the bare-metal programs print the same on QEMU and on rvftrace.
. "$(dirname "$0")/common.inc"

# Both on two harts, with the same input; statuses and consoles are equal.
same_as_qemu() {
    printf 'abc\n' >"$work/input"
    run run --quiet --harts 2 --input "$work/input" "$@" "$programs/$name.elf"
    ours=$status
    on_qemu "$work/qemu" "$programs/$name.elf" -smp 2 <"$work/input"
    [ "$ours" -eq "$status" ] && cmp "$work/qemu" "$out"
}

for name in hello fail timer ipi lrsc sv39 plic-uart uart-thre bits selfpatch-fence freshcode-fence \
    crosspatch-fence; do
    claim "$name has the same console and status on QEMU" same_as_qemu
    claim "$name has no findings" says_nothing
done
for name in selfpatch freshcode crosspatch; do
    claim "$name, without its fence, is on QEMU as with --fetch=coherent" \
        same_as_qemu --fetch coherent
done

# The fetch of an aligned instruction is atomic here. In QEMU 7.2 it is so only if one thread runs all
# harts: with a thread for each, the translator reads the two halves of an instruction one after
# the other, and another hart's store may come between them.
for mode in stale coherent random:1; do
    run run --quiet --harts 2 --fetch $mode "$programs/tornword.elf"
    claim "no hart runs half of a new instruction with half of the old one, --fetch=$mode" \
        console_is 'skipped 0\n'
done
on_qemu "$out" "$programs/tornword.elf" -smp 2 -accel tcg,thread=single
claim '... nor on QEMU with one thread' console_is 'skipped 0\n'
on_qemu "$out" "$programs/tornword.elf" -smp 2 -accel tcg,thread=multi
echo "# on QEMU with two threads: $(cat "$out") of 1000000 calls"

# virtio-disk: QEMU's disk in its first slot, without legacy registers.
head -c 511 /dev/zero | tr '\0' x >"$work/disk"
echo >>"$work/disk"
run run --quiet --drive "$work/disk,readonly" "$programs/virtio-disk.elf"
claim 'a driver that asks for nothing of the upper half of the features reads its disk' \
    cmp "$work/disk" "$out"
on_qemu "$work/qemu" "$programs/virtio-disk.elf" -global virtio-mmio.force-legacy=false \
    -drive "file=$work/disk,if=none,format=raw,id=d,readonly=on" \
    -device virtio-blk-device,drive=d,bus=virtio-mmio-bus.0
claim '... and on QEMU' cmp "$work/disk" "$work/qemu"

for seed in 1 2 3 4 5 6 7 8; do
    run run --quiet --harts 2 --seed $seed "$programs/lrsc.elf"
    claim "two harts lose no increment, seed $seed" \
        console_is 'lr/sc 4000\namoadd 4000\n'
done
for seed in 1 2 3 4 5 6 7 8; do
    run run --quiet --harts 2 --seed $seed "$programs/wrs.elf"
    claim "a hart that waits on its reservation is woken by the store, seed $seed" \
        console_is 'turns 1000\n'
    claim "and by nothing else, seed $seed" has_status 0
done
run run --quiet --harts 8 "$programs/ipi.elf"
claim 'harts that sleep do not disturb those that work' has_status 0
run run --quiet --timing unit "$programs/timer.elf"
claim 'a timer interrupt is not early when all instructions take one cycle' has_status 0
finish
