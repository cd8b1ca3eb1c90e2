#!/bin/sh
# perf.sh - perf_event_open(2) counts and samples what Linux's does, on rvftrace and on QEMU.
. "$(dirname "$0")/lib.sh"

initrd=$BUILD/guest-kernel/initrd.cpio
claims=$(grep -c '^ *check("' guest/user/perfcheck.c)

all_hold() {
    test "$(grep -c '^ok - ' "$out")" -eq "$claims" && console_lacks '^not ok' &&
        console_has 'the end' && test ! -s "$work_dir/errors"
}

run_on_rvftrace pfe8 4 'perfcheck; echo the end' --initrd "$initrd"
check 'pfe8, 4 harts, rvftrace: every claim of perfcheck holds' all_hold
# shellcheck disable=SC2086
run_guest callops 1 'perfcheck; echo the end' -initrd "$initrd" $own_time
check 'callops, 1 hart, QEMU: every claim of perfcheck holds' all_hold
finish
