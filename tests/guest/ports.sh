#!/bin/sh
# ports.sh - files leave the guest through the ports of a virtio console device, on rvftrace and on QEMU (with the
# legacy interface of virtio). A run that is restored writes what the first run wrote from there on.
. "$(dirname "$0")/lib.sh"

port=$work/port
seq 1 5000 >"$work/numbers"
script="cat /sys/class/virtio-ports/*/name; cat /sys/class/virtio-ports/*/dev; ls -l /dev; echo first > /dev/vport0p1;
    seq 1 5000 > /dev/vport0p2; { echo second > /dev/vport0p1; } > /dev/vport0p1;
    cat /proc/filesystems > /dev/vport0p1; echo the end"

judge() {
    claim "$1: the script ends" has_status 0 and has_line '^the end$' "$out"
    claim_line "$1: the ports have the names that the host gave" '^org.example.trace$' "$out"
    claim_line "$1: and numbers" '^244:2$' "$out"
    claim_line "$1: they are character devices" '^(cr.*/dev/vport0p2|cr.*vport0p2)$' "$out"
    claim "$1: a file arrives as it was" cmp "$work/numbers" "$port.2"
    claim_line "$1: what is written later follows" ramfs "$port.1"
    claim_line "$1: a port that is open cannot be opened again" '/dev/vport0p1: Device or resource busy$' "$out"
    claim "$1: so nothing else came" test "$(sed -n 2p "$port.1")" != second
}

run_on_rvftrace mcount 2 "$script" --port "org.example.trace=$port.1" --port "b=$port.2" --virtio-console \
    --save "$work/saved" --save-at 20M
judge rvftrace
claim "rvftrace: the audit finds nothing" test ! -s "$err"
claim_no_line "rvftrace: messages of the guest's console are not in a port" 'Memory' "$port.1"

cp "$port.2" "$work/numbers.whole"
try "$BUILD/rvftrace" run --quiet --restore "$work/saved" --port "org.example.trace=$port.3" --port "b=$port.4" \
    </dev/null >"$out" 2>"$err"
size=$(wc -c <"$port.4")
tail -c "$size" "$port.2" >"$work/rest"
claim "a restored run writes a part of the numbers" has_status 0 and test "$size" -gt 0 -a "$size" -lt "$(wc -c <"$port.2")"
claim "which is the rest of what the first run wrote" cmp "$work/rest" "$port.4"
try "$BUILD/rvftrace" run --quiet --restore "$work/saved" --port "a=$port.3" --port "b=$port.4" </dev/null >"$out" 2>"$err"
claim "other names are another run" has_status 65 and has_line "was saved with .port org.example.trace'" "$err"

run_guest atomic 2 "$script" -device virtio-serial-device -chardev "file,id=t,path=$port.1" \
    -device virtserialport,chardev=t,name=org.example.trace -chardev "file,id=u,path=$port.2" \
    -device virtserialport,chardev=u,name=b
judge QEMU

finish
