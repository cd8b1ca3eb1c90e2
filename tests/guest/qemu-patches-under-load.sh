#!/bin/sh
# qemu-patches-under-load.sh - tracers come and go while threads run on all harts, and nothing breaks.
. "$(dirname "$0")/lib.sh"

toggle="echo tree_* sort_* fib > $T/set_ftrace_filter; echo function > $T/current_tracer;
    echo function_graph > $T/current_tracer; echo kmalloc kfree >> $T/set_ftrace_filter; sleep 0.01;
    echo nop > $T/current_tracer; echo function_graph > $T/current_tracer;
    echo schedule __schedule > $T/set_ftrace_filter; sleep 0.02; echo function > $T/current_tracer;
    echo nop > $T/current_tracer"

run_guest none 1 'work threads 40'
expected=$(work_field threads result)

# Stopping four harts of a busy host takes its time: the first layout stands for its kind.
harts_for() {
    case $1 in
    pfe*) echo 2 ;;
    *) echo 1 2 4 ;;
    esac
}

for layout in $dynamic_layouts; do
    for harts in $(harts_for $layout); do
        run_guest $layout $harts "work threads 40 & $toggle; $toggle; wait; work mixed 3" \
            -accel tcg,thread=multi
        check "$layout, $harts harts: every thread's result is right" \
            test "$(work_field threads result)" = "$expected"
    done
    run_guest $layout 2 "work threads 20 & echo '*' > $T/set_ftrace_filter;
        echo function > $T/current_tracer; echo function_graph > $T/current_tracer;
        echo nop > $T/current_tracer; wait; work mixed 2"
    check "$layout: all sites can be turned on and off under load" \
        console_has 'work mixed: n=2 .*'
    check "$layout: no warning, no panic" console_lacks 'WARNING|panic|ftrace (failed|faulted)'
done
finish
