#!/bin/sh
# bpf.sh - bpf(2): maps, the verifier's verdicts, and programs at events, under the auditor; and objects that clang has
# compiled, loaded and attached by the program bpf.
. "$(dirname "$0")/lib.sh"

claims=$(cat guest/user/bpftest/*.c guest/user/bpfobjects.c guest/user/bpftypes.c | grep -c '^ *check("')
cat "$BUILD/guest-kernel/initrd.cpio" "$BUILD/guest-kernel/bpf.cpio" "$BUILD/guest-kernel/pfe8/modules.cpio" >"$work/initrd"
echo 'no object' >"$work/text.o"
head -c 1500 "$BUILD/guest-kernel/bpf/syscalls.o" >"$work/short.o"
(cd "$work" && printf 'text.o\nshort.o\n' | cpio --quiet -o -H newc) >>"$work/initrd"
# Objects with a few other bytes in the code, the relocations, the types or the headers.
mkdir "$work/damaged"
python3 - "$BUILD/guest-kernel/bpf" "$work/damaged" <<'END'
import random, sys
random.seed(1)
for i in range(100):
    name = ("syscalls", "stacks", "wakeups")[i % 3]
    data = bytearray(open(f"{sys.argv[1]}/{name}.o", "rb").read())
    begin, end = ((64, 700), (64, len(data)), (len(data) - 1800, len(data)))[i % 5 % 3]
    for _ in range(random.choice((1, 1, 2, 8))):
        data[random.randrange(begin, end)] = random.choice((0, 1, 255, random.randrange(256)))
    open(f"{sys.argv[2]}/{i}.o", "wb").write(data)
END
(cd "$work" && find damaged | cpio --quiet -o -H newc) >>"$work/initrd"

L=/lib/bpf
try timeout 60 "$BUILD/rvftrace" run --quiet --audit fail --memory 64M --harts 2 --initrd "$work/initrd" \
    --append "script=\"/bin/bpftest; /bin/bpfobjects; /bin/bpftypes; bpffuzz 600; bpf load $L/syscalls.o attach sysbench getpid 100; bpf load $L/wakeups.o attach sysbench pipe 20;
        bpf load $L/stacks.o attach sysbench pipe 20; echo kprobe_events: \$(cat $T/kprobe_events).; bpf load $L/wakeups.o attach &
        sleep 1; bpf prog; bpf map; bpf link; bpf map dump histogram; kill \$!; wait; echo left: \$(bpf prog; bpf map; bpf link).;
        for o in $L/*.v3.o; do bpf load \$o; done; bpf load $L/modes.o attach sysbench fault 300; bpf load $L/records.o attach sysbench getpid 3;
        bpf load $L/syscalls.o pin /sys/fs/bpf/t attach; sysbench getpid 50; bpf map dump /sys/fs/bpf/t/totals; bpf load $L/syscalls.o pin /sys/fs/bpf/t;
        rm /sys/fs/bpf/t/on_enter /sys/fs/bpf/t/on_exit; bpf load $L/syscalls.o pin /sys/fs/bpf/t; bpf prog; rm -r /sys/fs/bpf/t; echo names: \$(bpf prog; bpf map; bpf link).;
        bpf load $L/wakeups.o pin /sys/fs/bpf/w; bpf attach /sys/fs/bpf/w/on_waking raw_tracepoint/sched_waking sysbench pipe 20; bpf map dump /sys/fs/bpf/w/woken; insmod /lib/modules/event_sample.ko; bpf load $L/wakeups.o pin /sys/fs/bpf/m;
        bpf attach /sys/fs/bpf/m/on_waking raw_tracepoint/sample_line sh -c 'cat /proc/event_sample; rmmod event_sample'; rmmod event_sample;
        bpf map dump /sys/fs/bpf/m/woken; bpf attach /sys/fs/bpf/m/on_waking raw_tracepoint/sample_line; rm -r /sys/fs/bpf/w /sys/fs/bpf/m;
        bpf load /text.o; bpf load /short.o; bpf map dump nothing; for o in /damaged/*.o; do bpf load \$o; done; echo all damaged ones were tried\"" \
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
stacks() {
    part stacks | grep -A3 '^map stacks' | grep -q 'ffffffff[0-9a-f]* pipe_write$' &&
        part stacks | grep -qx 'key: .. .. 00 00  value: 14 00 00 00 00 00 00 00'
}
claim 'every claim of bpftest, bpfobjects and bpftypes holds, without a finding' guest_claims "$claims"
# As many as on the host, where each access to memory was checked.
as_on_host() {
    accepted=$("$BUILD/tests/bpf_fuzz" 600 | sed -n 's/.* which \([0-9]*\) were accepted.*/\1/p')
    test "$accepted" -gt 30 && has_line "^bpffuzz: of 600 random programs $accepted were accepted; $((4 * accepted)) runs, [1-9][0-9]* attached$" "$out"
}
claim 'random programs that are accepted do no harm' as_on_host
claim 'an object with typed maps, a constant and functions counts system calls' counts_calls
claim 'one at raw tracepoints measures how long tasks wait' waits
claim 'one with maps of the older form counts stacks by a probe' stacks
# Of the hart on which the command runs, and of the other one, which is idle most of the time.
samples() {
    part modes | grep -Eqx 'key: 00 .* value \(CPU 00\): (..) .*  value \(CPU 01\): .. .*' &&
        part modes | grep '^key: 00' | grep -qv 'CPU 00): 00' && part modes | grep '^key: 01' | grep -q ': 0[1-9a-f] '
}
third_version() {
    for name in on_enter on_exit on_waking on_switch on_write on_return on_sample on_begin on_end; do
        sed -n '/^# for o in/,/^# bpf/p' "$out" | grep -q "^program $name: " || return 1
    done
}
claim 'one at the harts'\'' clocks counts samples of kernel and program' samples
claim 'programs in the third version of the instructions are accepted' third_version
# The command's program has begun within a read(); after two more calls it calls getpid(), four times.
records() {
    part records | grep -qx 'record entered: ac 00 00 00 03 00 00 00 00 00 00 00' &&
        part records | grep -qx 'record left: 3f 00 00 00 01 00 00 00 00 00 00 00' &&
        test "$(part records | grep -c '^record entered: ac ')" -eq 4 && test "$(part records | grep -c '^record left: ac ')" -eq 4
}
claim 'one hands over records by both kinds of rings' records
# What has a name stays attached without the loader.
named() {
    sed -n '/bpf map dump .sys.fs.bpf.t.totals/,/elements/p' "$out" | grep -Eq 'key: 00 00 00 00  value: ([4-9a-f].|.. 0[1-9]) ' &&
        has_line '^bpf: /sys/fs/bpf/t/on_enter: File exists$' "$out"
}
claim 'names keep programs attached' named
listed() {
    sed -n '/^# bpf prog/,/^# rm/p' "$out" | grep -c 'name on_enter  tag b782a490480d0baf  gpl  46 instructions, 3 maps' | grep -qx 2
}
claim 'a second object uses the maps that have names; tags are the same' listed
claim_line 'without names there is nothing' '^names: \.$' "$out"
by_name() { sed -n '/bpf map dump .sys.fs.bpf.w.woken/,/elements/p' "$out" | grep -q '^key: '; }
claim 'a program is attached by its name' by_name
# The event's first argument is the number of a line, of which the file has six.
of_module() {
    sed -n '/bpf map dump .sys.fs.bpf.m.woken/,/elements/p' "$out" | grep -q '^key: 05 00' &&
        sed -n '/bpf map dump .sys.fs.bpf.m.woken/,/elements/p' "$out" | grep -qx '6 elements'
}
claim "and at a module's event" of_module
claim_line 'which keeps the module' '^sh: rmmod: ERROR: Module event_sample is in use$' "$out"
claim_line 'without the module there is no event' '^bpf: raw_tracepoint/sample_line: No such file or directory$' "$out"
sed '/for o in .damaged/,$d' "$out" >"$work/undamaged"
claim_no_line 'the types of objects are accepted' 'going on without' "$work/undamaged"
claim_line 'its probe goes with it' '^kprobe_events: \.$' "$out"
claim_line 'programs are listed' '^[0-9]+: raw_tracepoint  name on_switch  tag [0-9a-f]{16}  gpl  [0-9]+ instructions, 3 maps, ' "$out"
claim_line 'maps are listed' '^[0-9]+: hash  name woken  flags 0x0  key 8B  value 8B  max_entries 128$' "$out"
claim_line 'links are listed' '^[0-9]+: raw_tracepoint  prog [0-9]+  at sched_switch$' "$out"
claim_line 'without the loader there is nothing' '^left: \.$' "$out"
claim_line 'what is no object is refused' '^bpf: /text.o: is no object of clang -target bpf$' "$out"
claim_line 'so is half of one' '^bpf: /short.o: its sections are not within the file$' "$out"
damaged_ones() {
    has_line '^all damaged ones were tried$' "$out" && no_line 'signal' "$out" && test "$(grep -c '^bpf: ' "$out")" -gt 50
}
claim 'damaged objects harm neither the loader nor the kernel' damaged_ones
claim_line 'and a map that does not exist' '^bpf: nothing: there is no such map$' "$out"
finish
