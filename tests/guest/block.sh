#!/bin/sh
# block.sh - a virtio disk is read and written through the block layer and the page cache, on rvftrace (the current
# interface) and on QEMU (the legacy one).
. "$(dirname "$0")/lib.sh"

disk=$work/disk
seq 1 60000 | head -c 262144 >"$disk.before"
script="cat /proc/partitions; ls -l /dev/vda; cat /sys/block/vda/size; dd if=/dev/vda of=/copy bs=4096 count=32;
    dd if=/copy of=/dev/vda bs=4096 seek=32 count=32; sort -n /dev/vda | tail -n 1; echo 3 > /proc/sys/vm/drop_caches;
    cat /sys/block/vda/stat; head -n 2 /dev/vda; cat /sys/block/vda/stat; dd if=/copy of=/dev/vda bs=4096 seek=64 count=1;
    cat /proc/interrupts; echo the end"

stat_of() { grep -E '^ +[0-9]+ +0 [ 0-9]+$' "$out" | sed -n "$1p" | awk "{ print \$$2 }"; }
disk_ok() {
    head -c 131072 "$disk.before" >"$work/half"
    cat "$work/half" "$work/half" | cmp - "$disk"
}

judge() {
    claim "$1: the script ends" has_status 0 and has_line '^the end$' "$out"
    claim_line "$1: the disk is listed" '^ 254        0        256 vda$' "$out"
    claim_line "$1: its special file is a block device" '^(brw-rw-rw-.*/dev/vda|brw-.* 262144 /dev/vda)$' "$out"
    claim_line "$1: its size is in /sys" '^512$' "$out"
    claim "$1: what was written is on the host's file" disk_ok
    claim "$1: sequential reads are merged: fewer requests than pages" test "$(stat_of 1 1)" -lt 32
    claim "$1: written sectors are counted" test "$(stat_of 1 7)" -eq 256
    claim "$1: after drop_caches the device is read again" test "$(stat_of 2 1)" -gt "$(stat_of 1 1)"
    claim_line "$1: beyond the end nothing can be written" 'No space left on device$' "$out"
    claim_line "$1: the interrupt is counted" '^ +[1-8]: +[1-9][0-9]* .*SiFive PLIC +[1-8] Level +virtio-blk$' "$out"
}

cp "$disk.before" "$disk"
run_on_rvftrace mcount 2 "$script" --drive "$disk"
judge rvftrace
claim "rvftrace: the audit finds nothing" test ! -s "$err"

cp "$disk.before" "$disk"
run_guest atomic 2 "$script" -drive "file=$disk,if=none,id=d,format=raw" -device virtio-blk-device,drive=d
judge QEMU

finish
