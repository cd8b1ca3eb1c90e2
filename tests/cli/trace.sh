#!/bin/sh
# trace.sh - the file of --trace is complete, in order, the same each time, and costs the guest nothing.
. "$(dirname "$0")/../machine/common.inc"

T=/sys/kernel/tracing
here=$(dirname "$0")/../machine
demo="script=\"work calls 1; echo function > $T/current_tracer; ps | cat; ls | wc; \
echo function_graph > $T/current_tracer; work tree 1; echo nop > $T/current_tracer\""
trace=$work/trace.json

# claim_calls SENTENCE CONDITION...: claims about `calls`, the calls of $trace, which is read once for all of them; `report`
# is $work/r.json.
claim_calls() {
    claims_of python3 - "$here" "$trace" "$work/r.json" "$@" <<'PY'
import collections, json, sys
from claims import claim, finish

sys.path.append(sys.argv.pop(1))
from calls import *

text = open(sys.argv[1]).read()
calls = read_calls(text)
report = json.load(open(sys.argv[2]))
functions = [c for c in calls if c.kind == "function"]
ends = collections.Counter((c.kind, c.end) for c in calls)
through, disturbed = collections.Counter(), set()
for c in calls:
    if c.kind == "tracer" and c.around.state == "on":
        through[c.pc] += c.end_cycle - c.cycle + 1
        if c.inside or c.end != "returned" or c.hart != c.end_hart:
            disturbed.add(c.pc)
for sentence, condition in zip(sys.argv[3::2], sys.argv[4::2]):
    claim(sentence, eval(" ".join(condition.split())), f"{ends}, {len(functions)} functions")
finish()
PY
}
is_json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"; }

keep() { mv "$out" "$work/kept.out" && mv "$err" "$work/kept.err"; }
as_kept() { cmp "$out" "$work/kept.out" && cmp "$err" "$work/kept.err"; }

run run --harts 2 --append "$demo" --report "$work/kept.json" --rows 1000 "$mcount"
keep
run run --harts 2 --append "$demo" --report "$work/r.json" --rows 1000 --trace "$trace" "$mcount"
claim 'a run with --trace says the same' as_kept
claim '... and is the same, to the last cycle' cmp "$work/r.json" "$work/kept.json"
claim 'the trace is JSON' is_json "$trace"
claim_calls 'every slice has its end, and time goes on' 'calls and all(c.end for c in calls)' \
    'each entry of a site is one call, in the state that the report has it in' "
    collections.Counter((c.pc, c.state) for c in functions) ==
    {(int(s['address'], 16), state): s[state]['entries'] for s in report['sites']
     if s['kind'] == 'function' for state in ('init', 'off', 'on') if s[state]['entries']}" \
    'the tracer is in the calls of sites that are on, and in no other' "
    all((c.tracer() is not None) == (c.state == 'on') for c in functions if c.state != 'init')" \
    '... where it takes as long as the report says, which counts the auipc, too' "
    {pc: n for pc, n in through.items() if pc not in disturbed} ==
    {int(s['address'], 16): s['on']['through_cycles'] for s in report['sites']
     if s['on']['entries'] and s['kind'] == 'function' and int(s['address'], 16) not in disturbed}" \
    'what function_graph hooked comes back through return_to_handler' "
    [c for c in calls if c.kind == 'return'] and
    all(c.end == 'returned' for c in calls if c.kind == 'return')" \
    'only tasks that are gone leave calls behind' "
    {c.name for c in functions if c.end == 'abandoned'} <= {'__schedule', 'schedule', 'do_task_dead', 'do_exit',
        'do_trap_exception', '__riscv_sys_exit_group', '__riscv_sys_exit', 'exit_to_user_mode', 'do_signal'}" \
    'the caller is named' "
    {c.caller.split('+')[0] for c in functions if c.name == 'calls_once'} == {'calls_run'}" \
    '... also that of a tail call whose return address was replaced before' "
    all(c.caller == c.tail_call_of for c in functions if c.back and '+' not in c.caller) and
    {c.caller for c in functions if c.name == 'slab_free' and c.tail_call_of} >= {'kfree'} and
    not [c for c in functions if c.back and c.caller.startswith('0x')]" \
    'each call has the name and pid of its task' "
    {(c.comm, c.pid) for c in functions if c.name == 'do_exit'} >= {('ps', 8), ('ls', 10), ('wc', 11)} and
    all(c.comm and c.pid >= 0 for c in functions)"
cp "$trace" "$work/first"
run run --harts 2 --append "$demo" --report "$work/r.json" --rows 1000 --trace "$trace" "$mcount"
claim 'the same run gives the same bytes' cmp "$work/first" "$trace"
run run --harts 2 --append "$demo" --fetch random:3 "$mcount"
keep
run run --harts 2 --append "$demo" --fetch random:3 --trace "$trace" "$mcount"
claim 'random fetches do not notice it' as_kept

run run --quiet --harts 2 --append "$demo" --console none --trace - "$mcount"
claim '--trace - is standard output' cmp "$work/first" "$out"
run run --quiet --harts 2 --append "$demo" --trace "$trace" --trace-calls on --report "$work/r.json" "$mcount"
claim_calls '--trace-calls=on leaves out those of sites that are off' "
    functions and all(c.state != 'off' for c in functions) and
    sum(c.state == 'on' for c in functions) == sum(s['on']['entries'] for s in report['sites']
                                                   if s['kind'] == 'function')"
printf 'continue\n' >"$work/commands"
run debug --harts 2 --append "$demo" --commands "$work/commands" --trace "$trace" "$mcount"
claim 'a session under the debugger writes the same' cmp "$work/first" "$trace"

# A module, whose functions call each other, also by tail calls.
run run --quiet --harts 2 --initrd "$BUILD/guest-kernel/mcount/modules.cpio" --trace "$trace" --trace-calls on \
    --report "$work/r.json" "$mcount" --append "script=\"insmod /lib/modules/trace_sample.ko depth=2;
    echo function_graph > $T/current_tracer; cat /proc/trace_sample; rmmod trace_sample\""
claim_calls 'functions of modules are named' "
    [c.name for c in functions if c.name.startswith('trace_sample:') and c.comm == 'cat'] ==
    ['trace_sample:sample_' + n for n in 'show branch branch branch leaf leaf branch leaf leaf'.split()]" \
    '... and their callers' "
    {c.caller.split('+')[0] for c in functions if c.name == 'trace_sample:sample_leaf'} == {'trace_sample:sample_branch'}
    and not [c for c in functions if c.back and c.caller.startswith('0x')]"

# Images without sites, and files that cannot be written.
none=$BUILD/guest-kernel/none/kernel.elf
run run --quiet --append 'script="work calls 1"' --trace "$trace" "$none"
claim 'a kernel without sites is said to have none, once' \
    has_status 0 and line_count 1 'warning: .*has no ftrace sites' "$err"
claim '... and its trace is an empty one' is_json "$trace"
run run --quiet --trace "$work/no/where" "$mcount"
claim 'a place that is not there is status 74' has_status 74
claim '... and one line' says_one_line '.*no/where: cannot be created: No such file'
run run --quiet --append "$demo" --trace /dev/full "$mcount"
claim 'a full disk is status 74' has_status 74
claim '... and one line' says_one_line '/dev/full: No space left on device; the trace ends'
run run --quiet --max-insns 1 --trace /dev/full "$mcount"
claim '... also when the last lines do not fit' has_status 74
mkfifo "$work/pipe"
head -c 100 "$work/pipe" >"$work/head" &
run run --quiet --append "$demo" --trace "$work/pipe" "$mcount"
claim 'a reader that goes away is status 74, not a signal' has_status 74
claim '... and one line' says_one_line '.*pipe: Broken pipe; the trace ends'
wait

# ends_by SIGNAL: ends a long run by a signal.
ends_by() {
    "$rvftrace" run --quiet --console none --append 'script="work threads 100000"' \
        --trace "$trace" "$mcount" </dev/null >"$out" 2>"$err" &
    pid=$!
    tries=0
    while [ "$(wc -c <"$trace.log.part")" -lt 100000 ] && [ $((tries += 1)) -lt 300 ]; do sleep 0.1; done
    kill "-$1" $pid
    wait_killed $pid 2>"$work/why"
}
rm -f "$trace"
: >"$trace.log.part"
ends_by TERM
# The trace is made if that takes less time than a signal leaves; else the log stays, of which it can be made.
made_or_left() {
    if [ -e "$trace" ]; then
        is_json "$trace" && [ ! -e "$trace.log.part" ]
    else
        has_line "; $trace.log.part has the run's log$" "$err" && "$rvftrace" log "$trace.log.part" >"$work/left" 2>&1
    fi
}
claim 'SIGTERM ends the run' has_status 143
claim '... with its trace, or the log' made_or_left and test ! -e "$trace.log"
echo old >"$trace"
: >"$trace.log.part"
ends_by KILL
claim 'after SIGKILL the former file is still there' has_status 137 and has_line '^old$' "$trace"
run log --to chrome -o "$trace" "$trace.log.part"
claim_calls '... and what was recorded, beside it, can be converted' "len(calls) > 1000"
run run -q --max-insns 2500K --log "$work/run.log" --trace "$trace" --from step:950K --until step:2300K --function 'k*' --console none "$mcount"
run log --to chrome --from step:950K --until step:2300K --function 'k*' -o "$work/part.json" "$work/run.log"
claim '--from, --until and --function select of --trace what they do of the log' cmp "$trace" "$work/part.json"
claim_calls '... calls of these functions' "calls and all(c.name.startswith('k') for c in functions)"
finish
