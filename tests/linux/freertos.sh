#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# freertos.sh - a program with FreeRTOS says the same as on QEMU. It runs in M-mode, with the timer of the
# CLINT and ecalls in M-mode for its switches of tasks.
# There is no package of it: build a demo for the virt board and RV64 elsewhere, and give its ELF, for example
#
#   FREERTOS=build/RTOSDemo.axf tests/linux/freertos.sh
. "$(dirname "$0")/../machine/common.inc"

if [ ! -r "${FREERTOS-}" ]; then
    echo "ok - FreeRTOS # SKIP set FREERTOS to a program for the virt board in M-mode"
    exit 0
fi

# A demo never ends: its first lines.
first_lines() { head -n 8 | tr -d '\r'; }
# QEMU does not end when nobody reads on.
timeout 60 qemu-system-riscv64 -machine virt -bios none -display none -monitor none -serial stdio \
    -kernel "$FREERTOS" </dev/null 2>"$err" | first_lines >"$work/qemu"
claim 'QEMU runs it' test "$(wc -l <"$work/qemu")" -eq 8
for fetch in stale coherent; do
    timeout "${LIMIT:-120}" "$rvftrace" run --quiet --firmware none --fetch $fetch "$FREERTOS" \
        </dev/null 2>"$err" | first_lines >"$out"
    claim "with --fetch $fetch it says the same here" cmp "$work/qemu" "$out"
    claim '... and the audit says nothing' test -z "$(rules)"
done
finish
