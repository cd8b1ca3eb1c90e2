#!/bin/sh
# qemu-console.sh - the guest kernel prints the same on QEMU with OpenSBI and on rvftrace.
#
# One hart, the same memory and command line. Times, cycles and instruction counts
# are masked, and so is output that depends on durations: the marks of
# slow functions and the order of their columns.
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
MEMORY=128M

mask() {
    tr -d '\r' | sed -n '/Memory:/,$p' | sed -E \
        -e 's/^\[ *[0-9]+\.[0-9]+\]/[TIME]/' \
        -e 's/(cycles|insns)=[0-9]+/\1=N/g' \
        -e 's/ [0-9]+\.[0-9]{6}: / TIME: /' \
        -e 's/^( *[0-9]+\)) [ !+#*@$]+[0-9]+\.[0-9]+ us +\|/\1 TIME |/' \
        -e 's/^( *[0-9]+\)) +\|/\1 TIME |/'
}

# same_console LAYOUT SCRIPT: on both, with the same status.
same_console() {
    kernel=$BUILD/guest-kernel/$1/kernel.elf
    run run --quiet --memory $MEMORY --append "script=\"$2\"" "$kernel"
    mask <"$out" >"$work/ours"
    ours=$status
    try timeout 300 qemu-system-riscv64 -machine virt -m $MEMORY -smp 1 -display none -monitor none \
        -serial stdio -no-reboot -kernel "$kernel" -append "script=\"$2\"" \
        </dev/null 2>"$work/qemu.err" >"$out"
    mask <"$out" >"$work/theirs"
    [ "$ours" -eq "$status" ] && [ -s "$work/ours" ] && diff "$work/ours" "$work/theirs"
}

# The pause is for the workload's thread, which prints its result before it ends.
untraced='work calls 2; work tree 2; work sort 2; work mixed 1; usleep 50000; ps; help; nonsense; cat /none'
claim 'the uninstrumented kernel says the same' same_console none "$untraced"
claim 'the traceable kernel says the same, untraced' same_console mcount "$untraced"
claim 'the function tracer prints the same lines' same_console mcount \
    "echo tree_* > $T/set_ftrace_filter; cat $T/set_ftrace_filter;
     echo function > $T/current_tracer; work tree 2; echo nop > $T/current_tracer; cat $T/current_tracer"
claim 'and the same trace' same_console mcount \
    "echo calls_* > $T/set_ftrace_filter; echo function > $T/current_tracer; work calls 1;
     echo 0 > $T/tracing_on; cat $T/trace"
claim 'the graph tracer draws the same graph' same_console mcount \
    "echo calls_* > $T/set_ftrace_filter; echo function_graph > $T/current_tracer; work calls 1;
     echo 0 > $T/tracing_on; cat $T/trace"
claim 'the files of tracefs are the same' same_console mcount \
    "cat $T/available_tracers; cat $T/available_filter_functions; cat $T/trace_options;
     echo bogus > $T/current_tracer; echo nothing_such > $T/set_ftrace_filter"
finish
