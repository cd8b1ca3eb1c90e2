#!/bin/sh
# ext2.sh - the guest mounts, reads and changes an ext2 made by mke2fs, judged by e2fsck and debugfs: blocks of 1 KiB on
# rvftrace, blocks of 4 KiB on QEMU; and six tasks at a time on four harts.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin

disk=$work_dir/disk root=$work_dir/root
mkdir -p "$root/d"
seq 1 20000 >"$root/d/numbers"
echo hi >"$root/hi"
ln -s d/numbers "$root/link"
ln -s "d/../d/../d/../d/../d/../d/../d/../d/../d/../d/../d/../d/numbers" "$root/long-link"
# Large enough for double indirect blocks of 1 KiB, and for a directory of several blocks.
changes='mount -t ext2 /dev/vda /mnt; mount | tail -n 1; cat /mnt/hi; wc -l /mnt/d/numbers /mnt/link /mnt/long-link; mkdir /mnt/new;
    for i in 1 2 3 4; do cat /mnt/d/numbers; done > /mnt/new/long; cp /mnt/d/numbers /mnt/new/copy;
    echo one > /mnt/new/one; echo two >> /mnt/new/one; mv /mnt/new/one /mnt/two; rm /mnt/hi; mkdir /mnt/gone;
    rmdir /mnt/gone; ln -s new/copy /mnt/mine; ln /mnt/new/copy /mnt/other; mv /mnt/d /mnt/new/d; for i in $(seq 1 90); do echo $i > /mnt/new/file-$i; done;
    rm /mnt/new/file-1*; echo x > /mnt/new/short; echo cut > /mnt/new/d/numbers; rmdir /mnt/new; cat /dev/zero > /mnt/full;
    ls -l /mnt/full; rm /mnt/full; echo 3 > /proc/sys/vm/drop_caches; wc -l /mnt/mine /mnt/other /mnt/new/long; ls -l /mnt/mine;
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
    check "$1: a symbolic link is followed" console_has '20000 /mnt/link'
    check "$1: also one with a block of its own" console_has '20000 /mnt/long-link'
    check "$1: what was written is read again from the device" console_has '80000 /mnt/new/long'
    check "$1: a link that was made here, too" console_has '20000 /mnt/mine'
    check "$1: it is stored as a link" console_has 'lrwxrwxrwx  1        8 /mnt/mine -> new/copy'
    check "$1: a file gets a second name" console_has '20000 /mnt/other'
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
run_on_rvftrace mcount 2 "$changes" --drive "$disk"
judge rvftrace
check "rvftrace: the audit finds nothing" test $status -eq 0

# Six tasks create, copy, rename and remove, while the caches are dropped again and again.
together='mount -t ext2 /dev/vda /mnt; for j in 1 2 3 4 5 6; do (mkdir /mnt/j$j; for i in $(seq 1 12); do
    cp /mnt/d/numbers /mnt/j$j/f$i; mv /mnt/j$j/f$i /mnt/g$j; rm /mnt/g$j; echo $i > /mnt/j$j/k$i; done) & done;
    for i in $(seq 1 40); do echo 3 > /proc/sys/vm/drop_caches; usleep 300; done & wait; ls /mnt/j? | grep -c k;
    for j in 1 2 3 4 5 6; do cp /mnt/d/numbers /mnt/j$j/last & done; wait; umount /mnt; echo umount $?'
make_disk 1024
run_on_rvftrace callops 4 "$together" --drive "$disk"
check "four harts: all names are there" console_has 72
check "four harts: it is unmounted" console_has 'umount 0'
check "four harts: e2fsck finds nothing wrong" e2fsck -fn "$disk"
check "four harts: and a copy is whole" holds j6/last "$root/d/numbers"
check "four harts: the audit finds nothing" test $status -eq 0

make_disk 4096
run_guest atomic 2 "$changes" -drive "file=$disk,if=none,id=d,format=raw" -device virtio-blk-device,drive=d
judge QEMU

finish
