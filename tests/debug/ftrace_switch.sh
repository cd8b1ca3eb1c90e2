#!/bin/sh
# ftrace_switch.sh - from function to function_graph to nop: the variables and the code, seen by the debugger.
. "$(dirname "$0")/common.inc"

tracer=$tracing/current_tracer
for layout in mcount pfe16 pfe8; do
    about="$layout: "
    session tests/debug/ftrace_switch.script "$rvftrace" debug --harts 2 --console none \
        --append "script=\"echo function > $tracer; work calls 1; echo function_graph > $tracer; work calls 1; echo nop > $tracer; work calls 1\"" \
        "$BUILD/guest-kernel/$layout/kernel.elf"
done
finish
