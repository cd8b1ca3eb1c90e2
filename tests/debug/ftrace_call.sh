#!/bin/sh
# ftrace_call.sh - the old and the new instruction at ftrace_call, while the
# guest kernel patches it, in each existing build of the emulator.
set -eu
build=${BUILD:-build}
tracing=/sys/kernel/tracing
failed=0
for kind in . asan stress; do
    [ -x "$build/$kind/rvftrace" ] || continue
    tests/debug/session tests/debug/ftrace_call.script \
        "$build/$kind/rvftrace" debug --harts 2 --console none \
        --append "ftrace=function script=\"echo function_graph > $tracing/current_tracer;work tree 1;echo nop > $tracing/current_tracer;poweroff\"" \
        "$build/guest-kernel/mcount/kernel.elf" || failed=1
done
exit $failed
