#!/bin/sh
# programs.sh - programs in U-mode do what Linux's would, on QEMU and on rvftrace, traced or not.
. "$(dirname "$0")/lib.sh"

initrd=$BUILD/guest-kernel/initrd.cpio
all='/bin/threadtest; /bin/forktest; /bin/memtest x; /bin/systest; /bin/fptest; /bin/sigtest; /bin/linktest; /bin/interptest; /bin/waittest'
claims=$(cd guest/user && cat threadtest.c forktest.c memtest.c systest.c fptest.c sigtest.c linktest.c interptest.c waittest.c | sed '/^static int test_out_of_memory/,/^}/d' | grep -c '^ *check("')

# on_rvftrace LAYOUT HARTS SCRIPT [OPTIONS...]: as run_guest; a finding of the audit ends it.
on_rvftrace() {
    layout=$1 harts=$2 script=$3
    shift 3
    timeout 120 "$BUILD/rvftrace" run --quiet --audit fail --memory 128M --harts "$harts" \
        --initrd "$initrd" --append "script=\"$script\"" "$@" \
        "$BUILD/guest-kernel/$layout/kernel.elf" </dev/null 2>"$work_dir/errors" |
        tr -d '\r' | sed -n '/Memory:/,$p' >"$out"
}
on_qemu() {
    layout=$1 harts=$2 script=$3
    shift 3
    run_guest "$layout" "$harts" "$script" -initrd "$initrd" "$@"
}

all_hold() {
    test "$(grep -c '^ok - ' "$out")" -eq "$claims" && console_lacks '^not ok' &&
        console_has 'the end' && test ! -s "$work_dir/errors"
}
sysbench_results() { sed -n 's/ cycles=.*//; /^sysbench /p' "$out"; }

for layout in none mcount; do
    for harts in 1 4; do
        for machine in qemu rvftrace; do
            on_$machine $layout $harts "$all; /bin/sysbench; echo the end"
            check "$layout, $harts harts, $machine: every claim of the test programs holds" all_hold
            sysbench_results >"$work_dir/results.$layout.$harts.$machine"
        done
    done
done
check 'each benchmark ran' test "$(wc -l <"$work_dir/results.none.1.qemu")" -eq 7
check 'their results are the same in every layout, on both machines, on any number of harts' \
    test "$(cat "$work_dir"/results.* | sort -u | wc -l)" -eq 7

script='hello one two; echo status $?; memtest > /m; grep -c ^ok /m; /bin/sysbench nothing; echo status $?;
    hello | wc -l; nothing; X=1 hello; /bin/hello > /out; cat /out'
on_qemu none 1 "$script"
sed 's/^\[ *[0-9.]*\]/[time]/' "$out" >"$work_dir/qemu"
on_rvftrace none 1 "$script"
sed 's/^\[ *[0-9.]*\]/[time]/' "$out" >"$work_dir/ours"
check 'both consoles are the same' diff "$work_dir/qemu" "$work_dir/ours"
check 'a program gets its arguments' console_has 'argv\[2\] = two'
check 'and its exit status is the command'"'"'s' console_has 'status 2'
check 'a program can stand in a pipeline' console_has '4'

on_rvftrace none 2 'memtest oom; hello' --memory 24M
check 'memory that is all taken comes back when its taker is killed' \
    sh -c "[ \$(grep -c '^ok - ' '$out') -eq 2 ] && grep -q '^hello' '$out' &&
        [ \$(grep -c 'Out of memory: Killed process' '$out') -eq 2 ]"

# The first ^C may come when there is no program yet.
tests/machine/talk.py 60 "$BUILD/rvftrace" run --quiet --audit fail --harts 2 --initrd "$initrd" \
    "$BUILD/guest-kernel/none/kernel.elf" >"$out" 2>"$work_dir/errors" <<'STEPS'
wait # 
send echo 'g'o; sysbench getpid 100000000
wait go
keys \x03
wait ^C
wait # 
send echo left $?
wait left
wait # 
send echo 'g'o; sysbench pipe 100000000
wait go
keys \x03
wait ^C
wait # 
send echo left $?
wait left
wait # 
send poweroff
STEPS
check '^C ends a program, and all of its processes' \
    sh -c "[ \$(grep -c 'left 130' '$out') -eq 2 ] && ! test -s '$work_dir/errors'"

# Each call is one record, however the program is interrupted.
for machine in qemu rvftrace; do
    on_$machine mcount 2 "echo __riscv_sys_getpid > $T/set_ftrace_filter;
        echo function > $T/current_tracer; /bin/sysbench getpid 20; echo 0 > $T/tracing_on;
        cat $T/trace"
    check "$machine: a program's system calls are traced, each once" \
        test "$(grep -c 'sysbench-[0-9]* .*: __riscv_sys_getpid <-do_trap_exception' "$out")" -eq 21
done

on_rvftrace mcount 1 "echo __riscv_sys_getpid do_page_fault > $T/set_graph_function;
    echo function_graph > $T/current_tracer; /bin/sysbench getpid 3; echo 0 > $T/tracing_on;
    cat $T/trace"
check 'the graph shows system calls and page faults' \
    sh -c "grep -q '|  __riscv_sys_getpid();' '$out' && grep -q '|  do_page_fault() {' '$out' &&
        grep -q '|    handle_mm_fault() {' '$out'"
check 'every open brace is closed' sh -c "
    test \$(grep -c '| .*{\$' '$out') -eq \$(grep -c '| .*}\$' '$out')"

# Tracers come and go while programs run; the audit looks on in every fetch mode.
toggle="echo function > $T/current_tracer; echo function_graph > $T/current_tracer; sleep 0.01;
    echo nop > $T/current_tracer; sleep 0.01;"
patching_under_programs() { # LAYOUT HARTS FETCH
    on_rvftrace "$1" "$2" "/bin/sysbench pipe 60 & $toggle /bin/forktest & $toggle
        /bin/sysbench fork 10 & $toggle /bin/fptest & $toggle wait; echo the end" --fetch "$3"
    check "$1, $2 harts, fetch $3: patching under programs has no finding" \
        sh -c "grep -qx 'the end' '$out' && ! grep -q 'not ok - ' '$out' &&
            grep -q 'sysbench fork: n=10 ' '$out' && ! test -s '$work_dir/errors'"
}
for mode in stale coherent random:7; do
    for harts in 1 2 4; do
        patching_under_programs mcount $harts $mode
    done
done
for layout in pfe16 pfe8 atomic callops; do
    patching_under_programs $layout 3 random:5
done
finish
