#!/bin/sh
# catch.sh - catchpoints and the commands of breakpoints, on the guest kernel with two harts.
set -eu
build=${BUILD:-build}
tests/debug/session tests/debug/catch.script "$build/rvftrace" debug --harts 2 --console none \
    --append "ftrace=function script=\"work tree 1;echo nop > /sys/kernel/tracing/current_tracer;poweroff\"" "$build/guest-kernel/mcount/kernel.elf"
