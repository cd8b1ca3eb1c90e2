#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# switches.sh - tracers switched a hundred times while the kernel works: Debian's two stock kernels and a Linux
# 6.1, on 1, 2 and 4 harts, under both firmwares. Each round is another mixture of what changes code: the tracers
# function and function_graph with a filter or without, kprobes and kretprobes, tracepoints (jump labels), code
# made by the BPF JIT, and where there are any, modules. (Graphs of all of 6.1 are left out:
# its clock goes wrong by what docs/findings.md says of a1. Debian's kernels refuse kprobes at a site.) guests.sh fetches the kernels.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

cat >"$work/lines" <<'LINES'
cd /sys/kernel/tracing; echo 1 > /proc/sys/net/core/bpf_jit_enable; echo 0 > /proc/sys/kernel/printk
(while :; do ls / > /dev/null; sleep 0.3; done) & (while :; do : | :; sleep 0.2; done) &
some() { echo "$1" > set_ftrace_filter; }
tracers() { echo function > current_tracer; ls / > /tmp/x; echo function_graph > current_tracer; ls / > /tmp/x; echo nop > current_tracer; }
all() { echo > set_ftrace_filter; case $(uname -r) in 6.1.*) echo function > current_tracer; ls / > /tmp/x; echo nop > current_tracer ;; *) tracers ;; esac; }
at=kernel_clone+8; case $(uname -r) in 6.1.*) at=kernel_clone ;; esac
probes() { echo "p:a $at" > kprobe_events; echo "r:b kernel_clone" 2> /dev/null >> kprobe_events; echo 1 > events/kprobes/enable; cat /proc/version > /tmp/y; grep -q ' a  *[1-9]' kprobe_profile && hit=seen; [ "$1" ] && tracers; echo 0 > events/kprobes/enable; echo > kprobe_events; }
labels() { echo 1 > events/sched/enable; echo 1 > events/irq/enable; ls / > /tmp/x; echo 0 > events/enable; }
filters() { grep -q bpf_int_jit_compile available_filter_functions || return; some bpf_int_jit_compile; echo function > current_tracer; /filter && grep -q bpf_int_jit_compile trace && jit=seen; echo nop > current_tracer; some 'unix_*'; echo function_graph > current_tracer; /filter; echo nop > current_tracer; }
modules() { [ -e /modules/ext2.ko ] || return; insmod /modules/ext2.ko; some 'ext2_*'; echo function > current_tracer; rmmod ext2; insmod /modules/ext2.ko; echo nop > current_tracer; rmmod ext2; }
i=0; while [ $i -lt 10 ]; do i=$((i + 1)); some 'vfs_*'; tracers; labels; some 'mutex_*'; tracers; probes; some 'ksys_*'; probes on; labels; some 'do_*'; tracers; [ $((i % 5)) -eq 0 ] && { all; filters; modules; }; done; kill %1 %2
echo rounds: $i, jit: $jit, kprobe: $hit, kprobes: $(grep -c . kprobe_events), on: $(grep -c . enabled_functions)
LINES

# A program whose socket has a filter, and modules for the kernel that has some.
"${CROSS:-riscv64-unknown-elf-}gcc" -O2 -march=rv64gc -mabi=lp64d -mcmodel=medany -ffreestanding -nostdlib -static \
    -o "$work/filter" "$(dirname "$0")/filter.c" || exit 1
(cd "$work" && echo filter | cpio -o -H newc --quiet) >"$work/filter.cpio"
cat "$initramfs" "$work/filter.cpio" >"$work/plain.cpio"
cat "$work/plain.cpio" "$cache/linux-6.1-tracers/modules.cpio" >"$work/with-modules.cpio"
for kernel in "$cache/linux-6.1-tracers/Image" "$debian" "$sid"; do
    name=$(basename "$(dirname "$kernel")")
    if [ ! -e "$kernel" ]; then
        skip "$name" "there is no $kernel: tests/linux/guests.sh fetches it"
        continue
    fi
    jit=seen initramfs=$work/plain.cpio
    case $name in linux-6.1*) jit='' initramfs=$work/with-modules.cpio ;; esac
    for firmware in builtin "$opensbi"; do
        for harts in 1 2 4; do
            # shellcheck disable=SC2046 # several words
            linux "$kernel" --firmware "$firmware" --harts $harts $(allowed "$kernel" "$firmware")
            claim "$name on $(basename "$firmware") with $harts harts powers off" has_status 0
            claim '... after a hundred switches' answered "rounds: 10, jit: $jit, kprobe: seen, kprobes: 0, on: 0"
            case $name-$(basename "$firmware")-$harts in
                *-builtin-* | *-1) claim '... with nothing wrong in how it patches' no_errors ;;
                linux-6.1*) claim '... and but for the fence of harts that start nothing is wrong' one_finding_at_start ;;
                *) claim '... with nothing wrong in how it patches' no_errors ;;
            esac
        done
    done
done
finish
