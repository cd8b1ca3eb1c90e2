#!/bin/sh
# events.sh - tracepoints as events: formats, turning on and off on each level, entries of the scheduler.
. "$(dirname "$0")/lib.sh"

after() { awk -v cmd="# $1" -v nth="${2:-1}" 'on && /^# / { exit } on { print } index($0, cmd) == 1 && ++n == nth { on = 1 }' "$out"; }
# Switches while there was a filter: those that are (filtered e), or are not (filtered ve), to `sleep` from an idle hart.
filtered() {
    sed -n '/^# echo 1 > .*sched_switch.enable/,/^# echo target_cpu/p' "$out" | grep ': sched_switch: ' |
        grep -$1 'prev_pid=0 .* next_comm=sle'
}
says() { test "$(after "$1" "$3")" = "$2"; }
has() { after "$1" | grep -Eq -- "$2"; }

BOOTARGS='trace_event=sched:sched_process_exec'
run_on_rvftrace "${LAYOUT:-mcount}" 2 "cd $T; cat set_event; cat events/sched/sched_process_exec/enable;
    cat events/sched/enable; cat events/enable; cat events/header_event;
    cat events/sched/sched_switch/format; cat events/sched/sched_process_exec/format;
    echo 2 > events/enable; echo nosuch:event > set_event; echo sched:nosuch >> set_event;
    echo sched:sched_switch sched_waking > set_event; cat set_event | sort;
    echo '!sched_waking' >> set_event; cat set_event; echo 1 > events/sched/enable;
    cat events/sched/enable; cat events/enable;
    echo > trace; sleep 0.005; echo 0 > events/sched/enable; cat trace; echo raw > trace_options;
    cat trace | tail -n 1; echo noraw > trace_options; cat events/enable;
    cat events/sched/sched_switch/filter; cat events/sched/filter; echo > trace; echo > error_log;
    echo prev_pid == 0 '&&' next_comm ~ \\'sle*\\' > events/sched/sched_switch/filter;
    echo 1 > events/sched/sched_switch/enable; (echo); sleep 0.001; echo 0 > events/enable; cat trace;
    echo target_cpu '<=' 7 > events/sched/filter; cat events/sched/sched_waking/filter; cat error_log;
    cat events/sched/sched_switch/filter; echo 0 > events/sched/filter; cat events/sched/sched_switch/filter;
    cat events/syscalls/sys_enter_write/format; cat events/syscalls/sys_exit_write/format; cat events/syscalls/sys_enter_umount/format;
    cat events/raw_syscalls/sys_enter/format; echo > trace; echo 1 > events/syscalls/sys_exit_clone/enable;
    echo syscalls:sys_enter_write >> set_event; echo 1 > events/raw_syscalls/sys_enter/enable; echo hello;
    echo 1 > events/irq/enable; echo 1 > events/task/enable; echo 1 > events/workqueue/enable;
    sleep 0; echo > set_event; cat trace; echo verbose > trace_options; cat trace;
    echo noverbose > trace_options;
    cd events/sched/sched_process_exit; cat trigger; echo traceoff:2 if pid '>' 1 > trigger;
    echo traceon >> trigger; echo traceof >> trigger; echo traceoff:x >> trigger; echo stacktrace foo >> trigger;
    echo enable_event:sched:none >> trigger; echo stacktrace >> trigger; echo snapshot if pid '<' 0 >> trigger;
    echo enable_event:sched:sched_process_wait:1 >> trigger; cat enable; cat ../sched_process_wait/enable;
    cat trigger | sort; echo > $T/trace; (echo); cat $T/tracing_on; cat $T/tracing_on;
    cat ../sched_process_wait/enable; echo 1 > enable; echo 1 > $T/tracing_on; (echo);
    cat trigger | tail -n 1; echo 1 > $T/tracing_on; (echo); echo 0 > enable; cat $T/trace;
    echo '!traceoff' > trigger; echo '!stacktrace' > trigger; echo '!snapshot' > trigger;
    echo '!enable_event:sched:sched_process_wait' > trigger; cat trigger; cat enable;
    cat ../sched_process_wait/enable; echo 1 > $T/tracing_on;
    insmod /lib/modules/trace_sample.ko; rmmod trace_sample; selftest tracepoint jump_label trace_filter" \
    --initrd "$BUILD/guest-kernel/${LAYOUT:-mcount}/modules.cpio"

claim 'trace_event= turns an event on at boot' says 'cat set_event' sched:sched_process_exec
claim '... and it says so' says 'cat events/sched/sched_process_exec/enable' 1
claim 'a system of which some are on is X' says 'cat events/sched/enable' X
claim '... and so is the whole' says 'cat events/enable' X
claim_line 'header_event describes the rings' '^	data max type_len  == 28$' "$out"
claim 'a format has the place of each field' has 'cat events/sched/sched_switch' \
    '^	field:char prev_comm\[16\];	offset:8;	size:16;	signed:0;$'
claim '... and its flags by number' has 'cat events/sched/sched_switch' \
    '"\|", \{ 0x00000001, "S" \}, \{ 0x00000002, "D" \},'
claim 'a string is a word with its place' has 'cat events/sched/sched_process_exec/format' \
    '^	field:__data_loc char\[\] filename;	offset:8;	size:4;	signed:0;$'
claim '... and printed by its name' has 'cat events/sched/sched_process_exec/format' \
    '^print fmt: "filename=%s pid=%d old_pid=%d", __get_str\(filename\), REC->pid, REC->old_pid$'
claim 'enable is 0 or 1' has 'echo 2' 'Invalid argument'
claim 'an unknown event is EINVAL' has 'echo nosuch' 'Invalid argument'
claim '... also one of a known system' has 'echo sched:nosuch' 'Invalid argument'
claim 'set_event takes names with and without their system' \
    says 'cat set_event | sort' "$(printf 'sched:sched_switch\nsched:sched_waking')"
claim '... and takes them back' says 'cat set_event' sched:sched_switch 3
claim 'enable of a system turns all of them on' says 'cat events/sched/enable' 1 2
claim_line 'a switch has both tasks' \
    'd\.\.2\. .*: sched_switch: prev_comm=sleep prev_pid=[0-9]+ prev_prio=120 prev_state=S ==> next_comm=swapper/[01] next_pid=0' "$out"
claim_line 'a task that ends is a zombie, or its parent has been told of it already' 'prev_comm=sleep .* prev_state=[ZX] ' "$out"
claim_line '... and its time is a number' 'sched_stat_runtime: .* runtime=[0-9]+ \[ns\] vruntime=[0-9]+ \[ns\]$' "$out"
for event in sched_waking sched_wakeup sched_wakeup_new sched_process_fork sched_process_exit sched_process_free \
    sched_process_wait sched_stat_runtime; do
    claim_line "$event is recorded" ": $event: " "$out"
done
claim 'raw: an event has only its type' has 'cat trace | tail' '^[0-9]+ [01] [0-9]+ type: [0-9]+$'
claim 'enable of a system turns all of them off' says 'cat events/enable' 0 3

claim 'a system call has its number' has 'cat events/syscalls/sys_enter_write/format' \
    '^	field:int __syscall_nr;	offset:8;	size:4;	signed:1;$'
claim '... and each argument with its type' has 'cat events/syscalls/sys_enter_write/format' \
    '^	field:const char \* buf;	offset:24;	size:8;	signed:0;$'
claim '... which are printed in hexadecimal' has 'cat events/syscalls/sys_enter_write/format' \
    '^print fmt: "fd: 0x%08lx, buf: 0x%08lx, count: 0x%08lx", \(\(unsigned long\)\(REC->fd\)\), '
claim 'a result is a long' has 'cat events/syscalls/sys_exit_write/format' \
    '^	field:long ret;	offset:16;	size:8;	signed:1;$'
claim 'all calls together have six arguments' has 'cat events/raw_syscalls' \
    '^	field:unsigned long args\[6\];	offset:16;	size:48;	signed:0;$'
claim "a call has the name of Linux's function" has 'cat events/syscalls/sys_enter_umount' \
    '^	field:char \* name;	offset:16;	size:8;	signed:0;$'
claim_line 'a call is recorded with its arguments' \
    'sh-[0-9]+ .* \.\.\.\.\. .*: sys_write\(fd: 1, buf: [0-9a-f]+, count: 6\)$' "$out"
claim_line '... and by its number' ': sys_enter: NR 64 \(1, [0-9a-f]+, 6, ' "$out"
claim_line 'a result is recorded if that event is on' ': sys_clone -> 0x[0-9a-f]+$' "$out"
claim_no_line '... and only then' ': sys_write ->' "$out"
claim_no_line 'tasks that exist pass the tracepoints, and no more when they are off' \
    ' cat-[0-9]+ .*: sys_' "$out"
claim_line 'task: a child is new, and exec gives it its name' \
    ': task_newtask: pid=[0-9]+ comm=sh clone_flags=[0-9a-f]+ oom_score_adj=0$' "$out"
claim_line '... from the old one' ': task_rename: pid=[0-9]+ oldcomm=sh newcomm=sleep oom_score_adj=0$' "$out"
claim_line 'verbose shows the types' \
    ': sys_write\(unsigned int fd: 1, const char \* buf: [0-9a-f]+, size_t count: 6\)$' "$out"
claim 'an event has no filter at first' says 'cat events/sched/sched_switch/filter' none
claim '... nor has a system' has 'cat events/sched/filter' '^### global filter ###$'
claim 'a filter lets pass what it describes' filtered e
claim '... and nothing else' test "$(filtered ve)" = ""
claim "a system's filter is that of all its events" says 'cat events/sched/sched_waking/filter' 'target_cpu <= 7'
claim '... that have the field; the others show the mistake' says 'cat events/sched/sched_switch/filter' \
    "$(printf "target_cpu <= 7\n^\nparse_error: Couldn't find or set field in one of a subsystem's events\n")" 2
claim '... as error_log does' has 'cat error_log' '^\[ +0\.[0-9]{6}\] event filter parse error: error: Couldn'
claim '... with the command' has 'cat error_log' '^  Command: target_cpu <= 7$'
claim '0 removes the filters' says 'cat events/sched/sched_switch/filter' none 3
claim_line 'an event has no trigger at first, and says which there are' \
    '^# traceon traceoff snapshot stacktrace enable_event disable_event enable_hist disable_hist hist$' "$out"
claim 'there may be one of each type' has 'echo traceon >> trigger' 'File exists'
for trigger in 'traceof' 'traceoff:x' 'stacktrace foo' 'enable_event:sched:none'; do
    claim "$trigger is no trigger" has "echo $trigger >> trigger" 'Invalid argument'
done
claim 'an event with triggers is on, but not recorded' says 'cat enable' '0*'
claim 'a trigger has its count and its filter' says 'cat trigger | sort' "$(printf '%s\n' \
    enable_event:sched:sched_process_wait:count=0 'snapshot:unlimited if pid < 0' stacktrace:unlimited \
    'traceoff:count=1 if pid > 1')"
claim 'traceoff stops the trace' says 'cat /sys/kernel/tracing/tracing_on' 0
claim '... as often as it may' says 'cat trigger | tail' 'traceoff:count=0 if pid > 1'
claim '... and is the last entry, if its filter needed the entry' test \
    "$(sed -n '/^# cat .sys.kernel.tracing.trace$/,/^# echo .!traceoff/p' "$out" | grep -c ' sched_process_exit: ')" = 2
claim 'enable_event lets the other event be recorded' says 'cat ../sched_process_wait/enable' '1*' 2
claim 'stacktrace records the stack after the event' test \
    "$(grep -A4 'sched_process_exit: .*' "$out" | grep -A3 '<stack trace>' | grep -c '^ => do_exit$')" = 1
claim '! removes them all' test "$(grep -c '^# Available triggers:' "$out")" = 2
claim '... and the event is off' says 'cat enable' 0 2
claim 'the auditor finds nothing' has_status 0
finish
