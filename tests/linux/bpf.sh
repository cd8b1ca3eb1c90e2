#!/bin/sh
# bpf.sh - the verdicts of the guest kernel's verifier, and the results of programs, are those of Debian's kernel on the
# same machine: the same program asks both. And an object of clang, loaded by the same program, has the same in its maps
# after the same command, which is Debian's busybox.
. "$(dirname "$0")/../guest/lib.sh"
cache=${LINUX_CACHE:-.cache/linux}
debian=$cache/debian-13/Image

root=$work/root
mkdir -p "$root/dev" "$root/proc" "$root/sys" "$root/bin"
for program in bpf bpfobjects bpftypes bpfverdicts; do cp "$BUILD/guest-kernel/user/bin/$program" "$root/bin"; done
cp "$cache/busybox" "$cache/libbpf" "$root/bin"
mknod "$root/dev/console" c 5 1
command='bpf load /lib/bpf/syscalls.o attach busybox dd if=/dev/zero of=/dev/null bs=1 count=100'
# What raw tracepoints and clocks tell depends on time; that they can be attached does not.
command="$command; bpf load /lib/bpf/wakeups.o attach busybox true; echo all objects
for o in /lib/bpf/*.o; do bpf load \$o; done
echo all names
libbpf /lib/bpf/syscalls.o busybox dd if=/dev/zero of=/dev/null bs=1 count=100
for o in syscalls wakeups modes records; do bpf load /lib/bpf/\$o.o pin /sys/fs/bpf/\$o; done; bpf prog; busybox rm -r /sys/fs/bpf/*
bpf load /lib/bpf/records.o attach busybox dd if=/dev/zero of=/dev/null bs=1 count=3
bpf load /lib/bpf/modes.o attach busybox dd if=/dev/zero of=/dev/null bs=1 count=3000; bpfobjects; bpftypes; bpfverdicts"
cat >"$root/init" <<END
#!/bin/busybox sh
busybox mount -t proc proc /proc
busybox mount -t sysfs sysfs /sys
busybox mount -t devtmpfs devtmpfs /dev
busybox mount -t tracefs tracefs /sys/kernel/tracing
busybox mount -t bpf bpf /sys/fs/bpf
# The C library takes the time while there are no random numbers yet.
busybox head -c 1 /dev/random >/dev/null
$command
busybox poweroff -f
END
chmod 755 "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc) >"$work/programs"
cat "$work/programs" "$BUILD/guest-kernel/bpf.cpio" >"$work/initrd"
try timeout 600 "$BUILD/rvftrace" run --quiet --memory 512M --initrd "$work/initrd" --append 'console=ttyS0 quiet' \
    "$debian" </dev/null >"$out" 2>"$err"
claim 'Debian powers off' has_status 0
tr -d '\r' <"$out" >"$work/debian.console"
try timeout 60 "$BUILD/rvftrace" run --quiet --memory 128M --initrd "$work/initrd" \
    "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null >"$out" 2>"$err"
claim '... and so does the guest kernel' has_status 0
tr -d '\r' <"$out" >"$work/ours.console"
for kernel in debian ours; do
    grep -E '^(not )?ok - |^types: ' "$work/$kernel.console" >"$work/$kernel.claims"
    grep '^verdict' "$work/$kernel.console" >"$work/$kernel"
    # The map's elements without the process's number, and without sums of addresses, process numbers and random numbers.
    sed -n '/^map calls/,/^map totals/s/^key: .. .. .. .. //p' "$work/$kernel.console" |
        sed -E '/^(18|38|39|3f|40) /!s/( ..){8}$//' | LC_ALL=C sort >"$work/$kernel.calls"
    sed -n '/^all objects/,/^all names/p' "$work/$kernel.console" >"$work/$kernel.objects"
    grep '^libbpf: ' "$work/$kernel.console" | LC_ALL=C sort >"$work/$kernel.libbpf"
    grep -o 'name on_[a-z]*  tag [0-9a-f]*' "$work/$kernel.console" >"$work/$kernel.tags"
    # Without the last number: Debian has some system calls that fail here.
    grep '^record' "$work/$kernel.console" | sed -E 's/( ..){4}$//' | LC_ALL=C sort >"$work/$kernel.records"
    grep -A1 '^map modes' "$work/$kernel.console" >"$work/$kernel.samples"
    sed -n '/^map totals/,/elements/p' "$work/$kernel.console" | head -n 3 >"$work/$kernel.totals"
done

claim_line 'Debian is asked about every program' '^verdicts: [0-9]' "$work/debian"
# Linux lets a privileged program read a stack that it has not written, since 6.3.
cat >"$work/since63" <<'END'
verdict a key that was not set
verdict the stack is exchanged before it was set
END
grep -vFf "$work/since63" "$work/debian" >"$work/theirs"
grep -vFf "$work/since63" "$work/ours" >"$work/mine"
claim 'verdicts and results are the same' diff "$work/theirs" "$work/mine"
# write() is number 64: 100 bytes, and a message of two lines.
claim_line 'an object counts the system calls of a command, also on Debian' \
    '^40 00 00 00  value: 65 00 00 00 00 00 00 00 65 ' "$work/debian.calls"
claim 'each call was entered, left, and returned as often as there' diff "$work/debian.calls" "$work/ours.calls"
claim 'and so were all together' diff "$work/debian.totals" "$work/ours.totals"
claim_line 'programs are attached to raw tracepoints there, too' \
    '^program on_switch: raw_tracepoint/sched_switch' "$work/debian.console"
claim 'every object is accepted by both' diff "$work/debian.objects" "$work/ours.objects"
claim 'and they have programs' test "$(grep -c '^program ' "$work/debian.objects")" -ge 14
claim 'libbpf loads and attaches the object on both kernels, and it counts the same' diff "$work/debian.libbpf" "$work/ours.libbpf"
claim_line 'all of the calls of the command' '^libbpf: call 64: 101 101$' "$work/ours.libbpf"
claim 'tags of programs are the same' diff "$work/debian.tags" "$work/ours.tags"
claim 'of seven programs' test "$(wc -l <"$work/ours.tags")" -eq 7
claim 'records that programs hand over are the same' diff "$work/debian.records" "$work/ours.records"
claim 'and there are some' test "$(wc -l <"$work/ours.records")" -gt 20
claim 'objects, names and tags are as on Debian' diff "$work/debian.claims" "$work/ours.claims"
claim 'every claim of bpfobjects and bpftypes holds on both' test "$(grep -c '^ok' "$work/ours.claims")" -eq "$(cat guest/user/bpfobjects.c guest/user/bpftypes.c | grep -c '^ *check("')"
for kernel in debian ours; do
    claim_line "a program at a clock counts samples: $kernel" '0[1-9a-f]( ..){7}$|[1-9a-f].( ..){7}$' "$work/$kernel.samples"
done
finish
