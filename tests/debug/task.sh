#!/bin/sh
# task.sh - the tasks of the guest in the debugger: frames and variables of those that run on no hart.
. "$(dirname "$0")/common.inc"

session tests/debug/task.script "$rvftrace" debug --harts 2 --console none \
    --append 'script="work tree 1; poweroff"' "$BUILD/guest-kernel/pfe8/kernel.elf"
finish
