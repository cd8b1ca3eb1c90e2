#!/bin/sh
# qemu-boots.sh - every layout boots on QEMU and compute the same on any number of harts.
. "$(dirname "$0")/lib.sh"

same_results() { [ "$(sort -u "$work_dir"/results.* | wc -l)" -eq 4 ]; }

for layout in none static $dynamic_layouts; do
    for harts in 1 2 4 8; do
        run_guest $layout $harts 'work calls 4; work tree 4; work sort 4; work threads 4'
        check "$layout brings up $harts harts" \
            console_has "\[.*\] smp: Brought up $harts of $harts harts"
        check "$layout finishes its work on $harts harts" \
            test "$(grep -c '^work .*: n=4 ' "$out")" -eq 4
        sed -n 's/ cycles=.*//; /^work /p' "$out" >"$work_dir/results.$layout.$harts"
    done
done
check 'results and calls are the same in every layout and on any number of harts' same_results

BOOTARGS=nosmp
run_guest mcount 4 'ps'
check 'nosmp leaves one hart' console_has '\[.*\] smp: Brought up 1 of 1 harts'
BOOTARGS=maxcpus=3
run_guest mcount 4 'ps'
check 'maxcpus=3 leaves three' console_has '\[.*\] smp: Brought up 3 of 3 harts'
BOOTARGS=

run_guest mcount 2 'echo c > /proc/sysrq-trigger; echo alive'
check 'a panic names the reason and the way there' \
    console_has '.*Kernel panic - not syncing: sysrq triggered crash.*'
check 'a panic shows the callers by name' console_has '.*\] sysrq_write\+0x.*'
check 'nothing runs after a panic' console_lacks '^alive'
run_guest none 1 'echo x > /sys/kernel/tracing/current_tracer'
check 'a kernel without a tracer has no tracefs' \
    console_has 'sh: cannot open /sys/kernel/tracing/current_tracer: No such file or directory'
finish
