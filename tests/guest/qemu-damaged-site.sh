#!/bin/sh
# qemu-damaged-site.sh - a site that is not what the table says is reported, and ftrace keeps its hands off.
. "$(dirname "$0")/lib.sh"

good=$BUILD/guest-kernel/mcount/kernel.elf
mkdir -p "$work/guest-kernel/mcount"
cp "$good" "$work/guest-kernel/mcount/kernel.elf"

# The pair in fib, which nobody calls before ftrace_init(): its jalr becomes a nop.
fib=$(${CROSS}nm "$good" | awk '$3 == "fib" { print $1 }')
jalr=$(${CROSS}objdump -d --no-show-raw-insn --start-address=0x"$fib" "$good" |
    awk '/jalr/ && /<_mcount>/ { sub(":", "", $1); print $1; exit }')
segment=$(${CROSS}readelf -lW "$good" | awk '$1 == "LOAD" { print $2, $3; exit }')
set -- $segment
# The shell counts in 63 bits; the lower half of the addresses is enough.
offset=$(($1 + 0x${jalr#ffffffff} - 0x${2#0xffffffff}))
printf '\023\000\000\000' | dd of="$work/guest-kernel/mcount/kernel.elf" bs=1 seek=$offset conv=notrunc 2>/dev/null

BUILD=$work
run_guest mcount 2 "work calls 2; echo function > $T/current_tracer; cat $T/current_tracer; work calls 2"
claim_line 'the report names the function' '^\[.*\] \[<[0-9a-f]+>\] fib\+0x[0-9a-f]+/0x[0-9a-f]+$' "$out"
claim 'the report says what happened, and when' \
    has_line 'ftrace failed to modify$' "$out" and has_line 'Initializing ftrace call sites$' "$out"
claim_line 'it shows the bytes found' '^\[.*\]  actual:   [0-9a-f:]+:13:00:00:00$' "$out"
claim_line 'it shows the bytes expected' '^\[.*\]  expected: [0-9a-f:]+$' "$out"
claim_line 'no tracer can be started afterwards' '^sh: write error: No such device$' "$out"
claim_line 'the tracer is still nop' '^nop$' "$out"
claim 'the kernel works on' test "$(work_field calls result | sort -u | wc -l)" -eq 1
finish
