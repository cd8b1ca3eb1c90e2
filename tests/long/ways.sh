#!/bin/sh
# ways.sh - tracers, events, probes, perf and BPF in every way that the machine can run them: each layout, 1, 2, 4 and 8
# harts, each fetch mode, under the audit; and on QEMU, where the same claims must hold.
#
# The claims are made in the guest (the script below): most are sums that must agree. On QEMU there are none about shares
# of time, which depend on the host. LAYOUTS, HARTS, FETCHES: some of them.
. "$(dirname "$0")/../guest/lib.sh"

mkdir -p "$work/root/seeds"
cp "$(dirname "$0")/../guest/seeds/lib.sh" "$work/root/seeds"
cat >"$work/root/ways.sh" <<'END'
. /seeds/lib.sh
# lines PATTERN FILE
lines() { grep -Ec "$1" $2; }
fork_many() { for i in 1 2 3 4 5 6 7 8; do (cat /proc/version) > /x & done; wait; }
echo 1024 > buffer_size_kb

echo 1 > events/enable; fork_many; work threads > /x; echo 0 > events/enable; echo 0 > tracing_on
for event in sched_switch sched_wakeup sched_process_fork kmalloc; do
    claim_line "events: $event is recorded" ": $event: " trace
done
claim_line 'events: a system call is recorded' ' sys_read\(fd: [0-9a-f]+, buf: ' trace
claim 'events: nothing else is in the trace' sh -c '! grep -v "^#" trace | grep -Ev "^ .*-[0-9]+ +\[00[0-7]\] [^ ]* +[0-9.]+: |LOST|^ =>"'
reset

echo 'hist:keys=parent_comm:vals=child_pid' > events/sched/sched_process_fork/trigger; echo 1 > events/sched/sched_process_fork/enable
fork_many; echo 0 > events/sched/sched_process_fork/enable
echo 'hist:keys=parent_comm:vals=child_pid:pause' >> events/sched/sched_process_fork/trigger; set -- $(grep Hits: events/sched/sched_process_fork/hist); hits=$2
claim 'hist: counts each fork that is recorded' test $hits = $(lines 'sched_process_fork:' trace) -a $hits -ge 8
echo '!hist:keys=parent_comm:vals=child_pid' > events/sched/sched_process_fork/trigger
echo 'lat u64 us; pid_t pid' > synthetic_events
echo 'hist:keys=pid:t0=common_timestamp.usecs' > events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:us=common_timestamp.usecs-$t0:onmatch(sched.sched_waking).lat($us,next_pid)' > events/sched/sched_switch/trigger
echo 1 > events/synthetic/lat/enable; fork_many; echo 0 > events/synthetic/lat/enable
claim_line 'hist: a latency is an event' ': lat: us=[0-9]+ pid=[0-9]+$' trace
echo '!hist:keys=next_pid:us=common_timestamp.usecs-$t0:onmatch(sched.sched_waking).lat($us,next_pid)' > events/sched/sched_switch/trigger
echo '!hist:keys=pid:t0=common_timestamp.usecs' > events/sched/sched_waking/trigger
echo > synthetic_events; reset

echo 'p:in seq_read file=%a0:x64' > kprobe_events; echo 'r:out seq_read got=$retval:s64' >> kprobe_events
echo 1 > events/kprobes/enable; fork_many; echo 0 > events/kprobes/enable
claim 'kprobes: as many returns as calls' test $(lines ' in: ' trace) = $(lines ' out: ' trace)
claim 'kprobes: each call' test $(lines ' in: ' trace) -ge 16
claim_line 'kprobes: the bytes of each file' 'out: \(.* <- seq_read\) got=[1-9]' trace
echo > kprobe_events; reset

if [ "$2" = users ]; then
perf stat -e syscalls:sys_enter_getpid sysbench getpid 100 > /p
claim_line 'perf: counts each call' '^ +101 +syscalls:sys_enter_getpid$' /p
for result in 0 1; do
    bpfcount syscalls:sys_enter_getpid $result sysbench getpid 100 > /p
    claim_line "bpf: perf has each call if the program wants it ($result)" "^101 by the program, $((result * 101)) by perf\$" /p
done
fi

mkdir instances/a; echo 1 > instances/a/events/sched/sched_process_exit/enable; echo 1 > events/sched/sched_process_fork/enable
fork_many; echo 0 > instances/a/events/enable; echo 0 > events/enable
claim 'instances: each has its own events' test $(lines exit: trace)$(lines fork: instances/a/trace) = 00
claim 'instances: and all of them' test $(lines exit: instances/a/trace) -ge 8 -a $(lines fork: trace) -ge 8
echo function > instances/a/current_tracer; fork_many
claim_line 'instances: a tracer of its own' ' <-' instances/a/trace
echo nop > instances/a/current_tracer
claim_no_line 'instances: and not in the other' ' <-' trace
rmdir instances/a; reset

for tracer in $(cat available_tracers); do
    case $tracer in
    *off) suite=fprobe ;;
    wakeup*) [ "$1" = deadline ] || continue; suite=deadline ;;
    *) continue ;;
    esac
    echo $tracer > current_tracer; echo 0 > tracing_max_latency; selftest $suite; echo 0 > tracing_on
    set -- $(grep '^# latency: ' trace); us=$3
    claim "latency: $tracer has the longest" test "$us" -gt 0 -a "$us" = $(cat tracing_max_latency)
    echo 1 > tracing_on; reset
done

disk=/dev/vda; echo 4096 > buffer_size_kb
if [ "$2" = users ]; then
echo 1 > /sys/block/vda/trace/enable; echo blk > current_tracer
dd if=$disk of=/a bs=4096 count=32 2> /x & dd if=$disk of=/b bs=4096 skip=32 2> /x; wait; echo 0 > tracing_on
claim 'block: what was issued is completed' test $(lines '^ *254,0 .* D ' trace) = $(lines '^ *254,0 .* C ' trace) -a $(lines ' C ' trace) -gt 0
echo 0 > /sys/block/vda/trace/enable; echo 1 > tracing_on; reset
claim 'block: the data is what is on the disk' test "$(cat /a /b)" = "$(seq 1000001 1032768)"
fi

echo 3 > /proc/sys/vm/drop_caches; echo mmiotrace > current_tracer; dd if=$disk of=/a bs=4096 count=32 2> /x; cat trace > /t; echo nop > current_tracer
claim 'mmiotrace: loads and stores of the driver' test $(lines '^R [1-8] ' /t) -gt 1 -a $(lines '^W [1-8] ' /t) -gt 1
claim 'mmiotrace: the data is right' test "$(cat /a)" = "$(seq 1000001 1016384)"
reset; echo the end
END
seq 1000001 1032768 >"$work/disk"
(cd "$work/root" && find . | cpio -o -H newc --quiet) | cat "$BUILD/guest-kernel/initrd.cpio" - >"$work/initrd"

# say_claims WHERE LEAST: those of the guest, at least LEAST, and that it came to its end.
say_claims() {
    about="$1: "
    claims_of grep -E '^(not )?ok - ' "$out"
    made=$(grep -c '^ok' "$work/claims")
    claim "$made claims, $2 or more" test "$made" -ge "$2"
    claim "the script runs to its end, without a warning" has_line '^the end$' "$out" \
        and no_line 'WARNING|BUG|Oops|panic' "$out"
    about=
}

# Of bpftest and perfcheck.
programs=$(cat guest/user/bpftest/*.c guest/user/perfcheck.c | grep -c '^ *check("')
: "${LAYOUTS=static mcount pfe16 pfe8 atomic callops pfe8-latency}" "${HARTS=1 2 4 8}" "${FETCHES=stale coherent random:7}"
for layout in $LAYOUTS; do
    users=users claims=21 more=$((90 + programs)) run='bpftest; perfcheck; selftest'
    case $layout in
    *-latency) claims=33 ;;
    static) users='' claims=16 more=90 run=selftest ;;
    esac
    for harts in $HARTS; do
        for fetch in $FETCHES; do
            where="$layout, $harts harts, $fetch"
            run_on_rvftrace $layout $harts "sh /ways.sh deadline $users; $run" --initrd "$work/initrd" --drive "$work/disk,readonly" --fetch "$fetch"
            claim "$where: the audit finds nothing" has_status 0
            say_claims "$where" $((claims + more))
        done
        run_guest $layout $harts "sh /ways.sh here $users" -initrd "$work/initrd" \
            -drive "file=$work/disk,if=none,id=d,format=raw,readonly=on" -device virtio-blk-device,drive=d
        say_claims "$layout, $harts harts, QEMU" $claims
    done
done
finish
