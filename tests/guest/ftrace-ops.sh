#!/bin/sh
# ftrace-ops.sh - who is called from which site: the kernel's own tests of ftrace hold in each layout.
. "$(dirname "$0")/lib.sh"

# kernel_claims WHERE: those of the kernel's tests; and that they came to an end.
kernel_claims() {
    about="$1, "
    claims_of grep -E '^(not )?ok - ' "$out"
    claim "the tests ran to the end" has_status 0 and has_line '^all tested$' "$out"
    claim_no_line "no warning" 'WARNING' "$out"
    about=
}

script='selftest ftrace; echo all tested'
run_guest mcount 2 "$script"
kernel_claims 'mcount, harts=2, QEMU'
for layout in mcount pfe16 pfe8 atomic callops; do
    run_guest $layout 1 "$script"
    kernel_claims "$layout, QEMU"
    for fetch in stale coherent random:7; do
        run_on_rvftrace $layout 2 "$script" --fetch $fetch
        kernel_claims "$layout, harts=2, rvftrace --fetch $fetch"
    done
    run_on_rvftrace $layout 4 "$script"
    kernel_claims "$layout, harts=4, rvftrace"
done
finish
