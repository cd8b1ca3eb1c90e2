#!/bin/sh
# latency.sh - the tracers of sections without interrupts and preemption, and of wake-ups, in a kernel of the flavour `latency`.
. "$(dirname "$0")/lib.sh"

# The part of the console after `== NAME`.
part() { sed -n "/^== $1\$/,/^== /p" "$out" | sed '1d;$d'; }
part_has() { part "$1" | grep -Eq -- "$2"; }
# The latency of a header, in us, and the times of the last entries before the stack: the section's end was between them.
header_us() { part "$1" | sed -n 's/^# latency: \([0-9]*\) us, .*/\1/p'; }
ends_us() { part "$1" | grep -B 1 'us[ +!#]*: tracer_' | sed -n 's/^.* \([0-9]*\)us[ +!#]*: .*/\1/p' | tr '\n' ' '; }
# is_between LOW HIGH NUMBER: or 1 beside them, as times are rounded to 1 us.
is_between() { test $(($3 + 1)) -ge "$1" && test "$3" -le $(($2 + 1)); }
agrees() { test "$(header_us $1)" -gt 0 && is_between $(ends_us $1) $(header_us $1); }

# The same for a wake-up, which ends after the switch and its stack were recorded.
switch_us() { part "$1" | sed -n 's/^.* \([0-9]*\)us[ +!#]*: .* ==> .*/\1/p'; }
wakeup_agrees() { test "$(header_us $1)" -gt 0 && is_between $(switch_us $1) $(($(switch_us $1) + 10)) $(header_us $1); }

# As in Linux, the wake-up of a task that has not stopped running yet counts until that task is chosen again, maybe long
# after it is no real-time task any more. Whether the longest one is such depends on the moment, so this tries again.
until_realtime="n=0; until grep -q 'policy:[12] rt_prio:[1-9]' trace || test \$n = 8; do
        echo 0 > tracing_max_latency; echo 1 > tracing_on; selftest sched > /x; echo 0 > tracing_on; n=\$((n + 1)); done"

sections() {
    where=$2
    BOOTARGS=ftrace_selftest
    $1 pfe8-latency 2 "cd $T; cat available_tracers; echo irqsoff > current_tracer; work threads > /x; echo 0 > tracing_on;
        echo == irqsoff; cat trace; echo == max; cat tracing_max_latency; echo == options; cat options/latency-format options/pause-on-trace; echo 0 > options/overwrite; echo 1 > snapshot; echo 1 > tracing_on;
        echo == preemptoff; echo preemptoff > current_tracer; work threads > /x; echo 0 > tracing_on; cat trace; echo 1 > tracing_on;
        echo == graph; echo 1 > options/display-graph; work threads > /x; echo 0 > tracing_on; cat trace; echo 0 > options/display-graph;
        echo == short; echo 1 > tracing_on; echo 0 > options/function-trace; echo preemptirqsoff > current_tracer; work threads > /x; echo 0 > tracing_on; cat trace;
        echo == again; echo 0 > tracing_max_latency; cat tracing_max_latency; echo nop > current_tracer; cat options/latency-format;
        echo 1 > tracing_on; echo 1 > options/function-trace; echo 1 > snapshot;
        echo == wakeup_rt; echo wakeup_rt > current_tracer; $until_realtime; cat trace; cat tracing_max_latency options/latency-format; echo 1 > snapshot; echo 1 > tracing_on;
        echo == wakeup; echo 1 > options/display-graph; echo wakeup > current_tracer; selftest sched > /x; echo 0 > tracing_on; cat trace; echo 0 > options/display-graph;
        echo == plain; echo 1 > tracing_on; echo 0 > options/function-trace; echo 0 > tracing_max_latency; selftest sched > /x; echo 0 > tracing_on; cat trace;
        echo == thresh; echo 1000000 > tracing_thresh; echo nop > current_tracer; echo 1 > tracing_on; echo wakeup > current_tracer; selftest sched > /x; grep -c . trace; cat tracing_max_latency; echo 0 > tracing_thresh;
        echo nop > current_tracer; echo 1 > options/function-trace; cat options/latency-format; echo == end; echo"
    for tracer in irqsoff preemptoff preemptirqsoff; do
        claim_line "$where: $tracer passes its own test" "Testing tracer $tracer: PASSED" "$out"
    done
    claim_line "$where: they are available" '\bpreemptirqsoff preemptoff irqsoff\b' "$out"
    for tracer in irqsoff preemptoff; do
        claim "$where: $tracer shows its longest section" part_has $tracer "^# $tracer latency trace v1.1.5 on "
        claim "$where: $tracer says whose it was" part_has $tracer '^#    \| task: .*-[0-9]+ \(uid:0 nice:0 policy:[01] rt_prio:[0-9]+\)'
        claim "$where: $tracer says where it began" part_has $tracer '^#  => started at: [a-z_]+$'
        claim "$where: $tracer says where it ended" part_has $tracer '^#  => ended at:   [a-z_]+$'
        claim "$where: $tracer records the calls in it" part_has $tracer ' 1?[0-9]us.?: [a-z_]+ <-[a-z_]+$'
        claim "$where: $tracer records the stack at its end" part_has $tracer '^ => [a-z_]+$'
        claim "$where: $tracer's header agrees with its entries" agrees $tracer
    done
    part irqsoff | grep -E ' [0-9]+us.?: ' >"$work/entries"
    claim "$where: irqsoff's entries have interrupts off" test -s "$work/entries" \
        and line_count "$(wc -l <"$work/entries")" ' [0-9]+d[.nN]' "$work/entries"
    claim "$where: tracing_max_latency is the header's" test "$(part max | grep -v '#')" = "$(header_us irqsoff)"
    claim "$where: they set latency-format and pause-on-trace" test "$(part options | grep -cx 1)" = 2
    claim "$where: overwriting cannot be turned off" part_has options 'Invalid argument'
    claim "$where: the snapshot is theirs" part_has options 'Device or resource busy'
    claim "$where: display-graph shows calls" part_has graph '\|  [.d][.n][.h][1-9]\.\| +[0-9.]+ us +\|  +[a-z_]+\(\);$'
    claim "$where: with a time from the begin of the section" part_has graph '^        [0-9] us \|   [01]\) '
    # Three entries of the section, six of the wake-up, and those before them in the same tick of the clock.
    claim "$where: nofunction-trace leaves the begin and the end" is_between 4 6 "$(part short | grep -c 'us.\?: [a-z_]* <-')"
    for tracer in wakeup wakeup_rt; do
        claim_line "$where: $tracer passes its own test" "Testing tracer $tracer: PASSED" "$out"
    done
    claim "$where: wakeup_rt shows its longest wake-up" part_has wakeup_rt '^# wakeup_rt latency trace v1.1.5 on '
    claim "$where: wakeup_rt follows a real-time task" part_has wakeup_rt '^#    \| task: .*-[0-9]+ \(uid:0 nice:0 policy:[12] rt_prio:[1-9][0-9]*\)'
    claim "$where: wakeup_rt begins with the wake-up" part_has wakeup_rt ' [01]us[ +!#]*:  +[0-9]+: *[0-9]+:[RSD]   \+ \[00[01]\] +[0-9]+: *[0-9]{1,2}:R '
    claim "$where: wakeup_rt records the calls until the switch" part_has wakeup_rt ' [0-9]+us[ +!#]*: __schedule <-[a-z_]+$'
    claim "$where: wakeup_rt ends with the switch" part_has wakeup_rt ' [0-9]+us[ +!#]*:  +[0-9]+: *[0-9]+:[RSDX] ==> \[00[01]\] +[0-9]+: *[0-9]{1,2}:R '
    claim "$where: wakeup_rt's two stacks are the waker's and the scheduler's" test "$(part wakeup_rt | grep -Ec '^ => (__schedule|try_to_wake_up|wake_up_new_task)$')" = 2
    claim "$where: wakeup_rt's header agrees with its entries" wakeup_agrees wakeup_rt
    claim "$where: wakeup_rt sets latency-format and owns the snapshot" part_has wakeup_rt 'Device or resource busy'
    claim "$where: wakeup shows the calls as a graph" part_has wakeup '^ +[0-9]+ us \|   [01]\) .*\|  +[a-z_]+\(\);$'
    claim "$where: wakeup shows the switch in it" part_has wakeup '==> \[00[01]\] .* \*/$'
    claim "$where: nofunction-trace leaves the wake-up and the switch" is_between 7 9 "$(part plain | grep -c ' [0-9]*us[ +!#]*: ')"
    claim "$where: nothing waits as long as tracing_thresh" test "$(part thresh | grep -xc 0)" = 2
    claim "$where: the maximum can be set" part_has again '^0$'
}

sections run_on_rvftrace rvftrace
claim 'rvftrace: nothing was wrong on the way' has_status 0 and no_line 'WARNING|BUG|Oops|panic|FAILED' "$out"

# held_against_the_machine OPTION VALUE: irqsoff's longest section against the longest time without interrupts by the
# machine's clock. The tracer counts the time of its last entry, in ticks of 100 ns, and shows whole us.
held_against_the_machine() {
    where="$1 $2"
    try "$BUILD/tests/machine/irqs_off_check" -a "script=\"cd $T; echo $2 > options/$1; echo 0 > tracing_on; echo irqsoff > current_tracer;
        echo 1 > tracing_on; work threads > /x; echo 0 > tracing_on; cat trace\"" "$BUILD/guest-kernel/pfe8-latency/kernel.elf" >"$out"
    us=$(sed -n 's/^# latency: \([0-9]*\) us, .*/\1/p' "$out")
    machine=$(sed -n 's/^machine: told: \([0-9]*\) ns .*/\1/p' "$out")
    raw=$(sed -n 's/^machine: raw: \([0-9]*\) ns .*/\1/p' "$out")
    claim "$where: irqsoff has not missed the longest section" has_status 0 and test $((us * 1000 + 999)) -ge "$machine"
    claim "$where: irqsoff does not say more than there was" test $((us * 1000)) -le $((machine + 1000))
    claim "$where: it is told of all but the tracer's own sections" test "$raw" -lt 1000
}
held_against_the_machine function-trace 1
held_against_the_machine function-trace 0
held_against_the_machine display-graph 1

# wakeup_held_against_the_machine TRACER FUNCTION-TRACE SUITE: the longest wait for the hart against the longest by the
# machine's clock. The tracer shows whole us, and reads its clock after the stack of the wake-up.
wakeup_held_against_the_machine() {
    where="$1, function-trace $2"
    try "$BUILD/tests/machine/wakeup_check" -a "script=\"cd $T; echo $2 > options/function-trace; echo 0 > tracing_on; echo $1 > current_tracer;
        echo 1 > tracing_on; selftest $3 > /x; echo 0 > tracing_on; cat trace\"" "$BUILD/guest-kernel/pfe8/kernel.elf" >"$out"
    us=$(sed -n 's/^# latency: \([0-9]*\) us, .*/\1/p' "$out")
    machine=$(sed -n 's/^machine: told: \([0-9]*\) ns .*/\1/p' "$out")
    whole=$(sed -n 's/^machine: whole: \([0-9]*\) ns .*/\1/p' "$out")
    claim "$where: what it says is the longest wait that it was told of" has_status 0 and is_between $((us * 1000 - 1000)) $((us * 1000 + 2000)) "$machine"
    claim "$where: it was told of all of the wait but what the probes take" is_between "$machine" $((machine + 5000)) "$whole"
}
wakeup_held_against_the_machine wakeup 1 deadline
wakeup_held_against_the_machine wakeup_rt 0 sched
wakeup_held_against_the_machine wakeup_dl 1 deadline
finish
