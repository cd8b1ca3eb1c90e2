#!/bin/sh
# ports.sh - files leave the guest through the ports of a virtio console device, on rvftrace and on QEMU (with the
# legacy interface of virtio). A run that is restored writes what the first run wrote from there on.
. "$(dirname "$0")/lib.sh"

port=$work_dir/port
seq 1 5000 >"$work_dir/numbers"
script="cat /sys/class/virtio-ports/*/name; cat /sys/class/virtio-ports/*/dev; ls -l /dev; echo first > /dev/vport0p1;
    seq 1 5000 > /dev/vport0p2; { echo second > /dev/vport0p1; } > /dev/vport0p1;
    cat /proc/filesystems > /dev/vport0p1; echo the end"

judge() {
    check "$1: the script ends" console_has 'the end'
    check "$1: the ports have the names that the host gave" console_has 'org.example.trace'
    check "$1: and numbers" console_has '244:2'
    check "$1: they are character devices" console_has 'cr.*/dev/vport0p2|cr.*vport0p2'
    check "$1: a file arrives as it was" cmp "$work_dir/numbers" "$port.2"
    check "$1: what is written later follows" grep -q ext2 "$port.1"
    check "$1: a port that is open cannot be opened again" console_has '.*/dev/vport0p1: Device or resource busy'
    check "$1: so nothing else came" test "$(sed -n 2p "$port.1")" != second
}

run_on_rvftrace mcount 2 "$script" --port "org.example.trace=$port.1" --port "b=$port.2" --virtio-console \
    --save "$work_dir/saved" --save-at 20M
judge rvftrace
check "rvftrace: the audit finds nothing" test $status -eq 0
check "rvftrace: messages of the guest's console are not in a port" sh -c "! grep -q Memory '$port.1'"

cp "$port.2" "$work_dir/numbers.whole"
"$BUILD/rvftrace" run --quiet --restore "$work_dir/saved" --port "org.example.trace=$port.3" --port "b=$port.4" \
    </dev/null >"$out" 2>"$work_dir/errors"
size=$(wc -c <"$port.4")
tail -c "$size" "$port.2" >"$work_dir/rest"
check "a restored run writes a part of the numbers" test "$size" -gt 0 -a "$size" -lt "$(wc -c <"$port.2")"
check "which is the rest of what the first run wrote" cmp "$work_dir/rest" "$port.4"
"$BUILD/rvftrace" run --quiet --restore "$work_dir/saved" --port "a=$port.3" --port "b=$port.4" </dev/null \
    >"$out" 2>&1
check "other names are another run" grep -q "was saved with .port org.example.trace'" "$out"

run_guest atomic 2 "$script" -device virtio-serial-device -chardev "file,id=t,path=$port.1" \
    -device virtserialport,chardev=t,name=org.example.trace -chardev "file,id=u,path=$port.2" \
    -device virtserialport,chardev=u,name=b
judge QEMU

finish
