#!/bin/sh
# gdb.sh - gdb with Linux 6.1, its module ext2, and the scripts for gdb that are part of Linux
# (lx-symbols and others); reverse execution. guests.sh makes all of these.
. "$(dirname "$0")/../claims.sh"

cache=${LINUX_CACHE:-.cache/linux}
kernel=$cache/linux-6.1-tracers
# What is typed too early is lost, so there is a line to lose.
{
    echo '# This line is for the time before the shell can read.'
    printf 'insmod /modules/ext2.ko\necho function > /sys/kernel/tracing/current_tracer\npoweroff -f\n'
} >"$work/input"
cat "$cache/initramfs.cpio" "$kernel/modules.cpio" >"$work/initramfs"
sed "s|^> lx-symbols\$|& $kernel/modules|" tests/linux/gdb.script >"$work/script"
claims_of env TIME=300 SCRIPTS="$cache/gdb-scripts/vmlinux-gdb.py" tests/debug/session "$work/script" tests/debug/gdb/client "$kernel/vmlinux" \
    "| tests/debug/gdb/server $work/statuses $BUILD/rvftrace debug --quiet --audit off --harts 2 --memory 512M --gdb - --append console=ttyS0 --input $work/input --initrd $work/initramfs $kernel/Image"
claim "the gdb server ends with status 0" test "$(cat "$work/statuses")" = 0
finish
