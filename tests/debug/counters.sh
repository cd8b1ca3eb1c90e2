#!/bin/sh
# counters.sh - counters that sample are the same whichever way a run goes: through a snapshot that was saved while
# an overflow's interrupt is taken, back and forth in the debugger there, and with --schedule.
. "$(dirname "$0")/common.inc"
kernel=$BUILD/guest-kernel/pfe8/kernel.elf
append='script="perf record -e instructions -c 5000 -o /tmp/a sysbench getpid 20; perf stat -e cycles:u,instructions,r3,r4,r6 sysbench getpid 20; poweroff"'

# on NAME COMMAND OPTION...: its report in NAME.json, what the guest printed in NAME.out.
on() {
    name=$1 command=$2
    shift 2
    try "$rvftrace" "$command" --quiet --report "$work/$name.json" "$@" >"$work/$name.out" 2>&1 </dev/null
}
boot() { on "$@" --harts 2 --initrd "$BUILD/guest-kernel/initrd.cpio" --append "$append" "$kernel"; }

same() { cmp "$work/$1.json" "$work/$2.json"; }
differ() { test -s "$work/$1.json" && test -s "$work/$2.json" && ! same "$1" "$2"; }
same_counts() { test -s "$work/$1.counts" && cmp "$work/$1.counts" "$work/$2.counts"; }
counts() { for name; do tr -d '\r' <"$work/$name.out" | grep -E '^ *[0-9]+ +(cycles:u|instructions|r[346])$' >"$work/$name.counts"; done; }

# Four overflows on, where the interrupt has been raised and not been looked at.
cat >"$work/session" <<C
break riscv_pmu_interrupt
continue 4
save $work/saved.rvs
registers all
stepi 4000
reverse-stepi 3000
reverse-continue
registers all
delete
continue
C

boot debugged debug --commands "$work/session"
ended=$status
boot plain run
on restored run --restore "$work/saved.rvs"
claim 'the interrupt of an overflow is pending where the snapshot is' \
    line_count 2 ' mip 0x0000000000002[0-9a-f]{3}( |$)' "$work/debugged.out"
claim 'back and forth in the debugger there, the report is that of the plain run' test "$ended" = 0 and same plain debugged
claim '... and so it is from the snapshot on' has_status 0 and same plain restored
counts plain debugged restored
claim '... with the same counts' same_counts plain debugged
claim '... in both' same_counts plain restored

# ---- a schedule ----

insns=$(sed -n 's/^at \([0-9]*\) .*/\1/p; /^$/q' "$work/saved.rvs")
{
    echo 'rvftrace-schedule 1'
    sed -n '/^$/q; /^run /p' "$work/saved.rvs"
    echo "stall hart 1 from $((insns - 200000)) until $((insns + 10000))"
} >"$work/first.schedule"
for what in image initrd; do
    cp "$work/first.schedule" "$work/schedule"
    boot asks run --schedule "$work/schedule"
    right=$(sed -n "s/.*this is .\(run $what [0-9a-fx]*\).*/\1/p" "$work/asks.out")
    sed "s/^run $what .*/$right/" "$work/schedule" >"$work/first.schedule"
done
mv "$work/first.schedule" "$work/schedule"
boot stalled run --schedule "$work/schedule"
boot begun run --schedule "$work/schedule" --max-insns "$insns" --save "$work/begun.rvs"
on rest run --restore "$work/begun.rvs"
claim 'a schedule makes another run' has_status 0 and differ plain stalled
claim '... which goes on from its midst to the same report' same stalled rest
counts stalled rest
claim '... with the same counts' same_counts stalled rest
finish
