#!/bin/sh
# defects.sh - guest/defects: programs that showed defects of the machine, each named like
# its test. Bare metal, in M-mode from the first instruction; they end through the test finisher.
. "$(dirname "$0")/common.inc"

defects=$programs/defects

# patched-function: old bytes of a function were remembered only as long as its block was decoded, and a write to
# a PMP register drops all blocks.
for mode in stale coherent; do
    run run --quiet --fetch $mode "$defects/patched-function.elf"
    cp "$err" "$work/without" && without=$status
    run run --quiet --fetch $mode "$defects/patched-function-pmpw.elf"
    claim "patched-function: a PMP write changes neither what is fetched, $mode," test "$status" -eq "$without"
    claim '... nor the rule of the finding' test "$(rules)" = "$(rules "$work/without")" -a -n "$(rules)"
done
run run --quiet --fetch stale "$defects/patched-function-pmpw.elf"
claim 'patched-function: after a PMP write the old bytes are still executed' has_status 1

# link-across-remap: a block linked while a page table entry changed led to the other page after sfence.vma.
for mode in stale coherent; do
    run run --quiet --fetch $mode "$defects/link-across-remap.elf"
    claim "link-across-remap: no link between blocks of different physical pages survives sfence.vma, $mode" has_status 1
done

# data-beside-code: stores to data in a page with code, which is unchanged.
for mode in stale coherent random:1; do
    run run --quiet --fetch $mode "$defects/data-beside-code.elf"
    claim "data-beside-code: a data store beside code that was never written is no finding, $mode" \
        has_status 0 and test ! -s "$err"
done

# wrong-writer: a finding named the first writer of a page for bytes that a later one had written.
run run --quiet "$defects/wrong-writer.elf"
claim 'wrong-writer: new code without a fence is found' rules_are stale-fetch
claim '... and no writer is named that is not known to be one' has_status 0 and no_line '^  written +by hart [0-9]+ in ' "$err"

# freed-text: init text that was freed stayed code, and each store to the data there took the slow path.
run run --quiet --report "$work/report" "$defects/freed-text.elf"
claim 'freed-text: stores to what was text and is cleared are not stores to code' python3 -c '
import json, sys
assert 0 < json.load(open(sys.argv[1]))["patch_counts"]["others"] < 2000' "$work/report"

# late-start: 161 findings under OpenSBI, which fences at power-on and starts the other harts later.
for mode in stale coherent; do
    run run --quiet --harts 3 --fetch $mode "$defects/late-start.elf"
    claim "late-start: the fences of firmware do not count, and one missing fence is one finding, $mode" \
        test "$(grep -Ec '^(error|warning):' "$err")" -eq 1
    claim_line '... which says so' '^  missing .*; it has executed none since it was started' "$err"
done

# reserved-pte: the MMU sets D in a page table entry that another hart has reserved.
run run --quiet --harts 2 "$defects/reserved-pte.elf"
claim "reserved-pte: an update of A or D breaks another hart's reservation" has_status 7

# patch-all-memory: a program that patches all of memory as code.
peak() { # kilobytes of host memory, for a number of instructions
    python3 -c "import os, resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
assert status == 75, status
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)" \
        "$rvftrace" run --quiet --audit off --max-insns "$1" "$defects/patch-all-memory.elf"
}
# Six instructions for four bytes: from 1 to 13 million, 8 MiB of the guest's memory are patched.
before=$(peak 1M) && after=$(peak 13M) && grown=$((after - before)) || grown=999999
claim "patch-all-memory: the code map takes less than seven times the memory that is patched ($grown KiB for 8 MiB)" \
    test "$grown" -lt 57344
finish
