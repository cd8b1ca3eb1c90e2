#!/bin/sh
# ext2.sh - the guest mounts, reads and changes an ext2 made by mke2fs, judged by e2fsck and debugfs: blocks of 1 KiB on
# rvftrace, blocks of 4 KiB on QEMU; and six tasks at a time on four harts.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin

disk=$work/disk root=$work/root
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
    claim "$1: the script ends" has_status 0 and has_line '^the end$' "$out"
    claim_line "$1: it is mounted" '^/dev/vda on /mnt type ext2 \(rw,relatime\)$' "$out"
    claim_line "$1: what the host stored is read" '^20000 /mnt/d/numbers$' "$out"
    claim_line "$1: a symbolic link is followed" '^20000 /mnt/link$' "$out"
    claim_line "$1: also one with a block of its own" '^20000 /mnt/long-link$' "$out"
    claim_line "$1: what was written is read again from the device" '^80000 /mnt/new/long$' "$out"
    claim_line "$1: a link that was made here, too" '^20000 /mnt/mine$' "$out"
    claim_line "$1: it is stored as a link" '^lrwxrwxrwx  1        8 /mnt/mine -> new/copy$' "$out"
    claim_line "$1: a file gets a second name" '^20000 /mnt/other$' "$out"
    claim_line "$1: a directory with names is not removed" 'rmdir: /mnt/new: Directory not empty$' "$out"
    claim_line "$1: a full device is an error" 'No space left on device$' "$out"
    claim_line "$1: a character device is not mounted" 'Block device required' "$out"
    claim_line "$1: it is unmounted" '^umount 0$' "$out"
    claim_line "$1: mounted read-only it is not changed" 'Read-only file system$' "$out"
    claim_line "$1: the directory has the names that are left" '^83$' "$out"
    claim "$1: e2fsck finds nothing wrong" e2fsck -fn "$disk"
    claim "$1: debugfs reads the copy" holds new/copy "$root/d/numbers"
    claim "$1: and the long file" holds new/long "$work/long"
    claim "$1: a file that was cut" test "$(stored new/d/numbers)" = cut
    claim "$1: a file that was appended to and moved" test "$(stored two | tr '\n' ' ')" = 'one two '
    claim "$1: what was removed is gone" test -z "$(stored hi)$(stored full)"
}

for i in 1 2 3 4; do cat "$root/d/numbers"; done >"$work/long"
make_disk 1024
run_on_rvftrace mcount 2 "$changes" --drive "$disk"
judge rvftrace
claim "rvftrace: the audit finds nothing" test ! -s "$err"

# Six tasks create, copy, rename and remove, while the caches are dropped again and again.
together='mount -t ext2 /dev/vda /mnt; for j in 1 2 3 4 5 6; do (mkdir /mnt/j$j; for i in $(seq 1 12); do
    cp /mnt/d/numbers /mnt/j$j/f$i; mv /mnt/j$j/f$i /mnt/g$j; rm /mnt/g$j; echo $i > /mnt/j$j/k$i; done) & done;
    for i in $(seq 1 40); do echo 3 > /proc/sys/vm/drop_caches; usleep 300; done & wait; ls /mnt/j? | grep -c k;
    for j in 1 2 3 4 5 6; do cp /mnt/d/numbers /mnt/j$j/last & done; wait; umount /mnt; echo umount $?'
make_disk 1024
run_on_rvftrace callops 4 "$together" --drive "$disk"
claim_line "four harts: all names are there" '^72$' "$out"
claim_line "four harts: it is unmounted" '^umount 0$' "$out"
claim "four harts: e2fsck finds nothing wrong" e2fsck -fn "$disk"
claim "four harts: and a copy is whole" holds j6/last "$root/d/numbers"
claim "four harts: the audit finds nothing" has_status 0

make_disk 4096
run_guest atomic 2 "$changes" -drive "file=$disk,if=none,id=d,format=raw" -device virtio-blk-device,drive=d
judge QEMU

finish
