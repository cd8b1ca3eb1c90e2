#!/bin/sh
# saved.sh - snapshots of a run with --schedule, in the midst of a stall; and those of gdb's `monitor
# save' and `monitor restore'.
. "$(dirname "$0")/common.inc"
kernel=$build/guest-kernel/pfe8/kernel.elf
append='script="work tree 1; work calls 1; poweroff"'

# on NAME OPTION...: its report in NAME.json.
on() {
    name=$1
    shift
    "$build/rvftrace" run --quiet --console none --report "$dir/$name.json" "$@" >"$dir/$name.out" 2>&1 </dev/null || :
}

has() { grep -q -- "$2" "$dir/$1.out"; }
same() { cmp -s "$dir/$1.json" "$dir/$2.json"; }
differ() { ! same "$1" "$2"; }

# ---- a schedule ----

on plain --harts 2 --append "$append" "$kernel"
# A moment near the end of the run, when hart 0 works.
begin=$(python3 -c 'import json, sys
print(sum(hart["instructions"] for hart in json.load(open(sys.argv[1]))["harts"]) - 200000)' "$dir/plain.json")
end=$((begin + 20000))
on short --harts 2 --append "$append" --max-insns 1000 --save "$dir/plain.rvs" "$kernel"
{
    echo 'rvftrace-schedule 1'
    sed -n '/^$/q; /^run /p' "$dir/plain.rvs"
    echo 'stall hart 1 from 1500000 until 1600000'
    echo "stall hart 0 from $begin until $end"
} >"$dir/first.schedule"
on asks --harts 2 --append "$append" --schedule "$dir/first.schedule" "$kernel"
image=$(sed -n 's/.*this is `\(run image [0-9a-fx]*\).*/\1/p' "$dir/asks.out")
sed "s/^run image .*/$image/" "$dir/first.schedule" >"$dir/its.schedule"
sed 's/1500000/1500001/' "$dir/its.schedule" >"$dir/other.schedule"

on stalled --harts 2 --append "$append" --schedule "$dir/its.schedule" "$kernel"
check 'a schedule makes another run' differ plain stalled
on begun --harts 2 --append "$append" --schedule "$dir/its.schedule" --max-insns $((begin + 3500)) --save "$dir/begun.rvs" "$kernel"
insns=$(sed -n 's/^at \([0-9]*\) .*/\1/p; /^$/q' "$dir/begun.rvs")
check '... which is saved during a stall' [ "$insns" -gt "$begin" -a "$insns" -lt "$end" ]
on rest --restore "$dir/begun.rvs"
check '... and goes on from there to the same report' same stalled rest
on refused --restore "$dir/begun.rvs" --schedule "$dir/other.schedule"
check 'another schedule is refused' has refused 'error: .*schedule'
cat >"$dir/session" <<C
stepi 3
goto $((begin + 13500))
reverse-stepi 10
checkpoint
goto $((end + 13500))
restart 1
continue
C
"$build/rvftrace" debug --quiet --console none --restore "$dir/begun.rvs" --report "$dir/debugged.json" --commands "$dir/session" \
    >"$dir/debugged.out" 2>&1 </dev/null || :
check 'the debugger goes forwards and backwards in it, and ends with the same report' same stalled debugged

# ---- gdb ----

timeout 60 "${GDB:-gdb-multiarch}" -nx -q -batch -iex 'set confirm off' \
    -ex "target remote | $build/rvftrace debug --quiet --console none --harts 2 --report $dir/gdb.json --gdb - --append '$append' $kernel" \
    -ex 'tbreak tree_once' -ex continue -ex 'monitor info machine' -ex "monitor save $dir/gdb.rvs" -ex 'next 3' -ex 'stepi 20' \
    -ex "monitor restore $dir/gdb.rvs" -ex 'maintenance flush register-cache' -ex 'monitor info machine' -ex 'backtrace 1' \
    -ex 'reverse-stepi' -ex "monitor restore $dir/nothing.rvs" -ex 'delete' -ex continue "$kernel" >"$dir/gdb.out" 2>&1 || :
check 'gdb: monitor restore leads back to where monitor save was' \
    [ "$(grep '^[0-9]* instructions, ' "$dir/gdb.out" | uniq -c | awk '{ print $1 }')" = 2 ]
check '... where gdb sees the same frame' [ "$(grep -c 'in tree_once () at' "$dir/gdb.out")" -ge 2 ]
check '... and where the history begins anew' has gdb 'No more reverse-execution history'
check '... a file that is not there is refused' has gdb 'nothing.rvs: No such file'
check '... and the run ends as it does without gdb' same plain gdb
exit $failed
