#!/bin/sh
# selftests.sh - the kernel's own tests (`selftest`) hold on QEMU and on rvftrace, on 1 to 8 harts.
. "$(dirname "$0")/lib.sh"

all='selftest; echo all tested'

# kernel_claims WHERE: those of the kernel's tests; and that they came to an end.
kernel_claims() {
    about="$1, "
    claims_of grep -E '^(not )?ok - ' "$out"
    claim "the tests ran to the end" has_status 0 and has_line '^all tested$' "$out"
    about=
}

# In its own time QEMU is fair to each task.
# One hart only: of several QEMU 7.2 lets one starve while another takes many timer interrupts.
for run in 'none 1' 'mcount 1'; do
    run_guest ${run% *} ${run#* } "$all" $own_time
    kernel_claims "QEMU, $run"
done
# In that of the host harts run at the same time: what depends on that, and on no time.
run_guest mcount 4 'selftest locking rcu; echo all tested'
kernel_claims 'QEMU, mcount 4'
for run in 'none 2' 'mcount 1' 'mcount 8'; do
    run_on_rvftrace ${run% *} ${run#* } "$all"
    kernel_claims "rvftrace, $run"
done
finish
