# 001.sh - tracepoints: as an article follows sched_switch from its definition to its entries, in ftrace, perf and eBPF.
. /seeds/lib.sh
claim 'DECLARE_TRACE, DEFINE_TRACE, register_trace_NAME(): probes of a tracepoint that is no event' selftest tracepoint
claim 'an event has the files of the article' sh -c 'for i in enable filter format id trigger; do [ -f events/sched/sched_switch/$i ] || exit 1; done'
claim 'it is off at first' is events/sched/sched_switch/enable 0
echo 1 > events/sched/sched_switch/enable; fork_some; echo 0 > tracing_on
claim_line 'the tracer is nop' '^# tracer: nop$' trace
claim_line 'the header counts the entries' '^# entries-in-buffer/entries-written: [1-9][0-9]*/[1-9][0-9]*   #P:[0-9]$' trace
claim_line 'it names the columns' '^#           TASK-PID     CPU#  \|\|\|\|\|  TIMESTAMP  FUNCTION$' trace
claim_line 'an entry has the fields of TP_printk' \
    ' sched_switch: prev_comm=[^ ]+ prev_pid=[0-9]+ prev_prio=[0-9]+ prev_state=[RSDXZ+|]+ ==> next_comm=[^ ]+ next_pid=[0-9]+ next_prio=[0-9]+$' trace
# TP_STRUCT__entry: __array is char[16], __field the others; each is in the format with its place.
claim_line 'format has the common fields' 'field:unsigned short common_type;.offset:0;.size:2;.signed:0;' events/sched/sched_switch/format
claim_line 'format has an __array' 'field:char prev_comm\[(16|TASK_COMM_LEN)\];.offset:8;.size:16;' events/sched/sched_switch/format
claim_line 'format has a __field' 'field:pid_t prev_pid;.offset:24;.size:4;.signed:1;' events/sched/sched_switch/format
claim_line 'format has the text of TP_printk' '^print fmt: "prev_comm=%s prev_pid=%d ' events/sched/sched_switch/format
claim 'the id is the type of its entries' sh -c 'grep -qx "ID: $(cat events/sched/sched_switch/id)" events/sched/sched_switch/format'
claim 'DEFINE_EVENTs of one class have the same fields' sh -c \
    'grep -c field events/sched/sched_wakeup/format > /a; grep -c field events/sched/sched_waking/format > /b; test $(cat /a) = $(cat /b)'
echo 0 > events/sched/sched_switch/enable; echo > trace; echo 1 > tracing_on; fork_some
claim_no_line 'off again, it records nothing' sched_switch trace
# enable at the other levels, and set_event.
echo sched:sched_process_fork > set_event
claim 'set_event turns one on' is events/sched/sched_process_fork/enable 1
claim 'a system with some of its events on shows X' is events/sched/enable X
fork_some
claim_line 'and it records' ' sched_process_fork: comm=[^ ]+ pid=[0-9]+ child_comm=[^ ]+ child_pid=[0-9]+$' trace
echo > set_event; reset
# A module's own event.
insmod /lib/modules/event_sample.ko
claim_line 'an event of a module comes with it' '^event_sample:sample_line$' available_events
rmmod event_sample
claim_no_line 'and goes with it' event_sample available_events
# A call of a function turns an event on; events of probes.
echo fib:enable_event:sched:sched_process_fork:1 > set_ftrace_filter
claim_line 'a call can turn an event on' '^fib:enable_event:sched:sched_process_fork:count=1$' set_ftrace_filter
claim_line 'until then its probe is there, and records nothing' '^0\*$' events/sched/sched_process_fork/enable
work calls 1 > /x; fork_some
claim 'then it records' sh -c 'grep -qx "1\*" events/sched/sched_process_fork/enable && grep -q sched_process_fork: trace'
claim_line 'so often as it was told' ':count=0$' set_ftrace_filter
echo '!fib:enable_event:sched:sched_process_fork:0' > set_ftrace_filter
claim 'without the command it stays as it is' is events/sched/sched_process_fork/enable 1
echo 0 > events/sched/sched_process_fork/enable; echo > trace
mkdir instances/seed; echo kernel_clone:enable_event:sched:sched_switch > instances/seed/set_ftrace_filter; fork_some
claim 'in an instance it is that of the instance' sh -c 'grep -q sched_switch: instances/seed/trace && ! grep -q sched_switch: trace'
claim 'which can be removed with it' rmdir instances/seed
echo 'p:seed/clone kernel_clone' > dynamic_events
claim_line 'an event of a probe is in dynamic_events' '^p:seed/clone kernel_clone$' dynamic_events
claim 'what is wrong with a line is in error_log' sh -c \
    '! echo p kernel_clone a12345678901234567890123456789012=@11 >> dynamic_events 2> /x; grep -q "Argument name is too long" error_log'
echo > dynamic_events
claim 'and it is gone with it' sh -c '! ls events/seed 2> /x'
reset
# perf: its own probe at the same tracepoint, counting and recording.
perf stat -e sched:sched_switch -a work threads > /p
claim_line 'perf stat counts a tracepoint' '^ +[1-9][0-9]* +sched:sched_switch$' /p
perf stat -e syscalls:sys_enter_getpid,sched:sched_process_fork sysbench getpid 100 > /p
claim_line 'each call of a system call' '^ +101 +syscalls:sys_enter_getpid$' /p
claim_line 'and nothing that did not happen' '^ +0 +sched:sched_process_fork$' /p
echo 1 > events/sched/sched_switch/enable; perf stat -e sched:sched_switch -a work threads > /p; echo 0 > events/sched/sched_switch/enable
claim 'the probes of ftrace and perf are at one tracepoint' sh -c 'grep -Eq "^ +[1-9][0-9]* +sched:sched_switch$" /p && grep -q sched_switch: trace'
reset
claim 'perf record takes each entry' perf record -e sched:sched_switch -c 1 -a -o /p work threads
claim 'in a file of perf, with the format of the event' sh -c 'grep -q PERFILE2 /p && grep -q prev_comm /p'
claim_no_line 'perf alone leaves nothing in the trace' sched_switch trace
claim 'afterwards the event is off' is events/sched/sched_switch/enable 0
# eBPF by perf's probe: programs at the event; one that returns 0 keeps it from perf.
bpfcount syscalls:sys_enter_getpid 1 sysbench getpid 100 > /p
claim_line 'a program in eBPF runs at each event, and perf counts it' '^101 by the program, 101 by perf$' /p
bpfcount syscalls:sys_enter_getpid 0 sysbench getpid 100 > /p
claim_line 'if the program returns 0, perf does not' '^101 by the program, 0 by perf$' /p
bpfcount sched:sched_switch 1 work threads > /p
claim 'also at sched_switch' sh -c 'set -- $(grep perf$ /p); test $1 -gt 0 -a $5 -ge $1'
bpfcount sched:sched_switch > /p
claim_line 'an event has at most 64 programs' '^64 programs, then: Argument list too long$' /p
