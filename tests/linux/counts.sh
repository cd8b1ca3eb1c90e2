#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# counts.sh - system calls, new processes and page faults of Debian's kernel take as many instructions here as on
# QEMU: on both an instruction takes a nanosecond of the guest's time (counts.c). With the same firmware and the
# extensions that QEMU 7.2 offers; with ours a page is cleared by cbo.zero, and Linux uses fewer.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

mkdir -p "$work/root/bin"
claim 'the program is built' "${CROSS:-riscv64-unknown-elf-}gcc" -std=gnu11 -march=rv64gc -mabi=lp64d -mcmodel=medany -O2 \
    -ffreestanding -fno-builtin -fno-stack-protector -fno-pic -nostdlib -static -Wl,--build-id=none \
    -Iguest -o "$work/root/bin/counts" "$(dirname "$0")/counts.c"
(cd "$work/root" && find bin | cpio --quiet -o -H newc) >"$work/program"
cat "$initramfs" "$work/program" >"$work/initrd"
initramfs=$work/initrd

# After five seconds the kernel has done what it does in the background after its start.
echo 'sleep 5; /bin/counts' >"$work/lines"
# counted FILE: a line "NAME NUMBER" for each count of the last boot; `booted' is the time up to the
# last message before the kernel waits for what runs in the background.
counted() {
    tr -d '\r' <"$out" >"$work/console"
    sed -n 's/^count \([a-z]* [0-9]*\)$/\1/p' "$work/console" >"$1"
    sed -n 's/^\[ *\([0-9]*\)\.\([0-9]*\)\] evm: HMAC attrs.*/booted \1\2000/p' "$work/console" >>"$1"
}
isa=rv64imafdc_zicntr_zicsr_zifencei_zihintpause_zihpm_zba_zbb_zbc_zbs_sstc
linux "$debian" --timing unit --firmware "$opensbi" --isa "$isa"
claim "Debian's kernel on one hart powers off" has_status 0
counted "$work/ours"
linux "$debian" --timing unit
claim '... and with all our extensions and the built-in firmware' has_status 0
counted "$work/default"
try python3 "$talk" "${LIMIT:-600}" qemu-system-riscv64 -M virt -m 512M -icount shift=0,sleep=off -display none -monitor none \
    -serial stdio -append console=ttyS0 -initrd "$initramfs" -kernel "$debian" <"$work/talk" >"$out" 2>"$err"
claim '... and on QEMU' has_status 0
counted "$work/qemu"
cat >"$work/compare.py" <<'E2'
import sys

ours, default, qemu = (dict(line.split() for line in open(f"{sys.argv[1]}/{name}")) for name in ("ours", "default", "qemu"))
assert len(ours) == 8 and ours.keys() == qemu.keys() == default.keys(), (ours, default, qemu)
for name, count in qemu.items():
    print(f"{name:10} QEMU {count:>11}  here {ours[name]:>11}  by default {default[name]:>11}", file=sys.stderr)
for name, count in qemu.items():
    # exec depends on where the program is put, at random: two boots of QEMU differ by 2 %.
    most = 0.05 if name == "exec" else 0.02
    assert abs(int(ours[name]) - int(count)) <= most * int(count), name
# No more than with fewer extensions.
assert all(int(default[name]) <= 1.02 * int(ours[name]) for name in ours if name != "exec"), "default"
# Random numbers cost a system call nothing to speak of: Linux has had a seed.
assert int(ours["getpid"]) < 1000
E2
claim '... a call, a pipe, fork, exec and a page fault take the same instructions within 2 %' \
    python3 "$work/compare.py" "$work"
finish
