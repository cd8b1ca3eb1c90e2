#!/bin/sh
# aarch64.sh - native code for hosts with aarch64, as far as the cross compiler can tell: the stencils are made, and the
# functions that copy them compile. docs/performance.md (Native code) says how it is executed on another host.
. "$(dirname "$0")/../claims.sh"

# names FILE: the stencils in tables. lacks: those that only this host has.
names() { sed -n 's,.*/\* \([A-Z]_.*\) \*/$,\1,p' "$1" | sort; }
lacks() { names "$BUILD/stencils.inc" | comm -23 - "$work/names"; }

try make --no-print-directory BUILD="$work/b" CC=aarch64-linux-gnu-gcc WERROR=1 "$work/b/emu/cpu/native/native.o" >"$out" 2>"$err"
claim 'stencils for aarch64 are compiled and read, and native.c with them' has_status 0
names "$work/b/stencils.inc" >"$work/names"
claim "... for all operations and places that this host has them for" test -s "$work/names" -a -z "$(lacks)"
try aarch64-linux-gnu-objdump -h "$work/b/emu/cpu/native/native.o" >"$out" 2>"$err"
claim_line '... for that processor' 'file format elf64-littleaarch64' "$out"
finish
