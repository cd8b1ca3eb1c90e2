#!/bin/sh
# ftrace-ops.sh - who is called from which site: the kernel's own tests of ftrace hold.
. "$(dirname "$0")/lib.sh"

# say_lines WHERE: each line of the kernel's tests, with where it was; and that they came to an end.
say_lines() {
    sed -nE "s/^((not )?ok) - /\1 - $1, /p" "$out"
    grep -q '^not ok' "$out" && failed=1
    check "$1, the tests ran to the end" console_has 'all tested'
    check "$1, no warning" console_lacks 'WARNING'
}

script='selftest ftrace; echo all tested'
run_guest mcount 1 "$script"
say_lines 'harts=1, QEMU'
run_guest mcount 2 "$script"
say_lines 'harts=2, QEMU'
for harts in 1 2 4; do
    for fetch in stale coherent random:$harts; do
        run_on_rvftrace mcount $harts "$script" --fetch $fetch
        say_lines "harts=$harts, rvftrace --fetch $fetch"
    done
done
finish
