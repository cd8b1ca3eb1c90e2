#!/bin/sh
# vectors.sh - programs of the guest kernel that use vector registers: on rvftrace, traced and audited, with registers of
# three lengths and without any; and on QEMU.
. "$(dirname "$0")/lib.sh"

initrd=$BUILD/guest-kernel/initrd.cpio
claims=$(sed -n '/^    check("registers/,$p' guest/user/vectest.c | grep -c '^ *check("')
isa=rv64gcv_zicntr_zihpm_sstc
script="echo function_graph > $T/current_tracer; vectest; echo the end"
all_hold() { guest_claims "$claims" && has_line '^the end$' "$out"; }

for harts in 1 4; do
    run_on_rvftrace pfe8 $harts "$script" --initrd "$initrd"
    claim "each program has its own vector registers, $harts harts, traced" all_hold
done
for length in 256 1024; do
    run_on_rvftrace pfe8 1 vectest\;"echo the end" --initrd "$initrd" --isa ${isa}_zvl${length}b
    claim "... and if they have $length bits" all_hold
done
run_on_rvftrace pfe8 1 "vectest" --initrd "$initrd" --isa rv64gc_zicntr_zihpm_sstc
claim 'on a machine without vectors their instructions are illegal' guest_claims 1
run_guest pfe8 1 'vectest; echo the end' -initrd "$initrd" -cpu rv64,v=true,vext_spec=v1.0,vlen=256
claim 'the same kernel on QEMU does the same' all_hold
finish
