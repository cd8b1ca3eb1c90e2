#!/bin/sh
# kernel-needs.sh - the guest kernel on unusual machines: it runs, or prints what is missing.
. "$(dirname "$0")/common.inc"

ends_well() { has_status 0 && has_line 'result=3c397aea0e6314fc' "$out"; }
for memory in 5M 6M 7M 17M 5124K 257M 1025M; do
    run run --quiet --memory $memory --append 'script="work tree 2; poweroff"' "$mcount"
    claim "the kernel runs in $memory" ends_well
done
try timeout 300 qemu-system-riscv64 -machine virt -m 17M -display none -monitor none -serial stdio \
    -kernel "$mcount" -append 'script="work tree 2; poweroff"' </dev/null >"$out" 2>"$err"
claim '... and on QEMU with 17M' ends_well

run run --quiet --isa rv64imac_zifencei_zicntr --append 'script="work tree 2; poweroff"' "$mcount"
claim 'rv64imac_zifencei_zicntr is enough for it' ends_well
run run --quiet --isa rv64gc "$mcount"
claim 'without counters it fails' has_status 1
claim_line '... and says what it needs' 'Kernel panic.*counters time, cycle and instret \(Zicntr\)' "$out"
example=$(grep -o 'an ISA string or a profile: [a-z0-9_]*' emu/cli/options.def | sed 's/.*: //')
run run --quiet --isa "$example" --append 'script="work tree 2; poweroff"' "$mcount"
claim "the example of --isa, $example, runs it" ends_well

# The second message has no valid address, while printk() holds its lock.
cat >"$work/commands" <<'C'
tbreak cpu_startup_entry
continue
tbreak vsnprintf
continue
set $a0 = 16
continue
C
run debug --quiet --commands "$work/commands" --append 'script="poweroff"' "$mcount"
claim_line 'an exception inside printk() is printed' 'Oops - store page fault at .*, address 10' "$out"
claim_line '... and fails the machine' 'has ended with status 1' "$out"
finish
