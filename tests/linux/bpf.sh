#!/bin/sh
# bpf.sh - the verdicts of the guest kernel's verifier, and the results of programs, are those of Debian's kernel on the
# same machine: the same program asks both. And an object of clang, loaded by the same program, has the same in its maps
# after the same command, which is Debian's busybox.
. "$(dirname "$0")/../guest/lib.sh"
cache=${LINUX_CACHE:-.cache/linux}
debian=$cache/debian-13/Image

root=$work_dir/root
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
(cd "$root" && find . | cpio --quiet -o -H newc) >"$work_dir/programs"
cat "$work_dir/programs" "$BUILD/guest-kernel/bpf.cpio" >"$work_dir/initrd"
timeout 600 "$BUILD/rvftrace" run --quiet --memory 512M --initrd "$work_dir/initrd" --append 'console=ttyS0 quiet' \
    "$debian" </dev/null 2>/dev/null | tr -d '\r' >"$work_dir/debian.console"
timeout 60 "$BUILD/rvftrace" run --quiet --memory 128M --initrd "$work_dir/initrd" \
    "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null 2>/dev/null | tr -d '\r' >"$work_dir/ours.console"
for kernel in debian ours; do
    grep -E '^(not )?ok - |^types: ' "$work_dir/$kernel.console" >"$work_dir/$kernel.claims"
    grep '^verdict' "$work_dir/$kernel.console" >"$work_dir/$kernel"
    # The map's elements without the process's number, and without sums of addresses, process numbers and random numbers.
    sed -n '/^map calls/,/^map totals/s/^key: .. .. .. .. //p' "$work_dir/$kernel.console" |
        sed -E '/^(18|38|39|3f|40) /!s/( ..){8}$//' | LC_ALL=C sort >"$work_dir/$kernel.calls"
    sed -n '/^all objects/,/^all names/p' "$work_dir/$kernel.console" >"$work_dir/$kernel.objects"
    grep '^libbpf: ' "$work_dir/$kernel.console" | LC_ALL=C sort >"$work_dir/$kernel.libbpf"
    grep -o 'name on_[a-z]*  tag [0-9a-f]*' "$work_dir/$kernel.console" >"$work_dir/$kernel.tags"
    # Without the last number: Debian has some system calls that fail here.
    grep '^record' "$work_dir/$kernel.console" | sed -E 's/( ..){4}$//' | LC_ALL=C sort >"$work_dir/$kernel.records"
    grep -A1 '^map modes' "$work_dir/$kernel.console" >"$work_dir/$kernel.samples"
    sed -n '/^map totals/,/elements/p' "$work_dir/$kernel.console" | head -n 3 >"$work_dir/$kernel.totals"
done

check 'Debian is asked about every program' grep -q '^verdicts: [0-9]' "$work_dir/debian"
# Linux lets a privileged program read a stack that it has not written, since 6.3.
cat >"$work_dir/since63" <<'END'
verdict a key that was not set
verdict the stack is exchanged before it was set
END
grep -vFf "$work_dir/since63" "$work_dir/debian" >"$work_dir/theirs"
grep -vFf "$work_dir/since63" "$work_dir/ours" >"$work_dir/mine"
check 'verdicts and results are the same' diff "$work_dir/theirs" "$work_dir/mine"
# write() is number 64: 100 bytes, and a message of two lines.
check 'an object counts the system calls of a command, also on Debian' \
    grep -q '^40 00 00 00  value: 65 00 00 00 00 00 00 00 65 ' "$work_dir/debian.calls"
check 'each call was entered, left, and returned as often as there' diff "$work_dir/debian.calls" "$work_dir/ours.calls"
check 'and so were all together' diff "$work_dir/debian.totals" "$work_dir/ours.totals"
check 'programs are attached to raw tracepoints there, too' \
    grep -q '^program on_switch: raw_tracepoint/sched_switch' "$work_dir/debian.console"
check 'every object is accepted by both' diff "$work_dir/debian.objects" "$work_dir/ours.objects"
check 'and they have programs' test "$(grep -c '^program ' "$work_dir/debian.objects")" -ge 14
check 'libbpf loads and attaches the object on both kernels, and it counts the same' diff "$work_dir/debian.libbpf" "$work_dir/ours.libbpf"
check 'all of the calls of the command' grep -q '^libbpf: call 64: 101 101$' "$work_dir/ours.libbpf"
check 'tags of programs are the same' diff "$work_dir/debian.tags" "$work_dir/ours.tags"
check 'of seven programs' test "$(wc -l <"$work_dir/ours.tags")" -eq 7
check 'records that programs hand over are the same' diff "$work_dir/debian.records" "$work_dir/ours.records"
check 'and there are some' test "$(wc -l <"$work_dir/ours.records")" -gt 20
check 'objects, names and tags are as on Debian' diff "$work_dir/debian.claims" "$work_dir/ours.claims"
check 'every claim of bpfobjects and bpftypes holds on both' test "$(grep -c '^ok' "$work_dir/ours.claims")" -eq "$(cat guest/user/bpfobjects.c guest/user/bpftypes.c | grep -c '^ *check("')"
for kernel in debian ours; do
    check "a program at a clock counts samples: $kernel" grep -Eq '0[1-9a-f]( ..){7}$|[1-9a-f].( ..){7}$' "$work_dir/$kernel.samples"
done
finish
