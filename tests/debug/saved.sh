#!/bin/sh
# saved.sh - snapshots of a run with --schedule, in the midst of a stall; and those of gdb's `monitor
# save' and `monitor restore'.
. "$(dirname "$0")/common.inc"
kernel=$BUILD/guest-kernel/pfe8/kernel.elf
append='script="work tree 1; work calls 1; poweroff"'

# on NAME OPTION...: its report in NAME.json.
on() {
    name=$1
    shift
    try "$rvftrace" run --quiet --console none --report "$work/$name.json" "$@" >"$work/$name.out" 2>&1 </dev/null
}

same() { cmp "$work/$1.json" "$work/$2.json"; }
differ() { test -s "$work/$1.json" && test -s "$work/$2.json" && ! same "$1" "$2"; }

# ---- a schedule ----

on plain --harts 2 --append "$append" "$kernel"
# A moment near the end of the run, when hart 0 works.
begin=$(python3 -c 'import json, sys
print(sum(hart["instructions"] for hart in json.load(open(sys.argv[1]))["harts"]) - 200000)' "$work/plain.json")
end=$((begin + 20000))
on short --harts 2 --append "$append" --max-insns 1000 --save "$work/plain.rvs" "$kernel"
{
    echo 'rvftrace-schedule 1'
    sed -n '/^$/q; /^run /p' "$work/plain.rvs"
    echo 'stall hart 1 from 1500000 until 1600000'
    echo "stall hart 0 from $begin until $end"
} >"$work/first.schedule"
on asks --harts 2 --append "$append" --schedule "$work/first.schedule" "$kernel"
image=$(sed -n 's/.*this is `\(run image [0-9a-fx]*\).*/\1/p' "$work/asks.out")
sed "s/^run image .*/$image/" "$work/first.schedule" >"$work/its.schedule"
sed 's/1500000/1500001/' "$work/its.schedule" >"$work/other.schedule"

on stalled --harts 2 --append "$append" --schedule "$work/its.schedule" "$kernel"
claim 'a schedule makes another run' has_status 0 and differ plain stalled
on begun --harts 2 --append "$append" --schedule "$work/its.schedule" --max-insns $((begin + 3500)) --save "$work/begun.rvs" "$kernel"
insns=$(sed -n 's/^at \([0-9]*\) .*/\1/p; /^$/q' "$work/begun.rvs")
claim '... which is saved during a stall' test "$insns" -gt "$begin" -a "$insns" -lt "$end"
on rest --restore "$work/begun.rvs"
claim '... and goes on from there to the same report' has_status 0 and same stalled rest
on refused --restore "$work/begun.rvs" --schedule "$work/other.schedule"
claim 'another schedule is refused' has_status 65 and has_line 'error: .*schedule' "$work/refused.out"
cat >"$work/session" <<C
stepi 3
goto $((begin + 13500))
reverse-stepi 10
checkpoint
goto $((end + 13500))
restart 1
continue
C
try "$rvftrace" debug --quiet --console none --restore "$work/begun.rvs" --report "$work/debugged.json" --commands "$work/session" \
    >"$work/debugged.out" 2>&1 </dev/null
claim 'the debugger goes forwards and backwards in it, and ends with the same report' has_status 0 and same stalled debugged

# ---- gdb ----

timeout 300 "${GDB:-gdb-multiarch}" -nx -q -batch -iex 'set confirm off' \
    -ex "target remote | tests/debug/gdb/server $work/statuses $rvftrace debug --quiet --console none --harts 2 --report $work/gdb.json --gdb - --append '$append' $kernel" \
    -ex 'tbreak tree_once' -ex continue -ex 'monitor info machine' -ex "monitor save $work/gdb.rvs" -ex 'next 3' -ex 'stepi 20' \
    -ex "monitor restore $work/gdb.rvs" -ex 'maintenance flush register-cache' -ex 'monitor info machine' -ex 'backtrace 1' \
    -ex 'reverse-stepi' -ex "monitor restore $work/nothing.rvs" -ex 'delete' -ex continue "$kernel" >"$work/gdb.out" 2>&1
claim 'gdb: monitor restore leads back to where monitor save was' \
    [ "$(grep '^[0-9]* instructions, ' "$work/gdb.out" | uniq -c | awk '{ print $1 }')" = 2 ]
claim '... where gdb sees the same frame' test "$(grep -c 'tree_once (.*) at .*tree_body' "$work/gdb.out")" -ge 2
claim_line '... and where the history begins anew' 'No more reverse-execution history' "$work/gdb.out"
claim_line '... a file that is not there is refused' 'nothing.rvs: No such file' "$work/gdb.out"
claim '... and the run ends as it does without gdb' same plain gdb and test "$(cat "$work/statuses")" = 0
finish
