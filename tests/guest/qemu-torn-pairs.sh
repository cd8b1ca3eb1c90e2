#!/bin/sh
# qemu-torn-pairs.sh - a task preempted in the middle of a site survives the patching of that site.
#
# QEMU takes interrupts between two instructions only when it counts them, so
# -icount; with a microsecond an instruction the tick comes every 10,000 of
# them, and some hundred preemptions fall into the middle of a pair.
. "$(dirname "$0")/lib.sh"

toggle="echo tree_* sort_* fib ackermann even odd sort_compare > $T/set_ftrace_filter; work threads 60 &"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    toggle="$toggle echo function > $T/current_tracer; sleep 0.0$((i % 7)); echo nop > $T/current_tracer; sleep 0.0$((i % 5));"
    toggle="$toggle echo function_graph > $T/current_tracer; sleep 0.0$((i % 3)); echo nop > $T/current_tracer;"
done

run_guest none 1 'work threads 60'
expected=$(work_field threads result)
for layout in $dynamic_layouts; do
    for shift in 6 8 10; do
        run_guest $layout 1 "$toggle wait" -icount shift=$shift
        claim "$layout at 2^$shift ns an instruction: the threads compute what they should" \
            test "$(work_field threads result)" = "$expected"
    done
done
finish
