#!/bin/sh
# qemu-boots.sh - every layout boots on QEMU and computes the same on any number of harts: `make test' has one layout on
# 1, 2, 4 and 8 harts and the others on 2, SUITE=all has all.
. "$(dirname "$0")/lib.sh"

same_results() { [ "$(sort -u "$work"/results.* | wc -l)" -eq 4 ]; }

for layout in none static $dynamic_layouts; do
    [ "${SUITE:-}" = all ] || [ "$layout" = mcount ] && several='1 2 4 8' || several=2
    for harts in $several; do
        run_guest $layout $harts 'work calls 4; work tree 4; work sort 4; work threads 4'
        claim_line "$layout brings up $harts harts" \
            "^\[.*\] smp: Brought up $harts of $harts harts$" "$out"
        claim "$layout finishes its work on $harts harts" \
            test "$(grep -c '^work .*: n=4 ' "$out")" -eq 4
        sed -n 's/ cycles=.*//; /^work /p' "$out" >"$work/results.$layout.$harts"
    done
done
claim 'results and calls are the same in every layout and on any number of harts' same_results

BOOTARGS=nosmp
run_guest mcount 4 'ps'
claim_line 'nosmp leaves one hart' '^\[.*\] smp: Brought up 1 of 1 harts$' "$out"
BOOTARGS=maxcpus=3
run_guest mcount 4 'ps'
claim_line 'maxcpus=3 leaves three' '^\[.*\] smp: Brought up 3 of 3 harts$' "$out"
BOOTARGS=

run_guest mcount 2 'echo c > /proc/sysrq-trigger; echo alive'
claim_line 'a panic names the reason and the way there' \
    'Kernel panic - not syncing: sysrq triggered crash' "$out"
claim_line 'a panic shows the callers by name' '\] sysrq_write\+0x' "$out"
claim_no_line 'nothing runs after a panic' '^alive' "$out"
run_guest none 1 'echo x > /sys/kernel/tracing/current_tracer'
claim_line 'a kernel without a tracer has no tracefs' \
    '^sh: cannot open /sys/kernel/tracing/current_tracer: No such file or directory$' "$out"
finish
