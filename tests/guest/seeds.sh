#!/bin/sh
# seeds.sh - what the articles of docs/guest-tests.md show holds in the guest kernel: a script for each, all in one boot.
. "$(dirname "$0")/lib.sh"

layout=pfe8-latency
mkdir -p "$work_dir/root/seeds"
cp "$(dirname "$0")"/seeds/*.sh "$work_dir/root/seeds"
(cd "$work_dir/root" && find . | cpio -o -H newc --quiet) | cat "$BUILD/guest-kernel/initrd.cpio" "$BUILD/guest-kernel/$layout/modules.cpio" - >"$work_dir/initrd"
run_on_rvftrace $layout 2 'for i in 000 001 002 003 004; do echo == $i; sh /seeds/$i.sh; done; echo == end' --initrd "$work_dir/initrd"

# The claims that a script makes, in its own words, and those that hold.
for seed in 000 001 002 003 004; do
    sed -n "/^== $seed\$/,/^== /p" "$out" | grep -E '^(not )?ok - ' | sed "s/ok - /ok - $seed: /" >"$work_dir/claims"
    cat "$work_dir/claims"
    ! grep -q '^not ok' "$work_dir/claims" || failed=1
    check "$seed: the script runs to its end" test "$(grep -c . "$work_dir/claims")" -ge "$(grep -c '^ *claim ' "$(dirname "$0")/seeds/$seed.sh")"
done
check 'the audit finds nothing' test $status -eq 0
[ $failed -eq 0 ] || sed 's/^/# /' "$out" | tail -n 60
finish
