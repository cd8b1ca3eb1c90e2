#!/bin/sh
# ftrace_commands.sh - the commands about sites, updates, trampolines and costs, on the guest kernel.
set -eu
build=${BUILD:-build}
tracing=/sys/kernel/tracing
tests/debug/session tests/debug/ftrace_commands.script \
    "$build/rvftrace" debug --harts 2 --console none \
    --append "script=\"echo fib > $tracing/set_ftrace_filter; echo function > $tracing/current_tracer; work calls 1\"" \
    "$build/guest-kernel/mcount/kernel.elf"
