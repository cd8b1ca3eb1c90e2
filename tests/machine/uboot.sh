#!/bin/sh
# uboot.sh - Debian's U-Boot, in S-mode on the built-in firmware and on OpenSBI, and in M-mode, reads
# files from a disk made by mke2fs.
. "$(dirname "$0")/common.inc"

uboot=${UBOOT:-/usr/lib/u-boot/qemu-riscv64_smode/u-boot.bin}
m_mode=/usr/lib/u-boot/qemu-riscv64
opensbi=${OPENSBI:-/usr/lib/riscv64-linux-gnu/opensbi/generic}
talk=$(dirname "$0")/talk.py

# The disk: one file of two megabytes, and a kernel.
mkdir "$work/files"
cp "$(dirname "$mcount")/Image" "$work/files/kernel"
seq 1 300000 >"$work/files/numbers"
size=$(wc -c <"$work/files/numbers")
crc=$(python3 -c 'import sys, zlib; print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' "$work/files/numbers")
truncate -s 16M "$work/disk"
mke2fs -q -d "$work/files" "$work/disk"
sum=$(cksum <"$work/disk")

# converse ARGUMENTS...: boots U-Boot, types the lines of $work/lines at its prompt, then $last.
last=poweroff
converse() {
    {
        echo 'wait autoboot'
        echo 'send '
        sed 's/^/wait => \
send /' "$work/lines"
        printf 'wait => \nsend %s\n' "$last"
    } >"$work/talk"
    try python3 "$talk" "${LIMIT:-300}" "$rvftrace" run --quiet "$@" "$uboot" <"$work/talk" >"$out" 2>"$err"
}

cat >"$work/lines" <<EOF
virtio info
load virtio 0 0x84000000 numbers
crc32 0x84000000 $(printf %x "$size")
EOF
for firmware in builtin "$opensbi/fw_jump.bin" "$opensbi/fw_dynamic.bin"; do
    name=$(basename "$firmware")
    converse --firmware "$firmware" --drive "$work/disk,readonly"
    claim "U-Boot comes to its prompt on $name and powers off" has_status 0
    claim_line '... finds the disk' 'Device 0: .*VirtIO Block Device' "$out"
    claim_line '... and reads a file from it whole' "==> $crc" "$out"
done
s_mode=$uboot
for uboot in "$m_mode/u-boot.bin" "$m_mode/uboot.elf"; do
    set -- # an ELF has the addresses of firmware
    [ "${uboot##*.}" = elf ] || set -- --firmware none
    converse "$@" --drive "$work/disk,readonly"
    claim "$(basename "$uboot") for M-mode powers off" has_status 0
    claim_line '... and reads a file from the disk whole' "==> $crc" "$out"
done
uboot=$s_mode

: >"$work/lines"
for harts in 2 8; do
    converse --firmware "$opensbi/fw_dynamic.bin" --harts "$harts"
    claim "... with $harts harts, too" has_status 0
    claim_line '... which OpenSBI counts' "Platform HART Count *: $harts" "$out"
done
converse --memory 16G
claim '... with 16 GiB of memory, too' has_status 0
claim_line '... which it sees' 'DRAM: *16 GiB' "$out"

# booti writes boot arguments and initrd into the device tree where U-Boot keeps its own copy of it.
cat >"$work/lines" <<EOF
load virtio 0 0x84000000 kernel
setenv long ignored=$(printf '%0180d' 0)
setenv bootargs \$long \$long \$long \$long 'script="echo started by U-Boot; poweroff"'
EOF
last='booti 0x84000000 0x86000000:0x1000 $fdtcontroladdr'
for firmware in builtin "$opensbi/fw_dynamic.bin"; do
    converse --firmware "$firmware" --drive "$work/disk,readonly"
    claim "booti with the control device tree starts a kernel on $(basename "$firmware")" has_status 0
    claim_line '... with its arguments' '^started by U-Boot' "$out"
    claim_line '... and its initrd' 'Freeing initrd memory: 4K' "$out"
done
last=poweroff

cat >"$work/lines" <<EOF
mw.b 0x84000000 a5 400
virtio write 0x84000000 0 2
virtio read 0x84001000 0 2
cmp.b 0x84000000 0x84001000 400
EOF
pattern() { head -c "$1" "$work/disk" | tail -c 1024 | tr -d '\245' | wc -c; }
converse --drive "$work/disk,snapshot"
claim_line 'what is written to a snapshot is read back' 'Total of 1024 byte\(s\) were the same' "$out"
claim '... and the file stays as it was' [ "$(cksum <"$work/disk")" = "$sum" ]
converse --drive "$work/disk"
claim 'what is written to a drive is in the file' [ "$(pattern 1024)" -eq 0 ]
claim '... and nothing else is' [ "$(pattern 2048)" -gt 0 ]

: >"$work/lines"
last=reset
converse
claim 'a reset ends the run' has_status 0
claim_line '... having been asked for' 'resetting' "$out"

run run --quiet --harts 64 --firmware "$opensbi/fw_dynamic.bin" --append 'script="echo all here; poweroff"' "$mcount"
claim_line 'OpenSBI hands 64 harts over to the guest kernel' '^all here' "$out"

run run --drive "$work/none" "$uboot"
claim 'a drive that is not there is status 66' has_status 66
claim '... and one line' says_one_line '.*none: No such file'
run run --drive "$work" "$uboot"
claim 'a folder is no drive' has_status 74
: >"$work/empty"
run run --drive "$work/empty,readonly" "$uboot"
claim 'an empty file is refused with the remedy' refused 65 '.*empty.*truncate'
head -c 1000 /dev/zero >"$work/odd"
run run --drive "$work/odd" "$uboot"
claim 'half a sector is refused with the remedy' refused 65 '.*odd.*sectors.*truncate'
run run --drive "$work/disk,snapshot" --drive 1 --drive 2 --drive 3 --drive 4 --drive 5 --drive 6 "$uboot"
claim 'more drives than slots are refused' has_status 64
finish
