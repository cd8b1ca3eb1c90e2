#!/bin/sh
# gdb.sh - gdb with Linux 6.1, its module ext2, and the scripts for gdb that are part of Linux
# (lx-symbols and others); reverse execution. guests.sh makes all of these.
set -eu
build=${BUILD:-build}
cache=${LINUX_CACHE:-.cache/linux}
kernel=$cache/linux-6.1-tracers
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
# What is typed too early is lost, so there is a line to lose.
{
    echo '# This line is for the time before the shell can read.'
    printf 'insmod /modules/ext2.ko\necho function > /sys/kernel/tracing/current_tracer\npoweroff -f\n'
} >"$dir/input"
cat "$cache/initramfs.cpio" "$kernel/modules.cpio" >"$dir/initramfs"
sed "s|^> lx-symbols\$|& $kernel/modules|" tests/linux/gdb.script >"$dir/script"
TIME=300 SCRIPTS=$cache/gdb-scripts/vmlinux-gdb.py tests/debug/session "$dir/script" tests/debug/gdb/client "$kernel/vmlinux" \
    "| $build/rvftrace debug --quiet --audit off --harts 2 --memory 512M --gdb - --append console=ttyS0 --input $dir/input --initrd $dir/initramfs $kernel/Image"
