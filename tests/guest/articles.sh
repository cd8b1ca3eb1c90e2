#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# articles.sh - the commands that articles about ftrace print (docs/guest-tests.md), typed as they are printed, and the
# functions that they name: each is called where Linux calls it.
. "$(dirname "$0")/lib.sh"

D=/sys/kernel/debug/tracing
kernel=$BUILD/guest-kernel/pfe8

# of MARK [PATTERN]: a line like that is between this mark and the next one.
of() { sed -n "/^# : $1\$/,/^# : /p" "$out" | grep -Eq "$2"; }

{
    # What an article prints, with a line to wait for after each.
    cat <<STEPS
wait # 
send mkdir /debug
wait # 
send mount -t debugfs nodev /debug
wait # 
send : 1
wait # 
send cat $D/available_tracers
wait # 
send cat $D/current_tracer
wait # 
send : 2
wait # 
send echo 0 > $D/tracing_on
wait # 
send echo function > $D/current_tracer
wait # 
send echo do_page_fault > $D/set_ftrace_filter
wait # 
send echo "1" > $D/tracing_cpumask
wait # 
send echo 1 > $D/tracing_on
wait # 
send cat $D/trace_pipe | tee /tmp/ftrace.log
wait : do_page_fault <-
keys \\x03
wait # 
send : 3
wait # 
send cat /tmp/ftrace.log
wait # 
send : 4
wait # 
send echo nop > $D/current_tracer; echo > $D/set_ftrace_filter; echo > $D/trace; echo 3 > $D/tracing_cpumask
wait # 
send echo 1 > $D/events/sched/sched_switch/enable
wait # 
send head -n 20 $D/trace
wait # 
send : 5
wait # 
send echo 0 > $D/events/sched/sched_switch/enable
wait # 
send echo 1 > /proc/sys/kernel/stack_tracer_enabled
wait # 
send cat $D/stack_trace
wait # 
send : 6
wait # 
send echo 0 > /proc/sys/kernel/stack_tracer_enabled; cd $D
wait # 
send echo irqsoff > current_tracer
wait # 
STEPS
    # Each of these is on the way of a file that is opened, read and written.
    for name in vfs_read vfs_write vfs_open ksys_read ksys_write __kmalloc; do
        cat <<STEPS
send : $name
wait # 
send echo $name > set_graph_function; echo function_graph > current_tracer; cat /proc/version; echo 0 > tracing_on; grep '|  $name' trace; echo nop > current_tracer; echo 1 > tracing_on
wait # 
STEPS
    done
    printf 'send : 7\nwait # \nsend poweroff\n'
} >"$work/steps"
try tests/machine/talk.py 60 "$BUILD/rvftrace" run --quiet --audit fail --harts 2 "$kernel/kernel.elf" <"$work/steps" >"$work/raw" 2>"$err"
tr -d '\r' <"$work/raw" >"$out"
claim 'the session ends, with no message and no finding' has_status 0 and test ! -s "$err"
claim_no_line 'each command does what it did for the author' '^sh: [^w]|not found' "$out"
claim 'available_tracers, current_tracer' of 1 '^(.* )?function_graph (.* )?wakeup_rt wakeup (.* )?function nop$' and of 1 '^nop$'
entry='^ +[^ ]+-[0-9]+ +\[000\] [^ ]{5} +[0-9.]+: do_page_fault <-[a-z_]+$'
claim 'trace_pipe shows the chosen function, until ^C' of 2 "$entry"
claim 'and tee has kept it' of 3 "$entry"
claim 'the header of trace' of 4 '^# tracer: nop$' and of 4 '^# entries-in-buffer/entries-written: [1-9][0-9]*/[1-9][0-9]*   #P:2$'
claim 'an event' of 4 '^ +[^ ]+-[0-9]+ +\[00[01]\] [^ ]{5} +[0-9.]+: sched_switch: prev_comm=.* prev_pid=.* ==> next_comm=.* next_pid=[0-9]+ next_prio=[0-9]+$'
claim 'the deepest stack' of 5 '^        Depth    Size   Location    \([0-9]+ entries\)$' and of 5 '^  1\) +[0-9]+ +[0-9]+   [a-z_]+\+0x[0-9a-f]+/0x[0-9a-f]+$'
claim_line 'a tracer that this kernel has not: where it is' 'tracer irqsoff: .*make guest LAYOUT=pfe8 FLAVOUR=latency' "$out"
for name in vfs_read vfs_write vfs_open ksys_read ksys_write __kmalloc; do
    claim "$name is called" of $name "^ [01]\) .* \|  $name\(\)( \{|;)\$"
done
claim 'each function of available_filter_functions can be reached' tests/guest/reachable.py "$CROSS" "$kernel"
finish
