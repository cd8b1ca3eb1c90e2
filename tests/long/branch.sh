#!/bin/sh
# branch.sh - the flavour `branch`: each likely(), unlikely() and `if` is counted, the tracer branch records the
# annotated ones and passes its own test.
. "$(dirname "$0")/../guest/lib.sh"

# The part of the console after `== NAME`, its lines that match, and their number.
part() { sed -n "/^== $1\$/,/^== /p" "$out" | sed '1d;$d'; }
part_has() { part "$1" | grep -Eq -- "$2"; }
# column PART N FUNCTION: the largest number there in that column of a function's branches.
column() { part "$1" | awk -v n="$2" -v f="$3" '$4 == f && $n + 0 > max { max = $n + 0 } END { print max + 0 }'; }
grows() { test "$(column $1 $2 $3)" -ge $(($(column $4 $2 $3) + 100)); }
is_sorted() { part "$1" | awk '/^ *[0-9]+ +[0-9]/ && $3 != "X" { if (n++ && $3 + 0 > last) bad = 1; last = $3 + 0 } END { exit bad || n < 20 }'; }

judge() {
    claim_line "$1: the tracer passes its own test" 'Testing tracer branch: PASSED' "$out"
    claim_line "$1: it is available" '\bbranch .*nop$' "$out"
    claim "$1: its header" part_has tracer '^#           TASK-PID    CPU#    TIMESTAMP  CORRECT  FUNC:FILE:LINE$'
    claim "$1: it records branches that went as said" part_has tracer ' \[  ok  \] [a-z_]+:[a-z_]+\.[ch]:[0-9]+$'
    claim "$1: of several files" test "$(part tracer | sed -n 's/.*\] [a-z_]*:\([a-z_.]*\):.*/\1/p' | sort -u | wc -l)" -ge 4
    claim "$1: the option branch records them in another tracer" part_has option '\[  ok  \] '
    part off >"$work/off"
    claim_no_line "$1: and no more when it is off" '\[  ok  \]' "$work/off"
    claim "$1: branch_annotated has its columns" part_has before '^ correct incorrect  %        Function                  File              Line$'
    claim "$1: the worst is first" is_sorted before
    claim "$1: what is freed passes a branch of slab_free, and is counted" grows after 1 slab_free before
    claim "$1: branch_all has its columns" part_has all '^   miss      hit    %        Function                  File              Line$'
    claim "$1: and the ifs of kfree" test "$(column all 2 kfree)" -ge 100 -o "$(column all 1 kfree)" -ge 100
    claim "$1: the script ends, without a warning" has_line '^== end' "$out" \
        and no_line 'WARNING:|BUG:|Oops|Kernel panic|FAILED' "$out"
}

script="cd $T; cat available_tracers; echo == before; cat trace_stat/branch_annotated; work tree 100; echo == after; cat trace_stat/branch_annotated;
    echo == all; cat trace_stat/branch_all; echo == tracer; echo branch > current_tracer; cat /proc/version > /x; echo 4096 > buffer_size_kb; work threads > /x; echo 0 > tracing_on; grep MISS trace; head -n 3000 trace;
    echo == option; echo nop > current_tracer; echo 1 > options/branch; echo 1 > tracing_on; cat /proc/version > /x; echo 0 > tracing_on; head -n 400 trace;
    echo == off; echo 0 > options/branch; echo > trace; echo 1 > tracing_on; cat /proc/version > /x; head -n 40 trace; echo == end; echo"
BOOTARGS=ftrace_selftest
for harts in 1 4; do
    run_on_rvftrace pfe8-branch $harts "$script"
    claim "$harts harts: the audit finds nothing" has_status 0
    judge "$harts harts"
    # A thread that is preempted where preemption was unlikely; of several harts each may have a thread for itself.
    [ $harts -ne 1 ] || claim "$harts harts: and those that did not" part_has tracer ' \[ MISS \] preempt_enable:preempt\.h:[0-9]+$'
done
finish
