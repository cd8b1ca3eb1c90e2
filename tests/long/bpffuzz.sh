#!/bin/sh
# bpffuzz.sh - random programs of BPF inside the guest kernel, on several harts, under the auditor; docs/bpf.md.
. "$(dirname "$0")/../guest/lib.sh"

fuzz='bpffuzz 20000 1000000 >/one & bpffuzz 20000 2000000 >/two; wait; cat /one /two'
try timeout 3600 "$BUILD/rvftrace" run --quiet --audit fail --memory 64M --harts 4 --initrd "$BUILD/guest-kernel/initrd.cpio" \
    --append "script=\"$fuzz\"" "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null >"$work/raw" 2>"$err"
tr -d '\r' <"$work/raw" >"$out"
grep '^bpffuzz' "$out" | sed 's/^/# /'
did_no_harm() {
    has_status 0 && test "$(grep -c '^bpffuzz: of 20000 random programs [0-9]* were accepted; [0-9]* runs, [0-9]* attached' "$out")" -eq 2 &&
        test ! -s "$err" && no_line 'Oops|panic|signal' "$out"
}
claim 'random programs on two harts at the same time do no harm' did_no_harm
finish
