#!/bin/sh
# layouts.sh - in every layout QEMU and rvftrace run the same, and the auditor has no complaint.
#
# The trace of a fixed filter on one hart is the same in all layouts, too: what
# was called is a property of the source.  While tracers come and go under load
# results stay right on 1 to 4 harts in each fetch mode.
. "$(dirname "$0")/lib.sh"

functions='fib ackermann even odd calls_once'
traced="echo $functions > $T/set_ftrace_filter; echo function > $T/current_tracer; work calls 3;
    echo 0 > $T/tracing_on; cat $T/trace; echo 1 > $T/tracing_on;
    echo function_graph > $T/current_tracer; work calls 2; echo 0 > $T/tracing_on; cat $T/trace;
    echo nop > $T/current_tracer; work calls 3; work tree 2; work sort 2; work mixed 2"
toggle="echo function > $T/current_tracer; sleep 0.001; echo function_graph > $T/current_tracer;
    sleep 0.001; echo nop > $T/current_tracer; sleep 0.001;"
loaded="work threads 12 & $toggle $toggle wait; work mixed 1"

# The claim, in Python, holds of the last report.
reported() {
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' \
        "$work/report" "$1"
}

# What was called by whom and what came out of it, without times, counters and the layout's figures.
essence() {
    sed -nE '/^# script|ftrace: allocating/d; s/ (cycles|insns)=[0-9]*//g
        s/^ +[a-z]+-[0-9]+ +\[[0-9]+\] .*: ([a-z_]+ <-[a-z_]+)/\1/p
        s/^ 0\) .*\|  /|/p; /^work /p' "$out"
}

run_guest none 1 'work threads 12'
expected=$(work_field threads result)

for layout in $dynamic_layouts; do
    run_guest $layout 1 "$traced"
    essence >"$work/qemu.$layout"
    claim "$layout: QEMU traces each call" \
        test "$(grep -c '<-' "$work/qemu.$layout")" = "$(work_field calls calls | sed -n 1p)"
    claim "$layout: QEMU draws each call" \
        test "$(grep -c '();$\|() {$' "$work/qemu.$layout")" = "$(work_field calls calls | sed -n 2p)"
    run_on_rvftrace $layout 1 "$traced" --report "$work/report"
    claim "$layout: rvftrace knows it" has_status 0 and reported "r['layout'] == '$layout'"
    claim "$layout: each site was patched" \
        reported 'max(c["count"] for c in r["updates"][0]["changes"]) >= r["totals"]["functions"] > 100'
    essence >"$work/ours.$layout"
    claim "$layout: rvftrace shows the same" diff "$work/qemu.$layout" "$work/ours.$layout"
    claim "$layout: the trace is that of mcount" \
        diff "$work/qemu.mcount" "$work/qemu.$layout"
    run_on_rvftrace $layout 1 "echo calls_once > $T/set_ftrace_filter; echo 1 > $T/options/func_stack_trace;
        echo function > $T/current_tracer; work calls 1; echo 0 > $T/tracing_on; cat $T/trace"
    claim "$layout: a walk of the stack meets the traced function, then its caller" \
        has_status 0 and test "$(sed -n 's/^ => //p' "$out" | sed 3q | tr '\n' ' ')" = 'calls_once calls_run workload_thread '
    for run in 1.stale 2.coherent 2.random:1 4.stale 4.random:2; do
        run_on_rvftrace $layout "${run%%.*}" "$loaded" --fetch "${run#*.}" --seed "${run%%.*}"
        claim "$layout under load, harts and fetch $run: no finding" has_status 0
        claim "$layout under load, harts and fetch $run: the threads' results are right" \
            test "$(work_field threads result)" = "$expected"
        claim_no_line "$layout under load, harts and fetch $run: no warning" \
            'WARNING|panic|ftrace (failed|faulted)' "$out"
    done
done

run_on_rvftrace callops 1 "echo fib > $T/set_ftrace_filter; echo function > $T/current_tracer; cat $T/enabled_functions;
    echo nop > $T/current_tracer" --report "$work/report"
claim 'callops: the report has the update that switches it on, with its ops and its site' has_status 0 and \
    reported '[(c["what"], c.get("from"), c.get("to"), c["count"], c["example"]["site"])
               for u in r["updates"][1:2] for c in u["changes"]] == [("site", "off", "on", 1, "fib"),
                                                                     ("ops", None, None, 1, "fib")]'
cat >"$work/commands" <<END
continue
patches fib 10
quit
END
try timeout 300 "$BUILD/rvftrace" debug --quiet --console none --memory 128M -x "$work/commands" \
    --append "script=\"echo fib > $T/set_ftrace_filter; echo function > $T/current_tracer; echo nop > $T/current_tracer\"" \
    "$BUILD/guest-kernel/callops/kernel.elf" </dev/null >"$work/said" 2>"$err"
claim 'callops: a site is on only while its ops are named' \
    has_status 0 and test "$(sed -nE 's/^#[0-9]+ (ops )?.*/\1site/p' "$work/said" | tr '\n' ' ')" = \
        'site ops site ops site site site ops site '

claim_line 'callops: enabled_functions says whose ops that are' \
    '^fib \(1\)       O	ops: .* \(function_trace_call\+0x0/0x[0-9a-f]+\)$' "$out"

# Where nothing is patched there is no filter either: everything is traced, and ours is in it.
of_workload() { essence | grep -E "^($(echo $functions | tr ' ' '|')) <-"; }
static="echo function > $T/current_tracer; work calls 3; echo 0 > $T/tracing_on; cat $T/trace;
    echo nop > $T/current_tracer; work mixed 1"
grep '<-' "$work/qemu.mcount" >"$work/calls"
for run in 1.stale 4.random:1; do
    run_on_rvftrace static "${run%%.*}" "$static" --fetch "${run#*.}" --report "$work/report"
    of_workload >"$work/static"
    claim "static, harts and fetch $run: no finding" has_status 0
    claim "static, harts and fetch $run: the calls of the workload are those of mcount" \
        cmp "$work/calls" "$work/static"
    claim "static, harts and fetch $run: no site, no patch" \
        reported '(r["layout"] == "static" and not r["sites"] and r["patch_counts"]["sites"] == 0 and
                   not any(u["changes"] for u in r["updates"]))'
done
run_guest static 2 "$static; echo 1 > $T/tracing_on; echo function_graph > $T/current_tracer; work threads 12"
of_workload >"$work/static"
claim 'static: QEMU shows the same' \
    cmp "$work/calls" "$work/static"
claim 'static: the graph tracer does no harm' test "$(work_field threads result)" = "$expected"
${CROSS}nm "$BUILD/guest-kernel/static/kernel.elf" >"$work/symbols"
claim 'static: there is nothing that could patch a site' has_line ' ftrace_stub$' "$work/symbols" \
    and no_line ' (ftrace_caller|ftrace_modify_call|ftrace_make_call)$' "$work/symbols"
finish
