#!/bin/sh
# shellcheck disable=SC2016,SC2317 # claim calls by name; what is not expanded is the trigger's
# hist.sh - the guest kernel's hist triggers and synthetic events answer the same lines as Linux does: how a trigger is
# shown, its table, formats, what is refused, and the place of each error.
#
# 6.1 has no hist triggers on RISC-V, so Linux is Debian's newest kernel. It calls the key stacktrace by its newer name, and
# has no commas in the print format of a synthetic event; 6.1's source says otherwise, as the guest kernel does.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

if [ ! -e "$sid" ]; then
    skip hist.sh "there is no $sid: tests/linux/guests.sh fetches it"
    finish
fi
mkdir "$work/root"
cat >"$work/root/hist-lines" <<'LINES'
cd /sys/kernel/tracing; E=events/sched
shown() { grep -v '^#' $1; }
table() { grep -v '^ .*/0x' $1 | grep -v '^{.*hitcount:' ; grep '^{.*hitcount:' $1 | tail -n 1; }
log() { cat error_log; echo > error_log; }
try() { echo "$1" >> $2 2> /dev/null || echo "refused: $1"; }
F=$E/sched_process_fork/trigger; X=$E/sched_process_exec/trigger; S=events/raw_syscalls/sys_enter/trigger; echo > error_log
try 'hist:keys=parent_pid:vals=child_pid' $F
try 'hist:keys=parent_comm:vals=child_pid.hex:sort=parent_comm.descending,hitcount' $F
try 'hist:keys=common_pid.execname:size=200:vals=hitcount if common_pid > 1' $F
try 'hist:keys=child_pid.log2,parent_pid.buckets=1000:vals=child_pid.graph,parent_pid.percent:sort=child_pid.descending,parent_pid.ascending' $F
try 'hist:keys=common_timestamp.usecs,child_pid.hex:x=child_pid*2+1,y=-(child_pid),z=5' $F
try 'hist:keys=stacktrace' $F
try 'hist:name=foo:keys=common_pid:pause' $F
try 'hist:keys=id.syscall,common_pid.execname:vals=args.hex' $S
try 'hist:keys=id.syscall,common_pid.execname:sort=id if id == 64' $S
try 'hist:keys=id.sym-offset' $S
try 'hist:keys=id.sym' $S
try 'enable_hist:sched:sched_switch:3 if id == 4' $S
shown $S; shown $F; (echo > /dev/null); (echo > /dev/null); table $E/sched_process_fork/hist
table events/raw_syscalls/sys_enter/hist | grep -v '^{ id: \['; for i in "$F" "$S"; do echo > $i; shown $i; done
try 'wl u64 lat; pid_t pid; int prio; char comm[16]; char fn[]; bool b; unsigned long v' synthetic_events
cat synthetic_events; grep -v ID: events/synthetic/wl/format; try '!nope' synthetic_events
echo > synthetic_events; try 'latency u64 lat; pid_t pid; int prio; char comm[16]' synthetic_events
try 'hist:keys=pid:ts0=common_timestamp.usecs if comm=="sleep"' $E/sched_waking/trigger
try 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).latency($lat,next_pid,sched.sched_waking.prio,next_comm):onmax($lat).save(next_comm,prev_pid,prev_prio):onmax($lat).snapshot() if next_comm=="sleep"' $E/sched_switch/trigger
try 'hist:keys=next_pid:onmatch(sched.sched_waking).trace(latency,sched.sched_switch.$lat,next_pid,next_prio,next_comm) if next_comm=="sleep"' $E/sched_switch/trigger
try 'hist:keys=next_pid:aa=$ts0,bb=sched.sched_waking.$ts0+$ts0' $E/sched_switch/trigger
try 'hist:keys=pid,prio,comm:vals=lat:sort=pid,prio' events/synthetic/latency/trigger
for i in $E/sched_waking $E/sched_switch events/synthetic/latency; do shown $i/trigger; done
sleep 1; table events/synthetic/latency/hist; table $E/sched_waking/hist | tail -n 6; log
try '!latency' synthetic_events; try '!hist:keys=pid:ts0=common_timestamp.usecs if comm=="sleep"' $E/sched_waking/trigger
for l in 'my chr arg' 'my unsigned arg' 'my char str]; int v' 'm-y char str[]' 'my char st-r[]' 'my char str;[]' 'my char str; int' 'my char str[; int v'; do try "$l" synthetic_events; done; log
for l in 'my char str[kdjdk]' 'my char str[257]' 'm;y char str[]' 'my ; char str[]' '; char str[]' 'my' ';my char str[]' 'latency u64 x'; do try "$l" synthetic_events; done; log
for l in 'keys=common_pid:vals=pid:sort=common_pid,junk' 'keys=common_pid:vals=pid:sort=' 'keys=common_pid:vals=pid:sort=common_pid,' 'keys=common_pid:vals=pid:sort=common_pid.junk' 'keys=common_pid:vals=pid,old_pid:sort=common_pid,pid,old_pid' 'keys=nope' 'keys=common_pid:x=$nope' 'keys=pid.foo'; do try "hist:$l" $X; done; log
for l in 'keys=common_pid:x=1,y' 'keys=common_pid:onmatch(sched.nope).foo(x)' 'keys=common_pid:onmatch(sched).foo(x)' 'keys=common_pid:onmax(x).save(pid)' 'keys=common_pid:onmax($x).save(pid)' 'keys=common_pid:onmatch(sched.sched_waking).save(prio)' 'keys=common_pid:onmatch(sched.sched_waking).nope(prio)' 'keys=common_pid:onmatch(sched.sched_waking)'; do try "hist:$l" $X; done; log
for l in 'keys=common_pid:x=filename+1' 'keys=common_pid:x=common_timestamp-common_timestamp.usecs' 'keys=common_pid:vals=pid.log2' 'keys=common_pid:clear' 'keys=common_pid:x=common_timestamp:clock=junk' 'keys=common_pid:x=3:x=4' 'vals=pid' 'keys=pid.percent'; do try "hist:$l" $X; done; log
for l in 'keys=pid:onmatch(sched.sched_waking).latency(pid)' 'keys=pid:onmatch(sched.sched_waking).latency(pid,pid,pid,pid)' 'keys=pid:onmatch(sched.sched_waking).latency($ts0,pid,prio,nope)' 'keys=pid:x=pid:onmax($x).save(filename):onmax($x).save(pid)' 'keys=pid:x=pid:onmax($x).save()' 'keys=pid:x=$ts0-pid' 'keys=pid:x=pid:onmatch(sched.sched_waking.latency($x' 'keys=pid,old_pid,common_pid,common_cpu'; do try "hist:$l" $X; done; log
for l in 'keys=$ts0' 'keys=pid+old_pid' 'keys=pid,pid,old_pid' 'keys=pid:vals=pid,old_pid,common_pid' 'keys=pid:vals=hitcount,pid,old_pid' 'keys=pid:x=pid/0' 'keys=pid:vals=old_pid-pid:sort=hitcount' 'keys=filename:fn=filename:vals=pid.sym'; do try "hist:$l" $X; done; log
for l in 'keys=filename:size=64' 'keys=filename:size=300000' 'keys=filename:size=131072' 'keys=pid.sym-offset if pid > 4' 'if pid' 'keys=pid:x=32+10*3/20-4' 'keys=pid:x=-(1)+2' 'keys=pid:x=16-8-4-2,y=4*3/2*2,z=4+6/2-2'; do try "hist:$l" $X; done; log; shown $X
echo end of lines
LINES
chmod 755 "$work/root/hist-lines"
(cd "$work/root" && echo hist-lines | cpio -o -H newc --quiet) >"$work/lines.cpio"

# answers FILE: what was answered, without times, numbers of processes and counts.
answers() {
    tr -d '\r' <"$1" | sed -n '/^refused.*args.hex/,/^end of lines/p' | sed -E '
        s/common_stacktrace/stacktrace/; /^print fmt/s/, ([a-z]+=)/ \1/g; s/^\[ *[0-9.]+\]/[time]/
        /^hist:|^refused:|^# trigger|^  Command|^ *\^|field:/!s/ +[0-9]+(\.[0-9]+)?/ n/g; s/child_pid: n[0-9a-f]+/child_pid: n/; s/_pid: [0-9a-f]+ \}/_pid: n }/; s/log2 .*|~ 2\^[0-9]+ */log2/
        s/~ [0-9]+-[0-9]+/bucket/; s/: [# ]{21}/: bar/; s/prev_pid: .*//; s/child_pid: +[0-9a-f]+$/child_pid: n/; s/next_pid: n }/pid/'
}

cat "$initramfs" "$work/lines.cpio" >"$work/with-lines.cpio"
echo 'echo 1 > /proc/sys/kernel/printk; sh /hist-lines' >"$work/lines"
initramfs=$work/with-lines.cpio linux "$sid"
claim 'Linux answers to the end' has_status 0 and answered 'end of lines'
answers "$out" >"$work/linux"
try "$rvftrace" run --quiet --audit fail --initrd "$work/lines.cpio" --append script=/hist-lines "$mcount" \
    </dev/null >"$out" 2>"$err"
claim '... and so does the guest kernel' has_status 0
answers "$out" >"$work/guest"
claim 'the answers are the same' diff "$work/linux" "$work/guest"
claim '... and many' test "$(wc -l <"$work/guest")" -gt 250
finish
