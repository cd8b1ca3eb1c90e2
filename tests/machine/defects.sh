#!/bin/sh
# defects.sh - guest/defects: programs that showed what was wrong with the machine, each named like
# its test. Bare metal, in M-mode from the first instruction; they end through the test finisher.
. "$(dirname "$0")/common.inc"

defects=$programs/defects

# e2: old bytes of a function were remembered only as long as its block was decoded, and a write to
# a PMP register drops all blocks.
for mode in stale coherent; do
    run run --quiet --fetch $mode "$defects/e2.elf"
    cp "$err" "$work/without" && without=$status
    run run --quiet --fetch $mode "$defects/e2-pmpw.elf"
    claim "e2: a PMP write changes neither what is fetched, $mode," test "$status" -eq "$without"
    claim '... nor the rule of the finding' test "$(rules)" = "$(rules "$work/without")" -a -n "$(rules)"
done
run run --quiet --fetch stale "$defects/e2-pmpw.elf"
claim 'e2: after a PMP write the old bytes are still executed' has_status 1

# e3b: a block linked while a page table entry changed led to the other page after sfence.vma.
for mode in stale coherent; do
    run run --quiet --fetch $mode "$defects/e3b.elf"
    claim "e3b: no link between blocks of different physical pages survives sfence.vma, $mode" has_status 1
done
finish
