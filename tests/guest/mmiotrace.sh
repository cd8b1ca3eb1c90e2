#!/bin/sh
# mmiotrace.sh - the tracer mmiotrace records each access to a device by the drivers, as the machine has recorded it
# (--device-log), on two harts at once, and nothing else changes by it: disks, ports, probes and data.
. "$(dirname "$0")/lib.sh"

disk=$work/disk
seq 1 60000 | head -c 262144 >"$disk"
io="dd if=/dev/vda of=/a bs=4096 count=32 & dd if=/dev/vda of=/b bs=4096 skip=32; wait"
script="cd $T; port=/dev/\$(ls /sys/class/virtio-ports); echo 256 > buffer_size_kb; echo mmiotrace > current_tracer; echo begin > trace_marker;
    $io; selftest mmiotrace; cat /a /b > \$port; echo end > trace_marker; echo 0 > tracing_on;
    cat per_cpu/cpu0/trace; cat per_cpu/cpu1/trace; echo 1 > tracing_on; echo nop > current_tracer;
    echo 3 > /proc/sys/vm/drop_caches;
    { for i in 1 2 3 4 5 6 7 8; do echo mmiotrace > current_tracer; echo nop > current_tracer; done; } & $io;
    cat /a /b > \$port; echo 4 > buffer_size_kb; echo mmiotrace > current_tracer;
    cat /a /b /a /b /a /b /a /b > \$port; echo 0 > tracing_on; cat per_cpu/cpu0/stats per_cpu/cpu1/stats; cat trace_pipe; echo the end"

# compare: for each hart, what the guest has is a part of what the machine has, without a gap.
compare() {
    python3 - "$out" "$work/log" <<'PY'
import re, sys
said = open(sys.argv[1]).read()
machine = {0: [], 1: []}
for line in open(sys.argv[2]):
    _, hart, op, width, address, value, device, _ = line.split()
    if device in ("virtio", "plic"):
        machine[int(hart)].append((op, int(width), int(address, 16), int(value, 16)))
total = 0
for hart in machine:
    part = said.split(f"# cat per_cpu/cpu{hart}/trace\n")[1].split("\n# cat ")[0].split("\n# echo ")[0]
    guest = [(m[1], int(m[2]), int(m[3], 16), int(m[4], 16)) for m in
             re.finditer(r"^([RW]) (\d) [\d.]+ \d+ (0x\w+) (0x\w+) 0x\w+ 0$", part, re.M) if int(m[3], 16) < 0x80000000]
    there = [at for at in range(len(machine[hart])) if machine[hart][at:at + len(guest)] == guest]
    assert guest and len(there) >= 1, (hart, len(guest), guest[:5], machine[hart][:5])
    total += len(guest)
assert total > 50, total
print(f"# {total} accesses")
PY
}
data_ok() { cat "$disk" "$disk" "$disk" "$disk" "$disk" "$disk" | cmp - "$work/data"; }
lost() { sed -n 's/^MARK 0.000000 Lost \([0-9]*\) events\.$/\1/p' "$out"; }
overrun() { sed -n 's/^overrun: //p' "$out" | awk '{ sum += $1 } END { print sum }'; }

judge() {
    claim "$1: the script ends" has_status 0 and has_line '^the end$' "$out"
    claim "$1: what was read and sent meanwhile is as it was" data_ok
    claim_line "$1: every kind of load and store is carried out" '^ok - mmiotrace: an_unknown_access_is_still_done$' "$out"
    claim_line "$1: mappings are shown" '^MAP [0-9.]+ [0-9]+ 0xc000000 0xffffffff8[0-9a-f]+ 0x200 0x0 0$' "$out"
    claim_line "$1: and their ends" '^UNMAP [0-9.]+ [0-9]+ 0x0 0$' "$out"
    claim_line "$1: loads are shown with their width and value" '^R 2 [0-9.]+ [0-9]+ 0x[0-9a-f]+ 0xcdef 0x[0-9a-f]+ 0$' "$out"
    claim_line "$1: and stores" '^W 8 [0-9.]+ [0-9]+ 0x[0-9a-f]+ 0xfedcba9876543210 0x[0-9a-f]+ 0$' "$out"
    claim_line "$1: and what is neither" '^UNKNOWN [0-9.]+ [0-9]+ 0x[0-9a-f]+ af,27,d9 0x[0-9a-f]+ 0$' "$out"
    claim_line "$1: a program's marks are between them" '^MARK [0-9.]+ begin$' "$out"
    claim_line "$1: trace_pipe begins with the version" '^VERSION 20070824$' "$out"
    claim "$1: lost entries are counted" test "$(overrun)" -gt 0 -a "$(lost)" -ge "$(overrun)"
    claim_line "$1: it does not start at boot" \
        "Tracer 'mmiotrace' is not allowed on command line, ignored$" "$out"
}

BOOTARGS=ftrace=mmiotrace
run_on_rvftrace mcount 2 "$script" --drive "$disk,readonly" --port "p=$work/data" --device-log "$work/log"
judge rvftrace
claim "rvftrace: the audit finds nothing" test ! -s "$err"
claim "rvftrace: no entry counts twice as lost" test "$(lost)" = "$(overrun)"
claim "rvftrace: the accesses of both harts are those that the machine saw" compare

run_guest atomic 2 "$script" -drive "file=$disk,if=none,id=d,format=raw,readonly=on" -device virtio-blk-device,drive=d \
    -device virtio-serial-device -chardev "file,id=t,path=$work/data" -device virtserialport,chardev=t,name=p
judge QEMU

finish
