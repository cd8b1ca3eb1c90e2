#!/bin/sh
# debug.sh - the debugger with Debian's kernels, which have BTF but no debug information: the tour, catchpoints,
# the graph tracer's return stacks, tasks, and back. guests.sh fetches the kernels.
. "$(dirname "$0")/../claims.sh"

cache=${LINUX_CACHE:-.cache/linux}
{
    yes '' | head -n 50 # Linux's serial driver empties the receiver several times when it starts
    echo 'cd /sys/kernel/tracing'
    echo 'echo do_sys_openat2 hrtimer_nanosleep __riscv_sys_clock_nanosleep > set_ftrace_filter'
    echo 'echo function > current_tracer; ls / > /dev/null; echo function_graph > current_tracer'
    echo 'ls / > /dev/null; sleep 1; ls / > /dev/null; sleep 1; echo nop > current_tracer; poweroff -f'
} >"$work/input"
for kernel in debian-13 debian-sid; do
    about="$kernel: "
    claims_of tests/debug/session tests/linux/debug.script "$BUILD/rvftrace" debug --quiet --harts 2 --memory 512M \
        --append console=ttyS0 --initrd "$cache/initramfs.cpio" --input "$work/input" --max-cycles 40G \
        "$cache/$kernel/Image"
done
finish
