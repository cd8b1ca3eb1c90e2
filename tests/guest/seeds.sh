#!/bin/sh
# seeds.sh - what the articles of docs/guest-tests.md show holds in the guest kernel: a script for each, all in one boot.
. "$(dirname "$0")/lib.sh"

layout=pfe8-latency
mkdir -p "$work/root/seeds"
cp "$(dirname "$0")"/seeds/*.sh "$work/root/seeds"
(cd "$work/root" && find . | cpio -o -H newc --quiet) | cat "$BUILD/guest-kernel/initrd.cpio" "$BUILD/guest-kernel/$layout/modules.cpio" - >"$work/initrd"
run_on_rvftrace $layout 2 'for i in 000 001 002 003 004; do echo == $i; sh /seeds/$i.sh; done; echo == end' --initrd "$work/initrd"

# The claims that a script makes, in its own words, and those that hold.
for seed in 000 001 002 003 004; do
    sed -n "/^== $seed\$/,/^== /p" "$out" >"$work/$seed"
    about="$seed: "
    claims_of grep -E '^(not )?ok - ' "$work/$seed"
    claim "the script runs to its end" test "$(grep -Ec '^(not )?ok - ' "$work/$seed")" -ge "$(grep -Ec '^ *claim(_line|_no_line)? ' "$(dirname "$0")/seeds/$seed.sh")"
done
about=
claim 'the audit finds nothing' has_status 0
[ $failed -eq 0 ] || sed 's/^/# /' "$out" | tail -n 60
finish
