#!/bin/sh
# qemu-patches-under-load.sh - tracers come and go while threads run on all harts, and nothing breaks.
. "$(dirname "$0")/lib.sh"

toggle="echo tree_* sort_* fib > $T/set_ftrace_filter; echo function > $T/current_tracer;
    echo function_graph > $T/current_tracer; echo __kmalloc kfree >> $T/set_ftrace_filter; sleep 0.01;
    echo nop > $T/current_tracer; echo function_graph > $T/current_tracer;
    echo schedule __schedule > $T/set_ftrace_filter; sleep 0.02; echo function > $T/current_tracer;
    echo nop > $T/current_tracer"

run_guest none 1 'work threads 40'
expected=$(work_field threads result)

# Stopping four harts of a busy host takes its time: the first layout stands for its kind.
# `atomic` and `callops` patch sites while other harts run them, and rely on the atomic fetch of an
# aligned instruction. QEMU 7.2 with a thread for each hart lacks that: it may fetch half of the old
# and half of the new instruction, and then returns from the traced function at its entry
# (guest/tornword.c). With one thread for all harts their spinlocks take minutes. So there these two
# have one hart, and several on rvftrace.
harts_for() {
    case $1 in
    pfe*) echo 2 ;;
    mcount) echo 1 2 4 ;;
    *) echo 1 ;;
    esac
}

for layout in $dynamic_layouts; do
    for harts in $(harts_for $layout); do
        run_guest $layout $harts "work threads 40 & $toggle; $toggle; wait; work mixed 3" \
            -accel tcg,thread=multi
        claim "$layout, $harts harts: every thread's result is right" \
            test "$(work_field threads result)" = "$expected"
    done
done

all="work threads 20 & echo '*' > $T/set_ftrace_filter; echo function > $T/current_tracer;
    echo function_graph > $T/current_tracer; echo nop > $T/current_tracer; wait; work mixed 2"
survives_all() {
    claim "$1: all sites can be turned on and off under load" has_status 0 and has_line '^work mixed: n=2 ' "$out"
    claim_no_line "$1: no warning, no panic" 'WARNING|panic|ftrace (failed|faulted)' "$out"
}
for layout in mcount pfe16 pfe8; do
    run_guest $layout 2 "$all"
    survives_all "$layout"
done

for layout in atomic callops; do
    run_guest $layout 1 "$all"
    survives_all "$layout, 1 hart"
    for harts in 2 4; do
        for seed in 1 2 3; do
            on="$layout, $harts harts on rvftrace, seed $seed"
            run_on_rvftrace $layout $harts "work threads 40 & $toggle; $toggle; wait; work mixed 3" \
                --seed $seed --fetch random:$seed
            claim "$on: every thread's result is right" \
                has_status 0 and test "$(work_field threads result)" = "$expected"
            run_on_rvftrace $layout $harts "$all" --seed $seed --fetch random:$seed
            survives_all "$on"
        done
    done
done
finish
