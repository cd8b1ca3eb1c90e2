#!/bin/sh
# bpf.sh - bpf(2): maps, the verifier's verdicts, and programs at events, under the auditor.
. "$(dirname "$0")/lib.sh"

claims=$(grep -c '^ *check("' guest/user/bpftest.c)

timeout 60 "$BUILD/rvftrace" run --quiet --audit fail --memory 64M --harts 2 \
    --initrd "$BUILD/guest-kernel/initrd.cpio" --append 'script="/bin/bpftest"' \
    "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null 2>"$work_dir/errors" | tr -d '\r' >"$out"
every_claim_holds() {
    test "$(grep -c '^ok - ' "$out")" -eq "$claims" && console_lacks '^not ok' &&
        test ! -s "$work_dir/errors"
}
check 'every claim of bpftest holds, without a finding' every_claim_holds
finish
