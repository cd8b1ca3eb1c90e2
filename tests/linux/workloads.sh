#!/bin/sh
# workloads.sh - makes an initramfs for any riscv64 Linux that runs workloads, each in a region of interest of its own.
#
# The result: workloads.cpio in the cache directory, which is made again when what it is made of has changed. It has busybox,
# hackbench, perl and sqlite3 of Debian 13, and mark and sysbench of guest/user (`make initrd' builds them). Its /init is
# workloads-init; docs/pair.md says what each workload is for.
#
# Environment: LINUX_CACHE (.cache/linux), DEBIAN_MIRROR, PROGRAMS (build/guest-kernel/user/bin). Exit status: 0 it exists,
# 1 a step failed (its log is named), 69 a package cannot be fetched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${LINUX_CACHE:-$here/../../.cache/linux}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
programs=${PROGRAMS:-$here/../../build/guest-kernel/user/bin}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
log=$cache/workloads.log who=workloads

# shellcheck source=tests/linux/fetch.inc
. "$here/fetch.inc"

is_complete() {
    [ -e "$cache/workloads.cpio" ] && [ -z "$(find "$here/workloads-init" "$here/workloads.sql" "$programs/mark" \
        "$programs/sysbench" -newer "$cache/workloads.cpio")" ]
}

is_complete && exit 0
: >"$log"
say 'making the initramfs'
[ -e "$cache/busybox" ] || LINUX_CACHE=$cache sh "$here/guests.sh" busybox
read_lists
root=$cache/workloads
rm -rf "$root"
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp"
install -m 755 "$cache/busybox" "$programs/mark" "$programs/sysbench" "$root/bin"
install -m 755 "$here/workloads-init" "$root/init"
install -m 644 "$here/workloads.sql" "$root/workloads.sql"
add_programs "$root" rt-tests hackbench
add_programs "$root" perl-base perl
add_programs "$root" sqlite3 sqlite3
archive "$root" "$cache/workloads.cpio" .
rm -rf "$root"
