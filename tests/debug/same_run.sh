#!/bin/sh
# same_run.sh - a session does not change what the guest does: with stops, steps and watchpoints
# the report (cycles, sites, patches) is identical to that of a plain run.
. "$(dirname "$0")/common.inc"

echo continue >"$work/plain"
cat >"$work/busy" <<'C'
break ftrace_make_call
break schedule hart 0
tbreak ftrace_call
stepi 3000
nexti 200
continue
finish
continue
nexti 100
backtrace
hart 1
stepi 500
nexti 50
hart 0
stepi 700
continue
delete
tbreak ftrace_modify_all_code
watch ftrace_call
awatch ftrace_ops_list if *ftrace_ops_list > 1
rwatch ftrace_trace_function
continue
continue
continue
stepi 300
continue
delete
tbreak ftrace_modify_all_code
continue
stepi 5000
nexti 300
until prepare_ftrace_return
watch-patch ftrace_* stores
continue
stepi 300
continue
watch-patch off
finish
stepi 2000
continue
C

# report HARTS SEED NAME: of the session with the commands of that name.
report() {
    try "$rvftrace" debug --harts "$1" --seed "$2" --console none --report "$work/$3.json" --commands "$work/$3" \
        --append "ftrace=function script=\"echo function_graph > $tracing/current_tracer;work tree 1;echo nop > $tracing/current_tracer;poweroff\"" \
        "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$work/$3.out" 2>&1
}

for harts in 1 2 4; do
    for seed in 1 2 3; do
        report "$harts" "$seed" plain
        report "$harts" "$seed" busy
        claim "stops change nothing on $harts harts, seed $seed" has_status 0 \
            and has_line 'has ended with status 0' "$work/busy.out" and cmp "$work/plain.json" "$work/busy.json"
    done
done
finish
