#!/bin/sh
# perf.sh - perf_event_open(2) counts and samples what Linux's does, on rvftrace and on QEMU.
. "$(dirname "$0")/lib.sh"

initrd=$BUILD/guest-kernel/initrd.cpio
claims=$(grep -c '^ *check("' guest/user/perfcheck.c)
hardware=$(sed -n '/^static void test_hardware/,/^}/p' guest/user/perfcheck.c | grep -c '^ *check("')
counters=$(sed -n '/^static void test_counters/,/^}/p' guest/user/perfcheck.c | grep -c '^ *check("')

all_hold() { guest_claims "$1" && has_line '^the end$' "$out"; }

run_on_rvftrace pfe8 4 'perfcheck; perfcheck hardware; perfcheck counters; perf stat -e syscalls:sys_enter_getpid,r2 sysbench getpid 100; echo the end' --initrd "$initrd"
claim 'pfe8, 4 harts, rvftrace: every claim of perfcheck holds' all_hold "$claims"
claim 'perf stat counts the calls of a command, and its raw event' \
    test "$(grep -Ec '^ +101 +syscalls:sys_enter_getpid$|^ +[0-9]+ +r2$' "$out")" -eq 2
# QEMU's instret is in units of 2^shift instructions.
run_guest atomic 1 'perfcheck; perfcheck counters; perf stat -e iTLB-load-misses,dTLB-load-misses sysbench fork 20; echo the end' -initrd "$initrd" -icount shift=0,sleep=off
claim 'atomic, 1 hart, QEMU: every claim of perfcheck that needs no Sscofpmf holds' \
    all_hold $((claims - hardware))
claim '... and misses of the TLBs are counted by programmable counters' \
    test "$(grep -Ec '^ +[1-9][0-9]+ +[id]TLB-load-misses$' "$out")" -eq 2
run_on_rvftrace mcount 2 'perfcheck hardware; perfcheck counters; echo the end' --initrd "$initrd" \
    --firmware "${OPENSBI:-/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin}"
claim 'mcount, 2 harts, OpenSBI: the claims about counters hold' all_hold $((hardware + counters))

# Two runs that differ in how often they fork differ by as much in the counters as in the report.
cat >"$work/model.py" <<'E2'
import json, sys
def counts(n):
    words = [line.split() for line in open(f"{sys.argv[1]}/{n}.out")]
    found = {w[1]: int(w[0]) for w in words if len(w) > 1 and w[0].isdigit()}
    hart = json.load(open(f"{sys.argv[1]}/{n}.json"))["harts"][0]
    return found, hart
(few, first), (many, second) = counts(20), counts(120)
parts = {k: second["parts"][k] - first["parts"][k] for k in first["parts"]}
for event, told in (("r1", second["cycles"] - first["cycles"]), ("r2", second["instructions"] - first["instructions"]),
                    ("r19", parts["fetch"] + parts["branch"]), ("r1a", parts["data"])):
    counted = many[event] - few[event]
    assert told > 10000 and abs(counted / told - 1) < 0.005, (event, counted, told)
assert many["r10"] > few["r10"] and many["r12"] > few["r12"] and many["r17"] > few["r17"]
E2
for n in 20 120; do
    run_on_rvftrace pfe8 1 "perf stat -a -e r1,r2,r19,r1a,r10,r12,r17 sysbench fork $n" --initrd "$initrd" \
        --timing c906 --report "$work/$n.json"
    cp "$out" "$work/$n.out"
done
claim 'pfe8, a core model: the counters say what the report says' has_status 0 and python3 "$work/model.py" "$work"
finish
