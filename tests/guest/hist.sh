#!/bin/sh
# hist.sh - hist triggers and synthetic events: what is counted is what happened, a latency is what the trace says,
# mistakes are shown at their places, and nothing is left behind. tests/linux/hist.sh compares texts with Linux's.
. "$(dirname "$0")/lib.sh"

# script NAME: the standard input becomes a script of an initrd, $work/NAME.
script() {
    mkdir -p "$work/root"
    { echo "cd $T"; cat; } >"$work/root/run" && chmod 755 "$work/root/run"
    (cd "$work/root" && echo run | cpio -o -H newc --quiet) | cat "$BUILD/guest-kernel/initrd.cpio" - >"$work/$1"
}
# part NAME: what was printed after `== NAME'.
part() { awk -v name="== $1" '/^== / { on = 0 } on { print } $0 == name { on = 1 }' "$out"; }
says() { test "$(part "$1" | tr -s ' ')" = "$2"; }
has() { part "$1" | grep -Eqx -- "$2"; }
lacks() { part "$1" >"$work/part" && no_line "$2" "$work/part"; }
# errors NAME: `COLUMN TEXT' of each error in error_log.
errors() { part "$1" | awk '/error: / { sub(/.*error: /, ""); text = $0 } /^ *\^$/ { print length($0) - 12, text }'; }
errors_are() { test "$(errors "$1")" = "$2"; }
# adds_up NAME: the hitcounts of each table are together its hits, its lines are the entries, no key is there twice.
adds_up() {
    part "$1" | awk '/^\{.*\}/ { key = $0; sub(/\}.*/, "", key); twice += seen[key]++ }
        /^[{}].*hitcount: / { n++; sub(/.*hitcount: */, ""); sum += $1 }
        /Hits:/ { bad += $2 != sum || !sum } /Entries:/ { bad += $2 != n; tables++; n = sum = 0; delete seen }
        END { exit !tables || bad || twice }'
}

script initrd <<'END'
E=events/sched
fork() { for i in $*; do (echo > /dev/null); done; }
log() { echo "== $1"; cat error_log; echo > error_log; }
try() { for l in "$@"; do echo "hist:$l" >> $T; done; }
echo "== triggers"; T=$E/sched_process_fork/trigger
cat $T
try keys=parent_comm:sort=parent_comm 'keys=parent_comm,common_pid.execname:vals=child_pid.hex:size=100 if child_pid > 1'
cat $T; echo "== counts"; cat $E/sched_process_fork/hist > /dev/null; fork 1 2 3 4 5 6 7 8
cat $E/sched_process_fork/hist
echo '!hist:keys=parent_comm:sort=parent_comm' >> $T; echo "== one left"; cat $T; echo > $T
echo "== none left"; cat $T; cat $E/enable; cat $E/sched_process_fork/enable
echo "== full"; try keys=child_pid:size=128; for k in 1 2 3 4 5 6 7 8 9 10 11 12 13; do fork 1 2 3 4 5 6 7 8 9 10; done
cat $E/sched_process_fork/hist; echo > $T
echo "== expressions"
try keys=common_pid:a=123,b=16-8-4-2,c=64/8/4/2,d=16-8+4+2 'keys=common_pid:e=4*3/2*2,f=4+3*2-2,g=4+6/2-2,h=-(child_pid),i=child_pid*2+1'
cat $T; echo > $T; log "no errors"
try 'keys=common_pid:x=32+10*3/20-4' 'keys=common_pid:x=1+2+3+4+5' 'keys=common_pid:x=-(1)+2' 'keys=common_pid:x=3/0'
try 'keys=common_pid:x=parent_comm+1' keys=common_pid:x=common_timestamp-common_timestamp.usecs 'keys=common_pid:x=$nope'
log "errors of expressions"
try keys=common_pid:vals=child_pid:sort=common_pid,junk keys=common_pid:vals=child_pid:sort= keys=common_pid:vals=child_pid:sort=common_pid,
try keys=common_pid:vals=child_pid:sort=common_pid.junk keys=common_pid:vals=child_pid,parent_pid:sort=common_pid,child_pid,parent_pid
try keys=nope keys=parent_pid.foo keys=common_pid:vals=child_pid.log2
log "errors of fields"
try 'keys=common_pid:x=1,y' 'keys=common_pid:onmatch(sched.nope).foo(x)' 'keys=common_pid:onmatch(sched).foo(x)' 'keys=common_pid:onmax(x).save(parent_pid)'
try 'keys=common_pid:onmatch(sched.sched_waking).save(prio)' 'keys=common_pid:onmatch(sched.sched_waking).nope(prio)'
try 'keys=common_pid:onmatch(sched.sched_waking)' 'keys=common_pid:x=common_timestamp:clock=junk'
log "errors of actions"
echo "== named"; echo 'hist:name=foo:keys=common_pid' >> $E/sched_process_exit/trigger; try name=foo:keys=common_pid name=foo:keys=common_pid name=foo:keys=parent_pid
fork 1 2; cat $E/sched_process_fork/hist > /dev/null; for i in fork exit; do cat $E/sched_process_$i/hist | grep Hits; done
echo "== cleared"; echo 'hist:name=foo:keys=common_pid:clear' >> $T; cat $E/sched_process_fork/hist
echo > $E/sched_process_exit/trigger; echo > $T; log "errors of names"
echo "== paused"; try keys=parent_pid:pause; cat $T; fork 1 2; cat $E/sched_process_fork/hist
try keys=parent_pid:cont; echo "== continued"; cat $T; fork 1 2 3; cat $E/sched_process_fork/hist
echo "enable_hist:sched:sched_process_fork if pid > 1" > $E/sched_process_exit/trigger; try keys=parent_pid:pause; fork 1; echo "== enabled"; cat $T
echo '!enable_hist:sched:sched_process_fork' >> $E/sched_process_exit/trigger; echo > $T

echo > error_log
for l in 'myevent chr arg' 'myevent unsigned arg' 'myevent char str]; int v' 'mye-vent char str[]' 'myevent char str;[]' 'myevent char str[; int v' 'mye;vent char str[]' 'myevent'; do echo "$l" >> synthetic_events; done
log "errors of synthetic events"
echo 'myevent u64 var1 ;u64 var2; unsigned long v; char a[10]; char b[];gfp_t g; bool x pid_t p' >> synthetic_events; echo 'myevent u64 again' >> synthetic_events
echo "== synthetic"; cat synthetic_events events/synthetic/myevent/format; echo '!myevent' >> synthetic_events; echo "== no synthetic"; cat synthetic_events
echo 'latency u64 lat; pid_t pid; int prio; char comm[16]' > synthetic_events; echo 'lived u64 lat; char file[]' >> synthetic_events
S='hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).latency($lat,next_pid,sched.sched_waking.prio,next_comm):onmax($lat).save(next_comm,prev_pid):onmax($lat).snapshot() if next_comm=="sleep"'
L='hist:keys=pid:lat=common_timestamp.usecs-$born:onmatch(sched.sched_process_exec).trace(lived,$lat,$file) if comm == "hello"'
echo 'hist:keys=pid:ts0=common_timestamp.usecs if comm=="sleep"' > $E/sched_waking/trigger; echo "$S" > $E/sched_switch/trigger
echo 'hist:keys=pid:file=filename,born=common_timestamp.usecs' > $E/sched_process_exec/trigger; echo "$L" > $E/sched_process_exit/trigger
echo 'hist:keys=pid,prio,comm:vals=lat:sort=pid,prio' > events/synthetic/latency/trigger
echo 'hist:keys=comm:newprio=prio:onchange($newprio).save(comm,prio)' >> $E/sched_waking/trigger
log "no errors of latencies"; echo 1 > events/synthetic/enable; echo 1 > $E/sched_waking/enable; echo 1 > $E/sched_switch/enable
sleep 0.001; sleep 0.002; sleep 0.003; hello; echo 0 > events/enable
echo "== latencies"; cat trace; echo "== latency"; cat events/synthetic/latency/hist; echo "== switch"; cat $E/sched_switch/hist
echo "== waking"; cat $E/sched_waking/trigger $E/sched_waking/hist
echo "== busy"; echo '!latency' >> synthetic_events; echo '!hist:keys=pid:ts0=common_timestamp.usecs if comm=="sleep"' >> $E/sched_waking/trigger; echo > synthetic_events
echo "!$S" >> $E/sched_switch/trigger; echo "!$L" >> $E/sched_process_exit/trigger
for i in waking process_exec process_fork; do echo > $E/sched_$i/trigger; done; echo > events/synthetic/latency/trigger; echo > synthetic_events
echo "== load"; try keys=parent_pid,common_cpu keys=parent_comm; echo 'hist:keys=prev_pid,next_pid' > $E/sched_switch/trigger
echo 'hist:keys=id.syscall:vals=id:size=256' > events/raw_syscalls/sys_enter/trigger; cat $E/sched_process_fork/hist > /dev/null
for i in 1 2 3 4 5 6 7 8; do fork 1 2 3 4 5 6 7 8 9 10 11 12 & done; wait; cat $E/sched_process_fork/hist $E/sched_switch/hist events/raw_syscalls/sys_enter/hist
echo > $T; echo > $E/sched_switch/trigger; echo > events/raw_syscalls/sys_enter/trigger
echo "== end"; cat synthetic_events; for i in waking switch process_exec process_fork process_exit; do cat $E/sched_$i/trigger; done; cat events/enable
END

# Each latency in the trace is the time from the wake-up of its task to the switch to it, and there are three. The times
# are those of the events, in whole microseconds. A latency follows the switch that has made it.
latencies_are_true() {
    part latencies | awk 'function us() { return substr($0, match($0, /[0-9]+\.[0-9]+: /), RLENGTH - 2) * 1000000 }
        / sched_waking: comm=sleep / { match($0, /pid=[0-9]+ prio/); woken[substr($0, RSTART + 4, RLENGTH - 9)] = us() }
        / latency: / { match($0, /lat=[0-9]+/); lat = substr($0, RSTART + 4, RLENGTH - 4)
            match($0, / pid=[0-9]+/); pid = substr($0, RSTART + 5, RLENGTH - 5)
            if (pid in took) { n++; off = took[pid] - lat; bad += off < -0.5 || off > 0.5; delete took[pid] } }
        / sched_switch: .* next_comm=sleep / { match($0, /next_pid=[0-9]+/); pid = substr($0, RSTART + 9, RLENGTH - 9)
            if (pid in woken) { took[pid] = us() - woken[pid]; delete woken[pid] } }
        END { exit bad || n < 2 }'
}

run_on_rvftrace "${LAYOUT:-pfe8}" 4 /run --initrd "$work/initrd"
claim 'the auditor is silent, the script ends' has_status 0
claim 'without a trigger the file says which there are' has triggers \
    '# traceon traceoff snapshot stacktrace enable_event disable_event enable_hist disable_hist hist'
claim 'a trigger is shown with what was left out' has triggers \
    'hist:keys=parent_comm:vals=hitcount:sort=parent_comm:size=2048 \[active\]'
claim '... with its modifiers, its filter, and a size that is a power of two' has triggers \
    'hist:keys=parent_comm,common_pid.execname:vals=hitcount,child_pid.hex:sort=hitcount:size=128 if child_pid > 1 \[active\]'
claim 'each fork was counted' has counts '\{ parent_comm: sh {49}\} hitcount:         11'
claim '... with two keys, and the sum of a value' has counts \
    '\{ parent_comm: sh {48}, common_pid: sh {14}\[ +[0-9]+\] \} hitcount:         11  child_pid: {9}[0-9a-f]{2}'
claim 'the totals follow' has counts '    Hits: 11'
claim 'one of two is removed' lacks 'one left' 'parent_comm:sort|^#'
claim '> removes all' says 'none left' "# Available triggers:
# traceon traceoff snapshot stacktrace enable_event disable_event enable_hist disable_hist hist
0
0"
claim 'a full table has as many keys as its size' has full '    Entries: 128'
claim '... and counts what found no room' has full '    Dropped: 3'
claim '... and nothing twice' adds_up full
claim 'constant expressions are computed from left to right, * and / first' has expressions \
    'hist:keys=common_pid:vals=hitcount:a=123,b=2,c=1,d=14:sort=hitcount:size=2048 \[active\]'
claim '... others are shown' has expressions \
    'hist:keys=common_pid:vals=hitcount:e=12,f=8,g=5,h=-\(child_pid\),i=child_pid\*2\+1:sort=hitcount:size=2048 \[active\]'
claim '... without an error' errors_are 'no errors' ''
claim 'errors of expressions have their places' errors_are 'errors of expressions' "26 Too many subexpressions (3 max)
23 Too many subexpressions (3 max)
25 Unary minus not supported in sub-expressions
25 Division by zero
23 String type can not be an operand in expression
0 Timestamp units in expression don't match
24 Couldn't find variable
23 Couldn't find field"
claim '... those of fields' errors_are 'errors of fields' "52 Sort field must be a key or a val
36 Empty assignment
36 Empty sort field
52 Invalid sort modifier
47 Too many sort fields (Max = 2)
10 Couldn't find field
21 Invalid field modifier
26 Invalid field modifier"
claim '... those of actions' errors_are 'errors of actions' "7 Malformed assignment
35 Invalid subsystem or event name
29 Missing subsystem
25 For onmax(x) or onchange(x), x must be a variable
49 Handler doesn't support action
49 Couldn't find synthetic event
0 No action found
46 Couldn't set trace_clock"
claim '... those of names' errors_are 'errors of names' "0 Hist trigger already exists
5 Named hist trigger doesn't match existing named trigger (includes variables)"
claim '... those of synthetic events' errors_are 'errors of synthetic events' "8 Invalid type
8 Incomplete type
13 Illegal name
0 Illegal name
17 Invalid field
13 Invalid array specification
0 Command must be of the form: <name> field[;field] ...
0 Command must be of the form: <name> field[;field] ..."
claim 'triggers of one name share their table' has named '    Hits: 8'
claim '... which can be cleared' has cleared '    Hits: 1'
claim 'a trigger that is paused counts nothing' has paused '    Hits: 0'
claim '... and says so' has paused '.* \[paused\]'
claim '... and counts on when it is told' has continued '\{ parent_pid: +[0-9]+ \} hitcount:          5'
claim '... also by another event' has enabled '.* \[active\]'
claim 'a synthetic event is listed' has synthetic \
    'myevent	u64 var1; u64 var2; unsigned long v; char\[10\] a; char\[\] b; gfp_t g; bool x; pid_t p'
claim '... and has a format' has synthetic '	field:__data_loc char\[\] b;	offset:288;	size:8;	signed:1;'
claim '... and is removed' says 'no synthetic' ''
claim 'onmatch() records the latency of each wake-up' latencies_are_true
claim '... in which fields of both events are' has latency \
    '\{ pid: +[0-9]+, prio: +120, comm: sleep {46}\} hitcount: +1  lat: +[0-9]+'
claim 'onmax() saves what was there' has switch '	max: +[0-9]+  next_comm: sleep {28} prev_pid: +0'
claim '... and takes a snapshot' has switch '	triggering value \{ onmax\(\$lat\) \}: +[0-9]+	triggered by event with key: \{ next_pid: +[0-9]+ \}'
claim 'a trigger was made for a field of the other event' has waking \
    'hist:keys=pid:vals=hitcount:synthetic_prio=prio:sort=hitcount:size=2048 if comm=="sleep" \[active\]'
claim 'onchange() saves, too' has waking '	changed:        120  comm: sh {32}prio:        120'
claim 'a string of any length is passed on' has latencies '.*: lived: lat=[0-9]+ file=/bin/hello'
claim 'what is in use cannot be removed' test "$(part busy | grep -c 'Device or resource busy')" -eq 3
claim 'under load each fork is counted once' test "$(part load | sed -n 's/^{ parent_comm: sh .*hitcount: *//p')" -eq 106
claim '... and no table has a key twice' adds_up load
claim 'in the end nothing is left, and all is off' lacks end '^hist|^lat|^1'

script initrd <<'END'
E=events/sched; echo 'latency u64 lat; pid_t pid' > synthetic_events
fork() { for i in $*; do (echo > /dev/null); done; }
log() { echo "== $1"; cat error_log; echo > error_log; }
echo 'hist:keys=pid:ts0=common_timestamp' > $E/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp-$ts0:onmatch(sched.sched_waking).latency($lat,next_pid):onmax($lat).save(prev_pid)' > $E/sched_switch/trigger
echo 'hist:keys=pid:vals=lat:sort=pid' > events/synthetic/latency/trigger
echo 'hist:keys=common_cpu' >> events/synthetic/latency/trigger
echo 'hist:keys=common_pid if arg1 > 0' > events/kprobes/pid/trigger
echo 'hist:keys=parent_comm' > $E/sched_process_fork/trigger; echo 'hist:keys=stacktrace' >> $E/sched_process_fork/trigger
for i in 1 2 3 4 5 6 7 8; do fork 1 2 3 4 5 6 7 8 9 10 11 12 & done; wait
for i in switch waking process_fork; do echo "== $i"; cat $E/sched_$i/hist; echo "hist:keys=parent_comm:clear" >> $E/sched_$i/trigger; done
echo "== latency"; cat events/synthetic/latency/hist; echo "== cloned"; cat events/kprobes/pid/hist events/kprobes/cloned/enable; echo "== dynamic"
echo "s:synthetic/dyn u64 lat; pid_t pid;" >> dynamic_events; echo 'p:opened do_filp_open a=%a0:s32' >> dynamic_events; cat dynamic_events
echo '-:synthetic/dyn' >> dynamic_events; echo '-:opened' >> dynamic_events; echo "== less dynamic"; cat dynamic_events
log end; echo 's:junk/my char str[' >> dynamic_events; log "errors of dynamic events"
END
BOOTARGS='kprobe_event=p:cloned,kernel_clone,flags=+0(%a0):x64;r:pid,kernel_clone,$retval:s32'
for run in 'atomic 8' 'static 2'; do
    run_on_rvftrace "${run% *}" "${run#* }" /run --initrd "$work/initrd"
    claim "$run: the auditor is silent, the script ends" has_status 0
    claim "$run: each fork was counted" has process_fork '\{ parent_comm: sh {49}\} hitcount:        107'
    claim "$run: ... also by a probe made at boot" has cloned '\{ common_pid: +[0-9]+ \} hitcount:         1[0-9]'
    claim "$run: ... which is on" has cloned 1
    claim "$run: dynamic_events has synthetic events" has dynamic 's:synthetic/dyn	u64 lat; pid_t pid'
    claim "$run: ... and those of probes" has dynamic 'p:kprobes/opened do_filp_open a=%a0:s32'
    claim "$run: ... and removes either" lacks 'less dynamic' 'dyn|opened'
    claim "$run: ... and says what is wrong" errors_are 'errors of dynamic events' \
        '0 Command must be of the form: s or -:[synthetic/]<name> field[;field] ...'
    claim "$run: all have one place" has process_fork '         kernel_clone\+0x[0-9a-f]+/0x[0-9a-f]+'
    for table in switch waking process_fork latency; do
        claim "$run: $table adds up" adds_up $table
    done
done
finish
