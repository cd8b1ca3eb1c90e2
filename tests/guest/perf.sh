#!/bin/sh
# perf.sh - perf_event_open(2) counts and samples what Linux's does, on rvftrace and on QEMU.
. "$(dirname "$0")/lib.sh"

initrd=$BUILD/guest-kernel/initrd.cpio
claims=$(grep -c '^ *check("' guest/user/perfcheck.c)
hardware=$(sed -n '/^static void test_hardware/,/^}/p' guest/user/perfcheck.c | grep -c '^ *check("')
counters=$(sed -n '/^static void test_counters/,/^}/p' guest/user/perfcheck.c | grep -c '^ *check("')

all_hold() {
    test "$(grep -c '^ok - ' "$out")" -eq "$1" && console_lacks '^not ok' &&
        console_has 'the end' && test ! -s "$work_dir/errors"
}

run_on_rvftrace pfe8 4 'perfcheck; perfcheck hardware; perfcheck counters; perf stat -e syscalls:sys_enter_getpid,r2 sysbench getpid 100; echo the end' --initrd "$initrd"
check 'pfe8, 4 harts, rvftrace: every claim of perfcheck holds' all_hold "$claims"
check 'perf stat counts the calls of a command, and its raw event' \
    test "$(grep -Ec '^ +101 +syscalls:sys_enter_getpid$|^ +[0-9]+ +r2$' "$out")" -eq 2
# shellcheck disable=SC2086
run_guest callops 1 'perfcheck; perfcheck counters; echo the end' -initrd "$initrd" $own_time
check 'callops, 1 hart, QEMU: every claim of perfcheck that needs no Sscofpmf holds' \
    all_hold $((claims - hardware))
run_on_rvftrace mcount 2 'perfcheck hardware; perfcheck counters; echo the end' --initrd "$initrd" \
    --firmware /usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin
check 'mcount, 2 harts, OpenSBI: the claims about counters hold' all_hold $((hardware + counters))
finish
