#!/bin/sh
# shellcheck disable=SC2119,SC2317 # claim calls by name
# vectors.sh - a user space with vectors on Debian 13's kernel: busybox compiled for rva23u64, with its C library; Debian's
# openssl, which chooses its code by what the kernel says; and loops of vector instructions. Under each tracer and with kprobes,
# audited. vector-guest.sh makes it.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

if [ ! -e "$cache/vectors.cpio" ]; then
    skip 'a user space with vectors' "there is no $cache/vectors.cpio: tests/linux/vector-guest.sh makes it"
    finish
fi
initramfs=$work/initramfs.cpio
cat "$cache/initramfs.cpio" "$cache/vectors.cpio" >"$initramfs"

# Two of each run at the same time, so that they are switched.
cat >"$work/lines" <<'LINES'
cd /sys/kernel/tracing; at='vfs_read kernel_clone'; V=/v/busybox
loops() { for l in vmemcpy vstrlen vsaxpy vmatmul vchacha; do /v/$l $1; /v/$l $1; done; }
text() { $V seq 1 $1 | $V sed 's/7/seven/' | $V sort -r | $V gzip -9 | $V gunzip | $V awk '{ n += length($0) } END { print n }' ; }
hashes() { $V seq 1 $1 | $V sha256sum; $V seq 1 $1 | $V md5sum; $V seq 1 $1 | openssl dgst -sha256 -r; }
work() { loops $1 > /tmp/a & loops $1 > /tmp/b & (text ${1}00; hashes ${1}00) > /tmp/c & (text ${1}00; hashes ${1}00) > /tmp/d & wait; cat /tmp/[abcd] | md5sum; }
echo v: $(grep -c '^isa.*rv64imafdcv' /proc/cpuinfo)
echo work nop: $(work 20)
cat /tmp/a | sort -u; cat /tmp/c
echo function > current_tracer; echo work function: $(work 20)
echo function_graph > current_tracer; echo work graph: $(work 20); echo nop > current_tracer
echo > kprobe_events; for f in $at; do echo "p:p_$f $f+4" >> kprobe_events; echo "r:r_$f $f" >> kprobe_events; done; echo 1 > events/kprobes/enable
echo work kprobes: $(work 20)
echo hits: $(grep -c ' [1-9][0-9]*  *[0-9]*$' kprobe_profile); echo 0 > events/kprobes/enable; echo > kprobe_events
echo function > current_tracer; echo speeds: $(openssl speed -seconds 1 -bytes 1024 sha256 2>&1 | grep -c '^sha256 .*[0-9]k'); echo nop > current_tracer
LINES

same_work() { # in all four
    sums=$(sed -n 's/^work [a-z]*: //p' "$out")
    [ "$(echo "$sums" | wc -l)" -eq 4 ] && [ "$(echo "$sums" | sort -u | wc -l)" -eq 1 ] && [ -n "${sums%% *}" ]
}
# What the host says of the loops, and of the hashes.
as_expected() {
    for loop in vmemcpy vstrlen vsaxpy vmatmul vchacha; do
        "$rvftrace" run --quiet --append scale=20 "$BUILD/guest/bench/$loop.elf" </dev/null >"$work/line" 2>&1
        tr -d '\r' <"$work/line" | grep -qxFf - "$out" || return 1
    done
    answered "$(seq 1 2000 | sha256sum)" && answered "$(seq 1 2000 | md5sum)" &&
        answered "$(seq 1 2000 | sha256sum | cut -c 1-64) \\*stdin"
}

for way in '1 128' '2 256'; do
    harts=${way% *} length=${way#* }
    linux "$debian" --harts "$harts" --isa "rva23_zvkng_zvl${length}b"
    claim "Debian 13 with vectors of $length bits, $harts harts: all is done" has_status 0 and answered "v: $harts"
    claim '... right' as_expected
    claim '... and the same under function, function_graph and kprobes' same_work
    claim '... openssl measures its speed while it is traced' answered 'speeds: 1'
    claim '... with nothing but notes from the audit' no_errors
done
finish
