#!/bin/sh
# machines-agree.sh - QEMU and rvftrace show the same console, apart from what time it is.
. "$(dirname "$0")/lib.sh"

demo=$(sed -e '/^#/d' -e '/^$/d' guest-kernel/scripts/demo.txt | paste -sd';')

agree_on() {
    what=$1 layout=$2 script=$3
    run_guest "$layout" 1 "$script"
    timeless <"$out" >"$work/qemu"
    run_on_rvftrace "$layout" 1 "$script"
    timeless <"$out" >"$work/ours"
    claim "$what: both consoles are the same" has_status 0 and diff "$work/qemu" "$work/ours"
}

agree_on 'the demonstration' mcount "$demo"
agree_on 'every workload, no tracer' none 'help; work calls; work tree; work sort; work mixed; work threads'
agree_on 'every workload, a tracer on' mcount "echo fib > $T/set_ftrace_filter; echo function > $T/current_tracer; work calls; work tree; work sort; work mixed; work threads"
agree_on 'the functions that can be traced' mcount "cat $T/available_filter_functions; cat $T/available_tracers"
agree_on 'options and filters' mcount "cat $T/README; cat $T/trace_options; cat $T/trace_clock; cat $T/buffer_size_kb; echo 'tree_*' > $T/set_ftrace_filter; echo '*_[hf]*' > $T/set_ftrace_notrace; cat $T/set_ftrace_notrace; echo function > $T/current_tracer; echo 1 > $T/options/func_stack_trace; work tree 1; cat $T/enabled_functions; cat $T/trace"
finish
