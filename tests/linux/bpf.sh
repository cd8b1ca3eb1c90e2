#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# bpf.sh - the guest kernel's BPF beside Linux's: our static programs bpf, bpftest and bpfjit ask Debian's kernel and the
# guest kernel the same, with Debian's busybox as the command whose calls are counted. guests.sh fetches them.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

mkdir -p "$work/root/bin"
for program in bpf bpftest bpfjit; do cp "$BUILD/guest-kernel/user/bin/$program" "$work/root/bin"; done
"$BUILD/tests/bpf_fuzz" write 2000 >"$work/root/fuzz"
cat >"$work/root/init" <<'END'
#!/bin/busybox sh
busybox mount -t proc proc /proc 2>/dev/null
busybox mount -t sysfs sysfs /sys 2>/dev/null
busybox mount -t devtmpfs devtmpfs /dev 2>/dev/null
busybox mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
[ ! -e /dev/random ] || busybox head -c 1 /dev/random >/dev/null # the C library takes the time while there is nothing in it
bpftest verdicts
echo 1 >/proc/sys/net/core/bpf_jit_enable
echo compiled:; bpftest verdicts
for o in /lib/bpf/*.o; do echo "object: $o"; bpf load $o; done
echo syscalls:; bpf load /lib/bpf/syscalls.o attach busybox dd if=/dev/zero of=/dev/null bs=1 count=100
echo wakeups:; bpf load /lib/bpf/wakeups.o attach busybox sh -c 'for i in 1 2 3 4 5; do busybox sleep 0.01; done'
echo modes:; bpf load /lib/bpf/modes.o attach busybox dd if=/dev/zero of=/dev/null bs=1 count=3000
echo 1 >/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable # Debian's does so itself, but a moment too late
bpftest
bpfjit file /fuzz
busybox poweroff -f
END
chmod 755 "$work/root/init"
(cd "$work/root" && find . | cpio --quiet -o -H newc) >"$work/programs"
cat "$initramfs" "$work/programs" "$BUILD/guest-kernel/bpf.cpio" >"$work/initrd"

# boot NAME OPTION...: what the programs say is then in $work/NAME, and parts of it in NAME.PART.
boot() {
    to=$work/$1
    shift
    LIMIT=300 run run --quiet --memory 512M --initrd "$work/initrd" "$@"
    tr -d '\r' <"$out" >"$to"
    sed '/^compiled:/,$d' "$to" | sed -n 's/^verdict //p' >"$to.verdicts"
    sed '1,/^compiled:/d' "$to" | sed -n 's/^verdict //p' >"$to.compiled"
    grep ': accepted, returns ' "$to.verdicts" | LC_ALL=C sort >"$to.accepted"
    sed -n '/^object: /,/^syscalls:/p' "$to" >"$to.objects"
    # Without the process's number; and without the sums of brk() and set_tid_address(), which return an address and such a
    # number, and of readlinkat(), because /proc/self/exe is only on Debian.
    sed -n '/^map calls/,/^map totals/s/^key: .. .. .. .. //p' "$to" | sed -E '/^(d6|60|4e) /s/( ..){8}$//' | LC_ALL=C sort >"$to.calls"
    sed -n '/^map totals/,/elements/p' "$to" >"$to.totals"
}
# sum NAME MAP KERNEL: of the values, each less than 65536, of the map after the line `NAME:'.
sum() {
    sed -n "/^$1:/,\$p" "$work/$3" | sed -n "/^map $2/,/ elements/p" | sed -n 's/^key: .*value: \(..\) \(..\) 00 .*/\2\1/p' |
        python3 -c 'import sys; print(sum(int(x, 16) for x in sys.stdin))'
}
fuzzed() { sed -n 's/^programs of the fuzzer: accepted //p' "$work/$1"; }

boot debian --append 'console=ttyS0 quiet' "$debian"
claim "Debian's kernel answers, and powers off" has_status 0 and line_count 2 '^verdicts: [1-9]' "$work/debian"
boot ours --audit fail --append rdinit=/init "$BUILD/guest-kernel/pfe8/kernel.elf"
claim 'so does the guest kernel' has_status 0 and line_count 2 '^verdicts: [1-9]' "$work/ours"

# Linux has loops, functions and accesses by one instruction to several places, and since 6.3 privileged programs may read a
# stack that they have not written.
cat >"$work/more" <<'END'
a function of the program: accepted, returns 0
a jump backwards: accepted, returns 0
a key that is partly set: accepted, returns 0
a key that was not set: accepted, returns 0
one place of a value or another: accepted, returns 6
the stack is exchanged before it was set: accepted, returns 1
END
LC_ALL=C sort -m "$work/ours.accepted" "$work/more" >"$work/expected"
claim 'a program that the guest kernel accepts is accepted by Linux, with the same result; Linux accepts six more' \
    diff "$work/expected" "$work/debian.accepted"
claim '... and compiled programs have the results of interpreted ones' \
    cmp "$work/ours.verdicts" "$work/ours.compiled" and cmp "$work/debian.verdicts" "$work/debian.compiled"
# Those that Linux rejects are safe for a reason that it does not know: it forgets the bounds of quotients and swapped bytes.
claim 'of the random programs that the guest kernel accepts, Linux accepts 98 of 100' \
    test "$(fuzzed ours)" -gt 500 and test $(($(fuzzed debian) * 100)) -ge $(($(fuzzed ours) * 98))
claim 'every object of clang is loaded by both' diff "$work/debian.objects" "$work/ours.objects"
claim '... with 14 programs' line_count 14 '^program ' "$work/ours.objects"
# write() is number 64, 0x40: 100 bytes, and a message.
claim_line 'an object counts the calls of a command' '^40 00 00 00  value: 65 00 00 00 00 00 00 00 65 ' "$work/ours.calls"
claim '... each was entered, left, and returned the same as on Debian' diff "$work/debian.calls" "$work/ours.calls"
claim '... and all together' diff "$work/debian.totals" "$work/ours.totals"
for kernel in debian ours; do
    claim "$kernel: raw tracepoints see the turns of the command, a clock samples it" \
        test "$(sum wakeups histogram $kernel)" -ge 5 and test "$(sum modes modes $kernel)" -ge 5
done

# A probe at an ftrace site is refused by Debian's kernel; 6.12 has more types of programs, reads short logs, and attaches a
# program to a raw tracepoint twice.
cat >"$work/expected" <<'END'
not ok - an unknown type is EINVAL
not ok - a log of less than 128 bytes is EINVAL
not ok - the verifier and the interpreter treat each program as expected
not ok - but not twice
not ok - it counts each call
not ok - the link keeps the program
not ok - a closed link runs no program
not ok - without links nothing is counted
not ok - a program is attached to a probe that is in no file
not ok - it gets the registers
not ok - one at a function's end gets the result
END
sed '/^ok - programs of the fuzzer/,$d' "$work/debian" | grep '^not ok' >"$work/fails"
claim 'each claim of bpftest holds on Debian, but those of what is another in 6.12' diff "$work/expected" "$work/fails"
claims=$(cat guest/user/bpftest/*.c | grep -c '^ *check("')
claim '... and all of them in the guest kernel' line_count $((claims + 2)) '^ok - ' "$work/ours" and no_line '^not ok' "$work/ours"
finish
