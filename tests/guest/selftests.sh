#!/bin/sh
# selftests.sh - the kernel's own tests (`selftest`) hold on QEMU and on rvftrace, on 1 to 8 harts.
. "$(dirname "$0")/lib.sh"

all='selftest; echo all tested'

run_ours() {
    "$BUILD/rvftrace" run --quiet --audit fail --harts "$2" --memory 128M --timeout 100 \
        --append "script=\"$all\"" "$BUILD/guest-kernel/$1/kernel.elf" \
        </dev/null 2>"$work_dir/errors" | tr -d '\r' >"$out"
}

# say_lines WHERE: each line of the kernel's tests, with where it was; and that they came to an end.
say_lines() {
    sed -nE "s/^((not )?ok) - /\1 - $1, /p" "$out"
    grep -q '^not ok' "$out" && failed=1
    check "$1, the tests ran to the end" console_has 'all tested'
}

# In its own time QEMU is fair to each task.
# One hart only: of several QEMU 7.2 lets one starve while another takes many timer interrupts.
for run in 'none 1' 'mcount 1'; do
    run_guest ${run% *} ${run#* } "$all" $own_time
    say_lines "QEMU, $run"
done
# In that of the host harts run at the same time: what depends on that, and on no time.
run_guest mcount 4 'selftest locking rcu; echo all tested'
say_lines 'QEMU, mcount 4'
for run in 'none 2' 'mcount 1' 'mcount 8'; do
    run_ours ${run% *} ${run#* }
    say_lines "rvftrace, $run"
done
finish
