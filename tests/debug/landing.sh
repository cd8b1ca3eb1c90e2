#!/bin/sh
# landing.sh - the expected landing pad (ELP) in the debugger and in gdb.
. "$(dirname "$0")/common.inc"

compile "$work/landing.elf" -march=rv64g -mabi=lp64d tests/debug/landing.S
options="--quiet --isa rv64gc_zicfilp --firmware none"

cat >"$work/commands" <<'END'
break jump
continue
info registers elp
stepi
info registers elp
stepi
info registers elp
stepi 3
info registers elp pc
stepi
info registers elp pc mcause mtval
p $elp
END
# shellcheck disable=SC2086 # a list
"$rvftrace" debug $options --console none -x "$work/commands" "$work/landing.elf" </dev/null >"$out" 2>&1
sed -n 's/^elp  *//p' "$out" | cut -f1 | paste -sd ' ' >"$work/values"
claim 'an indirect jump expects a landing pad, which ends the expectation' has_line '^0x0 0x1 0x0 0x1 0x0$' "$work/values"
claim '... and another instruction is a software check' has_line '^pc .* <stuck>' "$out" and has_line '^mcause *0x12' "$out" \
    and has_line '^mtval *0x2' "$out"
claim 'elp is a value in expressions' has_line ' = 0$' "$out"

timeout 300 "${GDB:-gdb-multiarch}" -nx -q -batch -iex 'set confirm off' \
    -ex "target remote | exec $rvftrace debug $options --gdb - $work/landing.elf" -ex 'break jump' -ex continue -ex stepi \
    -ex 'p/d $elp' -ex stepi -ex 'p/d $elp' "$work/landing.elf" >"$out" 2>&1
claim 'gdb has elp, too' has_line '^\$1 = 1$' "$out" and has_line '^\$2 = 0$' "$out"

printf '%s\n' 'info registers' 'p $elp' >"$work/commands"
"$rvftrace" debug --quiet --firmware none --console none -x "$work/commands" "$work/landing.elf" </dev/null >"$out" 2>&1
claim 'harts without the extension have none' no_line '^elp' "$out" and has_line ' = void$' "$out"
finish
