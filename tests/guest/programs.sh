#!/bin/sh
# programs.sh - programs in U-mode do what Linux's would, on QEMU and on rvftrace, traced or not.
#
#   SUITE=all   patching under programs on each number of harts in each fetch mode; otherwise a third of these pairs
. "$(dirname "$0")/lib.sh"

initrd=$BUILD/guest-kernel/initrd.cpio
all='/bin/threadtest; /bin/forktest; /bin/memtest x; /bin/systest; /bin/fptest; /bin/sigtest; /bin/linktest; /bin/interptest; /bin/waittest'
claims=$(cd guest/user && cat threadtest.c forktest.c memtest.c systest.c fptest.c sigtest.c linktest.c interptest.c waittest.c | sed '/^static int test_out_of_memory/,/^}/d' | grep -c '^ *check("')

# on_rvftrace, on_qemu LAYOUT HARTS SCRIPT [OPTIONS...]: with the programs; a finding of the audit ends the first.
on_rvftrace() { run_on_rvftrace "$@" --initrd "$initrd"; }
on_qemu() { run_guest "$@" -initrd "$initrd"; }

all_hold() { guest_claims "$claims" && has_line '^the end$' "$out"; }
sysbench_results() { sed -n 's/ cycles=.*//; /^sysbench /p' "$out"; }

for layout in none mcount; do
    for harts in 1 4; do
        for machine in qemu rvftrace; do
            on_$machine $layout $harts "$all; /bin/sysbench; echo the end"
            claim "$layout, $harts harts, $machine: every claim of the test programs holds" all_hold
            sysbench_results >"$work/results.$layout.$harts.$machine"
        done
    done
done
claim 'each benchmark ran' test "$(wc -l <"$work/results.none.1.qemu")" -eq 7
claim 'their results are the same in every layout, on both machines, on any number of harts' \
    test "$(cat "$work"/results.* | sort -u | wc -l)" -eq 7

script='hello one two; echo status $?; memtest > /m; grep -c ^ok /m; /bin/sysbench nothing; echo status $?;
    hello | wc -l; nothing; X=1 hello; /bin/hello > /out; cat /out'
on_qemu none 1 "$script"
sed 's/^\[ *[0-9.]*\]/[time]/' "$out" >"$work/qemu"
on_rvftrace none 1 "$script"
sed 's/^\[ *[0-9.]*\]/[time]/' "$out" >"$work/ours"
claim 'both consoles are the same' diff "$work/qemu" "$work/ours"
claim_line 'a program gets its arguments' '^argv\[2\] = two$' "$out"
claim_line 'and its exit status is the command'"'"'s' '^status 2$' "$out"
claim_line 'a program can stand in a pipeline' '^4$' "$out"

on_rvftrace none 2 'memtest oom; hello' --memory 24M
claim 'memory that is all taken comes back when its taker is killed' \
    has_status 0 and line_count 2 '^ok - ' "$out" and has_line '^hello' "$out" \
    and test "$(grep -c 'Out of memory: Killed process' "$out")" -eq 2

# The first ^C may come when there is no program yet.
try tests/machine/talk.py 60 "$BUILD/rvftrace" run --quiet --audit fail --harts 2 --initrd "$initrd" \
    "$BUILD/guest-kernel/none/kernel.elf" >"$out" 2>"$err" <<'STEPS'
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
claim '^C ends a program, and all of its processes' \
    has_status 0 and line_count 2 'left 130' "$out" and test ! -s "$err"

# Each call is one record, however the program is interrupted.
for machine in qemu rvftrace; do
    on_$machine mcount 2 "echo __riscv_sys_getpid > $T/set_ftrace_filter;
        echo function > $T/current_tracer; /bin/sysbench getpid 20; echo 0 > $T/tracing_on;
        cat $T/trace"
    claim "$machine: a program's system calls are traced, each once" \
        test "$(grep -c 'sysbench-[0-9]* .*: __riscv_sys_getpid <-do_trap_exception' "$out")" -eq 21
done

on_rvftrace mcount 1 "echo __riscv_sys_getpid do_page_fault > $T/set_graph_function;
    echo function_graph > $T/current_tracer; /bin/sysbench getpid 3; echo 0 > $T/tracing_on;
    cat $T/trace"
claim 'the graph shows system calls and page faults' \
    has_status 0 and has_line '\|  __riscv_sys_getpid\(\);' "$out" and has_line '\|  do_page_fault\(\) \{' "$out" \
    and has_line '\|    handle_mm_fault\(\) \{' "$out"
claim 'every open brace is closed' test "$(grep -c '| .*{$' "$out")" -eq "$(grep -c '| .*}$' "$out")"

# Tracers come and go while programs run; the audit looks on in every fetch mode.
toggle="echo function > $T/current_tracer; echo function_graph > $T/current_tracer; sleep 0.01;
    echo nop > $T/current_tracer; sleep 0.01;"
patching_under_programs() { # LAYOUT HARTS FETCH
    on_rvftrace "$1" "$2" "/bin/sysbench pipe 60 & $toggle /bin/forktest & $toggle
        /bin/sysbench fork 10 & $toggle /bin/fptest & $toggle wait; echo the end" --fetch "$3"
    claim "$1, $2 harts, fetch $3: patching under programs has no finding" \
        has_status 0 and has_line '^the end$' "$out" and no_line 'not ok - ' "$out" \
        and has_line 'sysbench fork: n=10 ' "$out" and test ! -s "$err"
}
for mode in stale coherent random:7; do
    for harts in 1 2 4; do
        case ${SUITE:-}$harts-$mode in
        all* | 4-stale | 2-coherent | 1-random:7) patching_under_programs mcount $harts $mode ;;
        esac
    done
done
for layout in pfe16 pfe8 atomic callops; do
    patching_under_programs $layout 3 random:5
done
finish
