#!/bin/sh
# fgraph.sh - the return stacks of all tasks are those that the machine has recorded.
. "$(dirname "$0")/common.inc"

for layout in mcount pfe8; do
    about="$layout: "
    session tests/debug/fgraph.script "$rvftrace" debug --harts 2 --console none \
        --append "script=\"echo function_graph > $tracing/current_tracer; work calls 2; poweroff\"" \
        "$BUILD/guest-kernel/$layout/kernel.elf"
done
finish
