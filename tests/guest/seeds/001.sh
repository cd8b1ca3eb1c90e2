# 001.sh - tracepoints: as an article follows sched_switch from its definition to its entries. (perf and eBPF are not here.)
. /seeds/lib.sh
claim 'an event has the files of the article' sh -c 'for i in enable filter format id trigger; do [ -f events/sched/sched_switch/$i ] || exit 1; done'
claim 'it is off at first' is events/sched/sched_switch/enable 0
echo 1 > events/sched/sched_switch/enable; fork_some; echo 0 > tracing_on
claim 'the tracer is nop' has trace '^# tracer: nop$'
claim 'the header counts the entries' has trace '^# entries-in-buffer/entries-written: [1-9][0-9]*/[1-9][0-9]*   #P:[0-9]$'
claim 'it names the columns' has trace '^#           TASK-PID     CPU#  \|\|\|\|\|  TIMESTAMP  FUNCTION$'
claim 'an entry has the fields of TP_printk' has trace \
    ' sched_switch: prev_comm=[^ ]+ prev_pid=[0-9]+ prev_prio=[0-9]+ prev_state=[RSDXZ+|]+ ==> next_comm=[^ ]+ next_pid=[0-9]+ next_prio=[0-9]+$'
# TP_STRUCT__entry: __array is char[16], __field the others; each is in the format with its place.
claim 'format has the common fields' has events/sched/sched_switch/format 'field:unsigned short common_type;.offset:0;.size:2;.signed:0;'
claim 'format has an __array' has events/sched/sched_switch/format 'field:char prev_comm\[(16|TASK_COMM_LEN)\];.offset:8;.size:16;'
claim 'format has a __field' has events/sched/sched_switch/format 'field:pid_t prev_pid;.offset:24;.size:4;.signed:1;'
claim 'format has the text of TP_printk' has events/sched/sched_switch/format '^print fmt: "prev_comm=%s prev_pid=%d '
claim 'the id is the type of its entries' sh -c 'grep -qx "ID: $(cat events/sched/sched_switch/id)" events/sched/sched_switch/format'
claim 'DEFINE_EVENTs of one class have the same fields' sh -c \
    'grep -c field events/sched/sched_wakeup/format > /a; grep -c field events/sched/sched_waking/format > /b; test $(cat /a) = $(cat /b)'
echo 0 > events/sched/sched_switch/enable; echo > trace; echo 1 > tracing_on; fork_some
claim 'off again, it records nothing' lacks trace sched_switch
# enable at the other levels, and set_event.
echo sched:sched_process_fork > set_event
claim 'set_event turns one on' is events/sched/sched_process_fork/enable 1
claim 'a system with some of its events on shows X' is events/sched/enable X
fork_some
claim 'and it records' has trace ' sched_process_fork: comm=[^ ]+ pid=[0-9]+ child_comm=[^ ]+ child_pid=[0-9]+$'
echo > set_event; reset
# A module's own event.
insmod /lib/modules/event_sample.ko
claim 'an event of a module comes with it' has available_events '^event_sample:sample_line$'
rmmod event_sample
claim 'and goes with it' lacks available_events event_sample
