#!/bin/sh
# selftests.sh - the kernel's own tests (`selftest`) hold on QEMU and on rvftrace, on 1 to 8 harts.
. "$(dirname "$0")/lib.sh"

# say_lines WHERE: each line of the kernel's tests, with where it was; and that they came to an end.
say_lines() {
    sed -nE "s/^((not )?ok) - /\1 - $1, /p" "$out"
    grep -q '^not ok' "$out" && failed=1
    check "$1, the tests ran to the end" console_has 'all tested'
}

script='selftest; echo all tested'
for run in none.1 mcount.1 mcount.2 mcount.4 mcount.8; do
    layout=${run%.*} harts=${run#*.}
    run_guest "$layout" "$harts" "$script"
    say_lines "$layout, harts=$harts, QEMU"
    "$BUILD/rvftrace" run --quiet --audit fail --harts "$harts" --memory 128M --timeout 100 \
        --append "script=\"$script\"" "$BUILD/guest-kernel/$layout/kernel.elf" \
        </dev/null 2>"$work_dir/errors" | tr -d '\r' >"$out"
    say_lines "$layout, harts=$harts, rvftrace"
done
finish
