#!/bin/sh
# ftrace_call.sh - the old and the new instruction at ftrace_call, while the
# guest kernel patches it, in each existing build of the emulator.
. "$(dirname "$0")/common.inc"

in_each_build tests/debug/ftrace_call.script --harts 2 --console none \
    --append "ftrace=function script=\"echo function_graph > $tracing/current_tracer;work tree 1;echo nop > $tracing/current_tracer;poweroff\"" \
    "$BUILD/guest-kernel/mcount/kernel.elf"
finish
