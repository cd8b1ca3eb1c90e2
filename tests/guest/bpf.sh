#!/bin/sh
# bpf.sh - bpf(2): maps, the verifier's verdicts, and programs at events, under the auditor; and objects that clang has
# compiled, loaded and attached by the program bpf.
. "$(dirname "$0")/lib.sh"

claims=$(cat guest/user/bpftest/*.c | grep -c '^ *check("')
cat "$BUILD/guest-kernel/initrd.cpio" "$BUILD/guest-kernel/bpf.cpio" >"$work/initrd"
echo 'no object' >"$work/text.o"
(cd "$work" && head -c 1500 "$OLDPWD/$BUILD/guest-kernel/bpf/syscalls.o" >short.o &&
    printf 'text.o\nshort.o\n' | cpio --quiet -o -H newc) >>"$work/initrd"
# Objects with a few other bytes in the code, the relocations or the headers.
mkdir "$work/damaged"
python3 - "$BUILD/guest-kernel/bpf" "$work/damaged" <<'END'
import random, sys
random.seed(1)
for i in range(60):
    name = ("syscalls", "writes", "wakeups")[i % 3]
    data = bytearray(open(f"{sys.argv[1]}/{name}.o", "rb").read())
    begin, end = ((64, 700), (64, len(data)), (len(data) - 1800, len(data)))[i % 5 % 3]
    for _ in range(random.choice((1, 1, 2, 8))):
        data[random.randrange(max(begin, 0), end)] = random.choice((0, 1, 255, random.randrange(256)))
    open(f"{sys.argv[2]}/{i}.o", "wb").write(data)
END
(cd "$work" && find damaged | cpio --quiet -o -H newc) >>"$work/initrd"

L=/lib/bpf
try timeout 300 "$BUILD/rvftrace" run --quiet --audit fail --memory 64M --harts 2 --initrd "$work/initrd" \
    --append "script=\"/bin/bpftest; bpf load $L/syscalls.o attach sysbench getpid 100; bpf load $L/wakeups.o attach sysbench pipe 20;
        bpf load $L/writes.o attach sysbench pipe 20; echo kprobe_events: \$(cat $T/kprobe_events).; bpf load $L/writes.o attach &
        sleep 1; echo while: \$(cat $T/kprobe_events).; kill \$!; wait; echo after: \$(cat $T/kprobe_events).;
        for o in $L/*.v3.o; do bpf load \$o; done; bpf load $L/modes.o attach sysbench fault 300;
        bpf load /text.o; bpf load /short.o; for o in /damaged/*.o; do bpf load \$o; done; echo all damaged ones were tried\"" \
    "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null >"$work/raw" 2>"$err"
tr -d '\r' <"$work/raw" >"$out"
# part OBJECT: what the console has between its command and the next one.
part() { sed -n "/^# *bpf load .*$1.o attach s/,/^# /p" "$out"; }
# Each of 101 calls of getpid() was entered and left, and its result is the process's number, of which there is one.
counts_calls() {
    part syscalls | sed -n 's/^key: \(..\) .. .. .. ac 00 00 00  value:\(.*\)/\1\2/p' | {
        read -r pid entered a b c d e f g left a b c d e f g sum high rest
        test "$entered $left $a$b$c$d$e$f$g" = '65 65 00000000000000' &&
            test $((0x$high$sum)) -eq $((0x65 * 0x$pid))
    } && part syscalls | grep -qx 'key: 00 00 00 00  value: 69 00 00 00 00 00 00 00'
}
# 40 turns come to this process or its child, a few of them before it waits, and some to others.
waits() {
    n=0
    for slot in $(part wakeups | sed -n '/^map histogram/,/^map .bss/s/.*value: \(..\) \(..\) 00 .*/0x\2\1/p'); do
        n=$((n + slot))
    done
    test $n -ge 30 && test $n -lt 60
}
# 20 times by the process that has the other one for its child; each has returned.
writes() {
    part writes | grep -qx 'key: .. .. 00 00  value: 14 00 00 00 00 00 00 00' &&
        part writes | grep -qx 'key: 00 00 00 00  value: 15 00 00 00 00 00 00 00'
}
claim 'every claim of bpftest holds, without a finding' guest_claims "$claims"
claim 'an object with maps, a constant and functions counts system calls' counts_calls
claim 'one at raw tracepoints measures how long tasks wait' waits
claim 'one counts calls and returns by probes' writes
# Of the hart on which the command runs, in the kernel and in programs.
samples() {
    counted=$(part modes | grep '^key: 0[0-3] ' | grep -vc 'value: 00 00 00 00 00')
    test "$counted" -ge 2 && part modes | grep -q '^16 elements'
}
third_version() {
    for name in on_enter on_exit on_waking on_switch on_write on_return on_sample; do
        sed -n '/^# for o in/,/^# bpf/p' "$out" | grep -q "^program $name: " || return 1
    done
}
claim 'one at the harts'\'' clocks counts samples of kernel and program' samples
claim 'programs in the third version of the instructions are accepted' third_version
claim_line 'its probes go with the command' '^kprobe_events: \.$' "$out"
claim_line 'without a command they are there until a signal comes' '^while: p:bpf_[0-9]+/on_write .*$' "$out"
claim_line 'and no longer' '^after: \.$' "$out"
claim_line 'what is no object is refused' '^bpf: /text.o: is no object of clang -target bpf$' "$out"
claim_line 'so is half of one' '^bpf: /short.o: its sections are not within the file$' "$out"
damaged_ones() {
    has_line '^all damaged ones were tried$' "$out" && no_line 'signal' "$out" && test "$(grep -c '^bpf: ' "$out")" -gt 20
}
claim 'damaged objects harm neither the loader nor the kernel' damaged_ones
finish
