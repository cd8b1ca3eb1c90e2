#!/bin/sh
# task.sh - the tasks of the guest in the debugger: frames and variables of those that run on no hart.
set -eu
build=${BUILD:-build}
tests/debug/session tests/debug/task.script "$build/rvftrace" debug --harts 2 --console none \
    --append 'script="work tree 1; poweroff"' "$build/guest-kernel/pfe8/kernel.elf"
