#!/bin/sh
# same_run.sh - a session does not change what the guest does: with stops, steps and watchpoints
# the report (cycles, sites, patches) is identical to that of a plain run.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
tracing=/sys/kernel/tracing
failed=0
echo continue >"$dir/plain"
cat >"$dir/busy" <<'C'
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

report() {
    "$build/rvftrace" debug --harts "$1" --seed "$2" --console none --report "$dir/$3.json" \
        --commands "$dir/$3" \
        --append "ftrace=function script=\"echo function_graph > $tracing/current_tracer;work tree 1;echo nop > $tracing/current_tracer;poweroff\"" \
        "$build/guest-kernel/mcount/kernel.elf" >"$dir/$3.out" 2>&1 || :
}

for harts in 1 2 4; do
    for seed in 1 2 3; do
        report "$harts" "$seed" plain
        report "$harts" "$seed" busy
        if grep -q 'has ended with status 0' "$dir/busy.out" &&
            cmp -s "$dir/plain.json" "$dir/busy.json"; then
            echo "ok - stops change nothing on $harts harts, seed $seed"
        else
            echo "not ok - stops change nothing on $harts harts, seed $seed"
            sed 's/^/# /' "$dir/busy.out"
            failed=1
        fi
    done
done
exit $failed
