#!/bin/sh
# fgraph.sh - the return stacks of all tasks are those that the machine has recorded.
set -eu
build=${BUILD:-build}
for layout in mcount pfe8; do
    tests/debug/session tests/debug/fgraph.script \
        "$build/rvftrace" debug --harts 2 --console none \
        --append 'script="echo function_graph > /sys/kernel/tracing/current_tracer; work calls 2; poweroff"' \
        "$build/guest-kernel/$layout/kernel.elf" | sed "s/ - debug/ - $layout: debug/"
done
