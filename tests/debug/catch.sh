#!/bin/sh
# catch.sh - catchpoints and the commands of breakpoints, on the guest kernel with two harts; and catchpoints of findings.
. "$(dirname "$0")/common.inc"

session tests/debug/catch.script "$rvftrace" debug --harts 2 --console none \
    --append "ftrace=function script=\"work tree 1;echo nop > $tracing/current_tracer;poweroff\"" "$BUILD/guest-kernel/mcount/kernel.elf"
session tests/debug/catch_finding.script "$rvftrace" debug --firmware none --console none --findings-max 2 \
    "$BUILD/guest/hostile/causes.elf"
finish
