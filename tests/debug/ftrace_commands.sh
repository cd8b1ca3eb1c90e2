#!/bin/sh
# ftrace_commands.sh - the commands about sites, updates, trampolines and costs, on the guest kernel.
. "$(dirname "$0")/common.inc"

session tests/debug/ftrace_commands.script "$rvftrace" debug --harts 2 --console none \
    --append "script=\"echo fib > $tracing/set_ftrace_filter; echo function > $tracing/current_tracer; work calls 1\"" \
    "$BUILD/guest-kernel/mcount/kernel.elf"
finish
