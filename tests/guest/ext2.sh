#!/bin/sh
# ext2.sh - the guest mounts, reads and changes an ext2 made by mke2fs, judged by e2fsck and debugfs: blocks of 1 KiB on
# rvftrace, blocks of 4 KiB on QEMU.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin

disk=$work_dir/disk root=$work_dir/root
mkdir -p "$root/d"
seq 1 20000 >"$root/d/numbers"
echo hi >"$root/hi"
# Large enough for double indirect blocks of 1 KiB, and for a directory of several blocks.
script='mount -t ext2 /dev/vda /mnt; mount | tail -n 1; cat /mnt/hi; wc -l /mnt/d/numbers; mkdir /mnt/new;
    for i in 1 2 3 4; do cat /mnt/d/numbers; done > /mnt/new/long; cp /mnt/d/numbers /mnt/new/copy;
    echo one > /mnt/new/one; echo two >> /mnt/new/one; mv /mnt/new/one /mnt/two; rm /mnt/hi; mkdir /mnt/gone;
    rmdir /mnt/gone; mv /mnt/d /mnt/new/d; for i in $(seq 1 90); do echo $i > /mnt/new/file-$i; done;
    rm /mnt/new/file-1*; echo x > /mnt/new/short; echo cut > /mnt/new/d/numbers; rmdir /mnt/new; cat /dev/zero > /mnt/full;
    ls -l /mnt/full; rm /mnt/full; echo 3 > /proc/sys/vm/drop_caches; wc -l /mnt/new/copy /mnt/new/long;
    mount -t ext2 /dev/zero /proc; umount /mnt; echo umount $?; mount -r -t ext2 /dev/vda /mnt; cat /mnt/two;
    echo x > /mnt/two; ls /mnt/new | wc -l; umount /mnt; echo the end'

make_disk() {
    rm -f "$disk"
    mke2fs -q -t ext2 -b "$1" -d "$root" "$disk" 3M >/dev/null 2>&1
}
# What the file system holds of a path.
stored() { debugfs -R "cat $1" "$disk" 2>/dev/null; }
holds() { stored "$1" | cmp - "$2"; }

judge() {
    check "$1: the script ends" console_has 'the end'
    check "$1: it is mounted" console_has '/dev/vda on /mnt type ext2 \(rw,relatime\)'
    check "$1: what the host stored is read" console_has '20000 /mnt/d/numbers'
    check "$1: what was written is read again from the device" console_has '80000 /mnt/new/long'
    check "$1: a directory with names is not removed" console_has '.*rmdir: /mnt/new: Directory not empty'
    check "$1: a full device is an error" console_has '.*No space left on device'
    check "$1: a character device is not mounted" console_has '.*Block device required.*'
    check "$1: it is unmounted" console_has 'umount 0'
    check "$1: mounted read-only it is not changed" console_has '.*Read-only file system'
    check "$1: the directory has the names that are left" console_has 83
    check "$1: e2fsck finds nothing wrong" e2fsck -fn "$disk"
    check "$1: debugfs reads the copy" holds new/copy "$root/d/numbers"
    check "$1: and the long file" holds new/long "$work_dir/long"
    check "$1: a file that was cut" test "$(stored new/d/numbers)" = cut
    check "$1: a file that was appended to and moved" test "$(stored two | tr '\n' ' ')" = 'one two '
    check "$1: what was removed is gone" test -z "$(stored hi)$(stored full)"
}

for i in 1 2 3 4; do cat "$root/d/numbers"; done >"$work_dir/long"
make_disk 1024
run_on_rvftrace mcount 2 "$script" --drive "$disk"
judge rvftrace
check "rvftrace: the audit finds nothing" test $status -eq 0

make_disk 4096
run_guest atomic 2 "$script" -drive "file=$disk,if=none,id=d,format=raw" -device virtio-blk-device,drive=d
judge QEMU

finish
