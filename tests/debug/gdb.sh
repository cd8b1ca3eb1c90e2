#!/bin/sh
# gdb.sh - the real gdb with the guest kernel, on one and two harts, over a pipe, a socket in the file
# system and TCP.
. "$(dirname "$0")/common.inc"
kernel=$build/guest-kernel/mcount/kernel.elf
tracer=/sys/kernel/tracing/current_tracer
about="gdb: "

session() { # script, remote
    tests/debug/session "tests/debug/gdb/$1.script" tests/debug/gdb/client "$kernel" "$2" || failed=1
}

session one "| $build/rvftrace debug --quiet --gdb - --append 'script=\"echo function > $tracer; work calls 1; poweroff\"' $kernel"
session switch "| $build/rvftrace debug --quiet --harts 2 --gdb - --append 'script=\"echo function > $tracer; work calls 1; echo function_graph > $tracer; work calls 1; echo nop > $tracer; work calls 1; poweroff\"' $kernel"

# gdb's output with these commands, in a file of this name.
attach() { # name, remote, command...
    name=$1
    remote=$2
    shift 2
    timeout 60 "${GDB:-gdb-multiarch}" -nx -q -batch -iex 'set confirm off' -ex "target remote $remote" "$@" "$kernel" \
        >"$dir/$name.out" 2>&1
}

# ---- the run is the same with gdb and without ----

append="script=\"echo function_graph > $tracer; work tree 1; poweroff\""
cat >"$dir/busy" <<'C'
hbreak start_kernel
continue
stepi 40
delete
rwatch ftrace_ops_list
watch ftrace_graph_return
continue
continue
stepi
next
reverse-continue
reverse-stepi 20
delete
break schedule
continue
stepi 40
thread 2
stepi 30
thread 1
continue
next
finish
delete
tbreak tree_run
continue
break tree_insert if key > 100
continue
up
step 3
reverse-next
delete
continue
C
"$build/rvftrace" run --quiet --harts 2 --console none --report "$dir/plain.json" --append "$append" "$kernel" 2>"$dir/plain.out"
timeout 60 "${GDB:-gdb-multiarch}" -nx -q -iex 'set confirm off' -iex 'set pagination off' \
    -ex "target remote | $build/rvftrace debug --quiet --harts 2 --console none --report $dir/busy.json --gdb - --append '$append' $kernel" \
    "$kernel" <"$dir/busy" >"$dir/busy.out" 2>&1
check "the session did all that" grep -q 'hit Breakpoint .*tree_insert' "$dir/busy.out"
check "stops and steps change nothing in the run" cmp -s "$dir/plain.json" "$dir/busy.json"

# ---- a program in the guest: its memory is there only while it runs; the shell has other code at the same address ----

attach program "| $build/rvftrace debug --quiet --initrd $build/guest-kernel/initrd.cpio --gdb - --append 'script=\"hello; hello; poweroff\"' $kernel" \
    -ex "add-symbol-file $build/guest-kernel/user/bin/hello" -ex 'break main if argc == 1' -ex continue -ex 'info registers priv' \
    -ex next -ex continue -ex reverse-continue -ex 'print argc' || :
check "a breakpoint in a program is met in each run of it, and on the way back" \
    [ "$(grep -c 'Breakpoint 1, main (argc=1' "$dir/program.out")" -eq 3 ]
check "there the hart is in U-mode" grep -q 'User/Application' "$dir/program.out"

# ---- gdb is impatient: it sends `-' while a reply takes long ----

# replies BYTES: how many replies to qC come.
replies() {
    printf %s "$1" | "$build/rvftrace" debug --quiet --gdb - "$kernel" 2>"$dir/raw.out" | tr '$' '\n' | grep -c '^QC'
}
check "a reply is not sent again for gdb's impatience" [ "$(replies '$QStartNoAckMode#b0+$qC#b4--$qC#b4$k#6b')" -eq 2 ]
check "... nor with acknowledgements" [ "$(replies '$qC#b4--+$qC#b4+$k#6b')" -eq 2 ]

# ---- gdb/MI, as front ends use it ----

# MI has a syntax of its own for quotes, so the command is in a file.
printf '%s\n' "exec $build/rvftrace debug --quiet --harts 2 --console none --gdb - --append '$append' $kernel" >"$dir/mi.sh"
cat >"$dir/mi" <<C
1-file-exec-and-symbols $kernel
2-target-select remote | sh $dir/mi.sh
3-break-insert -t start_kernel
4-exec-continue
5-exec-next
6-thread-info
7-data-list-register-values x 32
8-break-watch ftrace_ops_list
9-exec-continue
10-exec-step-instruction --reverse
11-exec-continue --reverse
12-gdb-exit
C
timeout 60 "${GDB:-gdb-multiarch}" -nx -i=mi <"$dir/mi" >"$dir/mi.out" 2>&1 || :
check "MI: a breakpoint and a step" [ "$(grep -c 'stopped,reason="\(breakpoint-hit\|end-stepping-range\)".*func="start_kernel"' "$dir/mi.out")" -eq 2 ]
check "MI: threads and registers" grep -q '^7^done,register-values=.*0xffffffff8' "$dir/mi.out"
check "MI: a watchpoint" grep -q 'reason="watchpoint-trigger".*new="[^"]*graph_ops' "$dir/mi.out"
check "MI: back to the beginning" [ "$(grep -c '^[*]stopped,.*addr="0x0000000080200000"' "$dir/mi.out")" -eq 2 ]

# ---- a guest that runs: attach, let it go, attach again, end it ----

start() { # where, more options
    "$build/rvftrace" run --harts 2 --console "$dir/console" --gdb "$@" --append 'script="work tree 1000000"' \
        "$kernel" 2>"$dir/rvftrace.out" &
    guest=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        grep -q 'can connect' "$dir/rvftrace.out" && return
        sleep 0.1
    done
}

start "$dir/socket"
attach first "$dir/socket" -ex 'break tree_insert' -ex continue -ex detach || :
check "a guest that runs stops for gdb" grep -q 'hit Breakpoint 1, tree_insert' "$dir/first.out"
attach second "$dir/socket" -ex 'print cpu_online_mask' -ex stepi -ex kill || :
check "gdb can attach again" grep -q '= .*3' "$dir/second.out"
check "kill ends the run, with status 0" wait $guest
check "the socket is removed" [ ! -e "$dir/socket" ]

for where in 65536 :70000 "$(printf '%0200d' 0)" ''; do
    status=0
    "$build/rvftrace" debug --gdb "$where" "$kernel" 2>"$dir/refused.out" </dev/null || status=$?
    check "--gdb '$(printf %.9s "$where")' is refused in one line" [ "$status-$(grep -c 'rvftrace: error' "$dir/refused.out")" = 64-1 ]
done

start 0
port=$(sed -n 's/.*target remote 127.0.0.1:\([0-9]*\)$/\1/p' "$dir/rvftrace.out")
attach tcp ":$port" -ex disconnect -ex "target extended-remote :$port" -ex 'print 1000 + 1' -ex detach -ex 'attach 1' -ex stepi \
    -ex 'monitor info machine' -ex 'monitor quit' || :
check "TCP on a free port, again after a disconnect, and attaching after a detach" grep -q 'hart 1 .* instructions' "$dir/tcp.out"
check "monitor quit ends the run" wait $guest
exit $failed
