#!/bin/sh
# ftrace-ops.sh - who is called from which site: the kernel's own tests of ftrace hold in each layout.
. "$(dirname "$0")/lib.sh"

# say_lines WHERE: each line of the kernel's tests, with where it was; and that they came to an end.
say_lines() {
    sed -nE "s/^((not )?ok) - /\1 - $1, /p" "$out"
    grep -q '^not ok' "$out" && failed=1
    check "$1, the tests ran to the end" console_has 'all tested'
    check "$1, no warning" console_lacks 'WARNING'
}

script='selftest ftrace; echo all tested'
run_guest mcount 2 "$script"
say_lines 'mcount, harts=2, QEMU'
for layout in mcount pfe16 pfe8 atomic callops; do
    run_guest $layout 1 "$script"
    say_lines "$layout, QEMU"
    for fetch in stale coherent random:7; do
        run_on_rvftrace $layout 2 "$script" --fetch $fetch
        say_lines "$layout, harts=2, rvftrace --fetch $fetch"
    done
    run_on_rvftrace $layout 4 "$script"
    say_lines "$layout, harts=4, rvftrace"
done
finish
