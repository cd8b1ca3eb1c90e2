#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# freertos.sh - a program with FreeRTOS says the same as on QEMU. It runs in M-mode, with the timer of the
# CLINT and ecalls in M-mode for its switches of tasks.
# There is no package of it: build a demo for the virt board and RV64 elsewhere, and give its ELF, for example
#
#   FREERTOS=build/RTOSDemo.axf tests/linux/freertos.sh
. "$(dirname "$0")/../machine/common.inc"

if [ ! -r "${FREERTOS-}" ]; then
    skip FreeRTOS 'set FREERTOS to a program for the virt board in M-mode'
    finish
fi

# first_lines FILE: of a demo, which never ends.
first_lines() { head -n 8 "$1" | tr -d '\r'; }
try timeout 20 qemu-system-riscv64 -machine virt -bios none -display none -monitor none -serial stdio \
    -kernel "$FREERTOS" </dev/null >"$out" 2>"$err"
first_lines "$out" >"$work/qemu"
claim 'QEMU runs it' test "$(wc -l <"$work/qemu")" -eq 8
for fetch in stale coherent; do
    run run --quiet --firmware none --timeout 20 --fetch $fetch "$FREERTOS"
    first_lines "$out" >"$work/ours"
    claim "with --fetch $fetch it says the same here" has_status 75 and cmp "$work/qemu" "$work/ours"
    claim '... and the audit says nothing' test -z "$(rules)"
done
# So slow that it does not come as far: what it has said is the beginning.
for stores in delayed random:1; do
    run run --quiet --firmware none --timeout 20 --stores $stores "$FREERTOS"
    first_lines "$out" >"$work/ours"
    said=$(wc -l <"$work/ours")
    head -n "$said" "$work/qemu" >"$work/beginning"
    claim "with --stores $stores it begins in the same way" has_status 75 and test "$said" -ge 1 and cmp "$work/beginning" "$work/ours"
    claim '... and the audit says nothing' test -z "$(rules)"
done
finish
