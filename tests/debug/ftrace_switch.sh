#!/bin/sh
# ftrace_switch.sh - from function to function_graph to nop: the variables and the code, seen by the debugger.
set -eu
build=${BUILD:-build}
tracer=/sys/kernel/tracing/current_tracer
for layout in mcount pfe16 pfe8; do
    tests/debug/session tests/debug/ftrace_switch.script \
        "$build/rvftrace" debug --harts 2 --console none \
        --append "script=\"echo function > $tracer; work calls 1; echo function_graph > $tracer; work calls 1; echo nop > $tracer; work calls 1\"" \
        "$build/guest-kernel/$layout/kernel.elf"
done
