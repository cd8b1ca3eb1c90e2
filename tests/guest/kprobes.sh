#!/bin/sh
# kprobes.sh - probes in each layout of call sites, with the auditor on, and their files in debugfs.
. "$(dirname "$0")/lib.sh"

kprobes=/sys/kernel/debug/kprobes

# selftests.sh has the suite in `none' and `mcount'.
for run in 'static 2' 'pfe16 1' 'pfe8 4' 'atomic 4' 'callops 2'; do
    "$BUILD/rvftrace" run --quiet --audit fail --harts ${run#* } --memory 128M --timeout 100 \
        --append "script=\"ls /sys/kernel/debug; selftest kprobes; cat $kprobes/list; cat $kprobes/enabled;
            cat $kprobes/blacklist; echo 0 > $kprobes/enabled; cat $kprobes/enabled; echo 2 > $kprobes/enabled;
            echo on > $kprobes/enabled; cat $kprobes/enabled; echo all tested\"" \
        "$BUILD/guest-kernel/${run% *}/kernel.elf" </dev/null 2>"$work_dir/errors" | tr -d '\r' >"$out"
    check "$run: the suite passes" console_lacks '^not ok'
    check "$run: the auditor is silent, the script ends" console_has 'all tested'
    check "$run: ten cases and no other" test "$(grep -c '^ok - kprobes: ' "$out")" -eq 10
    check "$run: no probe is left" console_lacks '  k  '
    check "$run: the entry code is in the blacklist" \
        console_has '0x[0-9a-f]{16}-0x[0-9a-f]{16}	handle_exception'
    check "$run: enabled is read and written" \
        test "$(grep -Ex '[01]|.*Kprobes globally (en|dis)abled' "$out" | sed 's/.*globally //' | tr '\n' ' ')" = \
        '1 disabled 0 enabled 1 '
done
finish
