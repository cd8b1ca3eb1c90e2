#!/bin/sh
# ftrace-order.sh - each update changes code in Linux's order: the list function, the sites, the
# function for the new set of ops, and the graph caller last.
. "$(dirname "$0")/lib.sh"

# debugged LAYOUT SCRIPT: the patches of the script, as the debugger shows them.
debugged() {
    printf 'continue\npatches 2000\nquit\n' >"$work/commands"
    try "$BUILD/rvftrace" debug --quiet --console none --audit fail --harts 2 --commands "$work/commands" \
        --append "script=\"$2\"" "$BUILD/guest-kernel/$1/kernel.elf" </dev/null >"$out" 2>"$err"
}

# From the first tracer on: what was patched, and what it calls now (`-`: nothing).
patches() {
    awk '/^#[0-9]+ / { site = $2 }
        /^    new:/ {
            on = on || site == "ftrace_call"
            called = match($0, /<[a-z_]+>/) ? substr($0, RSTART + 1, RLENGTH - 2) : "-"
            if (on && site !~ /_regs_call$/) print site, called
        }' "$out"
}

filter="echo fib even > $T/set_ftrace_filter"
for layout in mcount pfe16 pfe8; do
    debugged $layout "$filter; echo function > $T/current_tracer;
        echo function_graph > $T/current_tracer; echo odd >> $T/set_ftrace_filter; echo nop > $T/current_tracer"
    patches >"$work/patches"
    cat >"$work/expected" <<'END'
ftrace_call ftrace_ops_list_func
fib ftrace_caller
even ftrace_caller
ftrace_call function_trace_call
ftrace_call ftrace_ops_list_func
fib -
even -
ftrace_call ftrace_stub
fib ftrace_caller
even ftrace_caller
ftrace_graph_call prepare_ftrace_return
odd ftrace_caller
fib -
odd -
even -
ftrace_graph_call -
END
    claim "$layout: function, function_graph, one site more, nop" has_status 0 and \
        diff "$work/expected" "$work/patches"
done
finish
