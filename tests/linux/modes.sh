#!/bin/sh
# shellcheck disable=SC2046,SC2086,SC2317 # claim calls by name; options are several words
# modes.sh - Linux on the most adversarial machine that is legal: translations that stay until they are flushed, also those
# that were invalid, stores that others see late, in some order, and what the harts load and store followed. It boots, is
# traced, switches kprobes and jump labels, and the audit says what docs/findings.md says, no more.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

# A small trace, as some modes take a twentieth of the usual speed, or less.
cat >"$work/lines" <<'E2'
cd /sys/kernel/tracing; echo 64 > buffer_size_kb
echo 'vfs_*' > set_ftrace_filter; echo function > current_tracer; ls / > /tmp/x 2>&1; echo 0 > tracing_on
echo functions: $(grep -c 'vfs_write <-ksys_write' trace | sed 's/^[1-9].*/seen/')
echo 1 > tracing_on; echo function_graph > current_tracer; ls / > /tmp/x 2>&1; (sleep 0.1; echo x) > /tmp/y & wait
echo nop > current_tracer; echo > set_ftrace_filter
[ ! -e kprobe_events ] || { echo 'p:a vfs_read' > kprobe_events; echo 1 > events/kprobes/enable; cat /proc/version > /tmp/v; echo 0 > events/kprobes/enable; echo > kprobe_events; }
for r in 1 2; do echo 1 > events/sched/enable; ls / | cat | sort > /tmp/z; echo 0 > events/sched/enable; done
echo off: $(cat enabled_functions | wc -l)
E2
without_svvptc=$("$rvftrace" --version | sed -n 's/^isa //p' | sed 's/_svvptc//')

# The rules that were broken, without notes, which are about legal code.
broken() { sed -n 's/^\(error\|warning\): \([a-z-]*\): .*/\2/p' "$err" | sort -u; }
# in_mode IMAGE MODE: with two harts and that mode.
in_mode() {
    name=$(basename "$(dirname "$1")")
    linux "$1" --harts 2 $(allowed "$1" builtin) $2
    claim "$name boots and is traced with $2" has_status 0 and answered 'functions: seen'
    claim '... leaves nothing on' answered 'off: 0'
    claim '... and breaks no rule' test -z "$(broken)"
}
LIMIT=3600
for kernel in "$debian" "$sid" "$small"; do
    [ -e "$kernel" ] || continue
    in_mode "$kernel" "--translate invalid --isa $without_svvptc"
    in_mode "$kernel" '--translate random:1'
    in_mode "$kernel" '--stores delayed'
    in_mode "$kernel" '--stores random:1 --translate random:2'
done
finish
