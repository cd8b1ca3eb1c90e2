#!/bin/sh
# qemu-damaged-site.sh - a site that is not what the table says is reported, and ftrace keeps its hands off.
. "$(dirname "$0")/lib.sh"

good=$BUILD/guest-kernel/mcount/kernel.elf
mkdir -p "$work_dir/guest-kernel/mcount"
cp "$good" "$work_dir/guest-kernel/mcount/kernel.elf"

# The pair in fib, which nobody calls before ftrace_init(): its jalr becomes a nop.
fib=$(${CROSS}nm "$good" | awk '$3 == "fib" { print $1 }')
jalr=$(${CROSS}objdump -d --no-show-raw-insn --start-address=0x"$fib" "$good" |
    awk '/jalr/ && /<_mcount>/ { sub(":", "", $1); print $1; exit }')
segment=$(${CROSS}readelf -lW "$good" | awk '$1 == "LOAD" { print $2, $3; exit }')
set -- $segment
# The shell counts in 63 bits; the lower half of the addresses is enough.
offset=$(($1 + 0x${jalr#ffffffff} - 0x${2#0xffffffff}))
printf '\023\000\000\000' | dd of="$work_dir/guest-kernel/mcount/kernel.elf" bs=1 seek=$offset conv=notrunc 2>/dev/null

BUILD=$work_dir
run_guest mcount 2 "work calls 2; echo function > $T/current_tracer; cat $T/current_tracer; work calls 2"
check 'the report names the function' console_has '\[.*\] \[<[0-9a-f]+>\] fib\+0x[0-9a-f]+/0x[0-9a-f]+'
check 'the report says what happened, and when' \
    sh -c "grep -q 'ftrace failed to modify$' '$out' && grep -q 'Initializing ftrace call sites$' '$out'"
check 'it shows the bytes found' console_has '\[.*\]  actual:   [0-9a-f:]+:13:00:00:00'
check 'it shows the bytes expected' console_has '\[.*\]  expected: [0-9a-f:]+'
check 'no tracer can be started afterwards' console_has 'sh: write error: No such device'
check 'the tracer is still nop' console_has nop
check 'the kernel works on' test "$(work_field calls result | sort -u | wc -l)" -eq 1
finish
