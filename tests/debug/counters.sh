#!/bin/sh
# counters.sh - counters that sample are the same whichever way a run goes: through a snapshot that was saved while
# an overflow's interrupt is taken, back and forth in the debugger there, and with --schedule.
. "$(dirname "$0")/common.inc"
kernel=$build/guest-kernel/pfe8/kernel.elf
append='script="perf record -e instructions -c 5000 -o /tmp/a sysbench getpid 20; perf stat -e cycles:u,instructions,r3,r4,r6 sysbench getpid 20; poweroff"'

# on NAME COMMAND OPTION...: its report in NAME.json, what the guest printed in NAME.out.
on() {
    name=$1 command=$2
    shift 2
    "$build/rvftrace" "$command" --quiet --report "$dir/$name.json" "$@" >"$dir/$name.out" 2>&1 </dev/null || :
}
boot() { on "$@" --harts 2 --initrd "$build/guest-kernel/initrd.cpio" --append "$append" "$kernel"; }

same() { cmp -s "$dir/$1.json" "$dir/$2.json"; }
differ() { ! same "$1" "$2"; }
same_counts() { test -s "$dir/$1.counts" && cmp -s "$dir/$1.counts" "$dir/$2.counts"; }
counts() { for name; do tr -d '\r' <"$dir/$name.out" | grep -E '^ *[0-9]+ +(cycles:u|instructions|r[346])$' >"$dir/$name.counts"; done; }

# Four overflows on, where the interrupt has been raised and not been looked at.
cat >"$dir/session" <<C
break riscv_pmu_interrupt
continue 4
save $dir/saved.rvs
registers all
stepi 4000
reverse-stepi 3000
reverse-continue
registers all
delete
continue
C

boot debugged debug --commands "$dir/session"
boot plain run
on restored run --restore "$dir/saved.rvs"
check 'the interrupt of an overflow is pending where the snapshot is' \
    test "$(grep -Ec ' mip 0x0000000000002[0-9a-f]{3}$' "$dir/debugged.out")" -eq 2
check 'back and forth in the debugger there, the report is that of the plain run' same plain debugged
check '... and so it is from the snapshot on' same plain restored
counts plain debugged restored
check '... with the same counts' same_counts plain debugged
check '... in both' same_counts plain restored

# ---- a schedule ----

insns=$(sed -n 's/^at \([0-9]*\) .*/\1/p; /^$/q' "$dir/saved.rvs")
{
    echo 'rvftrace-schedule 1'
    sed -n '/^$/q; /^run /p' "$dir/saved.rvs"
    echo "stall hart 1 from $((insns - 200000)) until $((insns + 10000))"
} >"$dir/first.schedule"
for what in image initrd; do
    cp "$dir/first.schedule" "$dir/schedule"
    boot asks run --schedule "$dir/schedule"
    right=$(sed -n "s/.*this is .\(run $what [0-9a-fx]*\).*/\1/p" "$dir/asks.out")
    sed "s/^run $what .*/$right/" "$dir/schedule" >"$dir/first.schedule"
done
mv "$dir/first.schedule" "$dir/schedule"
boot stalled run --schedule "$dir/schedule"
boot begun run --schedule "$dir/schedule" --max-insns "$insns" --save "$dir/begun.rvs"
on rest run --restore "$dir/begun.rvs"
check 'a schedule makes another run' differ plain stalled
check '... which goes on from its midst to the same report' same stalled rest
counts stalled rest
check '... with the same counts' same_counts stalled rest
exit $failed
