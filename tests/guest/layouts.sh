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

# ours LAYOUT HARTS SCRIPT [OPTIONS...]: as run_guest, on rvftrace; its exit status in $status.
ours() {
    layout=$1 harts=$2 script=$3
    shift 3
    timeout 100 "$BUILD/rvftrace" run --quiet --audit fail --harts "$harts" --memory 128M \
        --append "script=\"$(echo "$script" | tr '\n' ' ')\"" "$@" \
        "$BUILD/guest-kernel/$layout/kernel.elf" </dev/null >"$work_dir/raw" 2>"$work_dir/errors"
    status=$?
    tr -d '\r' <"$work_dir/raw" >"$out"
}

# The claim, in Python, holds of the last report.
reported() {
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' \
        "$work_dir/report" "$1"
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
    essence >"$work_dir/qemu.$layout"
    check "$layout: QEMU traces each call" \
        test "$(grep -c '<-' "$work_dir/qemu.$layout")" = "$(work_field calls calls | sed -n 1p)"
    check "$layout: QEMU draws each call" \
        test "$(grep -c '();$\|() {$' "$work_dir/qemu.$layout")" = "$(work_field calls calls | sed -n 2p)"
    ours $layout 1 "$traced" --report "$work_dir/report"
    check "$layout: rvftrace knows it" reported "r['layout'] == '$layout'"
    check "$layout: each site was patched" \
        reported 'max(c["count"] for c in r["updates"][0]["changes"]) >= r["totals"]["functions"] > 100'
    essence >"$work_dir/ours.$layout"
    check "$layout: rvftrace shows the same" diff "$work_dir/qemu.$layout" "$work_dir/ours.$layout"
    check "$layout: the trace is that of mcount" \
        diff "$work_dir/qemu.mcount" "$work_dir/qemu.$layout"
    ours $layout 1 "echo calls_once > $T/set_ftrace_filter; echo 1 > $T/options/func_stack_trace;
        echo function > $T/current_tracer; work calls 1; echo 0 > $T/tracing_on; cat $T/trace"
    check "$layout: a walk of the stack meets the traced function, then its caller" \
        test "$(sed -n 's/^ => //p' "$out" | sed 3q | tr '\n' ' ')" = 'calls_once calls_run workload_thread '
    for run in 1.stale 2.coherent 2.random:1 4.stale 4.random:2; do
        ours $layout "${run%%.*}" "$loaded" --fetch "${run#*.}" --seed "${run%%.*}"
        check "$layout under load, harts and fetch $run: no finding" test "$status" -eq 0
        check "$layout under load, harts and fetch $run: the threads' results are right" \
            test "$(work_field threads result)" = "$expected"
        check "$layout under load, harts and fetch $run: no warning" \
            console_lacks 'WARNING|panic|ftrace (failed|faulted)'
    done
done

ours callops 1 "echo fib > $T/set_ftrace_filter; echo function > $T/current_tracer; cat $T/enabled_functions;
    echo nop > $T/current_tracer" --report "$work_dir/report"
check 'callops: the report has the update that switches it on, with its ops and its site' \
    reported '[(c["what"], c.get("from"), c.get("to"), c["count"], c["example"]["site"])
               for u in r["updates"][1:2] for c in u["changes"]] == [("site", "off", "on", 1, "fib"),
                                                                     ("ops", None, None, 1, "fib")]'
cat >"$work_dir/commands" <<END
continue
patches fib 10
quit
END
timeout 100 "$BUILD/rvftrace" debug --quiet --console none --memory 128M -x "$work_dir/commands" \
    --append "script=\"echo fib > $T/set_ftrace_filter; echo function > $T/current_tracer; echo nop > $T/current_tracer\"" \
    "$BUILD/guest-kernel/callops/kernel.elf" </dev/null >"$work_dir/said" 2>"$work_dir/errors"
check 'callops: a site is on only while its ops are named' \
    test "$(sed -nE 's/^#[0-9]+ (ops )?.*/\1site/p' "$work_dir/said" | tr '\n' ' ')" = \
        'site ops site ops site site site ops site '

check 'callops: enabled_functions says whose ops that are' \
    console_has "fib \(1\)       O	ops: .* \(function_trace_call\+0x0/0x[0-9a-f]+\)"

# Where nothing is patched there is no filter either: everything is traced, and ours is in it.
of_workload() { essence | grep -E "^($(echo $functions | tr ' ' '|')) <-"; }
static="echo function > $T/current_tracer; work calls 3; echo 0 > $T/tracing_on; cat $T/trace;
    echo nop > $T/current_tracer; work mixed 1"
for run in 1.stale 4.random:1; do
    ours static "${run%%.*}" "$static" --fetch "${run#*.}" --report "$work_dir/report"
    of_workload >"$work_dir/static"
    check "static, harts and fetch $run: no finding" test "$status" -eq 0
    check "static, harts and fetch $run: the calls of the workload are those of mcount" \
        sh -c "grep '<-' '$work_dir/qemu.mcount' | cmp - '$work_dir/static'"
    check "static, harts and fetch $run: no site, no patch" \
        reported '(r["layout"] == "static" and not r["sites"] and r["patch_counts"]["sites"] == 0 and
                   not any(u["changes"] for u in r["updates"]))'
done
run_guest static 2 "$static; echo 1 > $T/tracing_on; echo function_graph > $T/current_tracer; work threads 12"
of_workload >"$work_dir/static"
check 'static: QEMU shows the same' \
    sh -c "grep '<-' '$work_dir/qemu.mcount' | cmp - '$work_dir/static'"
check 'static: the graph tracer does no harm' test "$(work_field threads result)" = "$expected"
check 'static: there is nothing that could patch a site' \
    sh -c "! ${CROSS}nm '$BUILD/guest-kernel/static/kernel.elf' | grep -E ' (ftrace_caller|ftrace_modify_call|ftrace_make_call)\$'"
finish
