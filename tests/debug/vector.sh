#!/bin/sh
# vector.sh - vector registers in expressions of the debugger and in gdb, which has them from the target description.
. "$(dirname "$0")/common.inc"

compile "$work/vector.elf" -g0 -march=rv64gcv_zicsr -mabi=lp64d tests/debug/vector.S
options="--quiet --isa rv64gcv_zicsr --firmware none"

# What is printed in order, by rvftrace's debugger and by gdb, after the expressions' `=`.
ours() { # COMMANDS...
    for command in 'break done' continue "$@"; do
        echo "$command"
    done >"$work/commands"
    # shellcheck disable=SC2086 # a list
    "$rvftrace" debug $options --console none -x "$work/commands" "$work/vector.elf" </dev/null >"$out" 2>&1
    sed -n 's/^.*\$[0-9]* = //p' "$out" >"$work/values"
}
theirs() { # COMMANDS...
    for command in 'break done' continue "$@"; do
        echo "$command"
    done >"$work/commands"
    timeout 300 "${GDB:-gdb-multiarch}" -nx -q -batch -iex 'set confirm off' \
        -ex "target remote | exec $rvftrace debug $options --gdb - $work/vector.elf" -x "$work/commands" \
        "$work/vector.elf" >"$out" 2>&1
    sed -n 's/^\$[0-9]* = //p' "$out" >"$work/values"
}
values_are() { [ "$(paste -sd ';' "$work/values")" = "$1" ]; }

elements='5;1284;117835012;0x706050403020100'
ours 'p $v1.u8[5]' 'p $v1.u16[2]' 'p $v1.u32[1]' 'p/x $v1.u64[0]'
claim 'elements of a vector register are of each width' values_are "$elements"
theirs 'p $v1.b[5]' 'p $v1.s[2]' 'p $v1.w[1]' 'p/x $v1.l[0]'
claim '... as in gdb' values_are "$elements"
ours 'p/x $v1.u32' 'p sizeof $v1' 'p $v1.u64[2]' 'p $v32'
claim 'a register of 128 bits has four words, and there is no v32' values_are '{0x3020100, 0x7060504, 0xb0a0908, 0xf0e0d0c};16;void' \
    and has_line 'no such vector element' "$out"

ours 'set $v2.f32[1] = 0.0625' 'set $v2.u8[3] = 7' 'set $v1.u8[5] = 7' 'p $v2.u8[3]' 'p $v2.u32[1]' 'p/x $v1.u16'
claim 'an element is written, and the others stay' values_are '7;1031798784;{0x100, 0x302, 0x704, 0x706, 0x908, 0xb0a, 0xd0c, 0xf0e}'
ours 'set $v2.u8[3] = 7' 'stepi' 'p $v3.u8[3]' 'p $v3.u8[4]'
claim '... and the guest reads it' values_are '7;8'
theirs 'set $v2.b[3] = 7' 'stepi' 'p $v3.b[3]' 'p $v3.b[4]'
claim '... as it does what gdb writes' values_are '7;8'
ours 'p seen' 'p seen[2]' 'p/x $v2.u32[2]'
claim 'a variable is in the vector register that the debug information names' \
    values_are '{100925952, 235670024, 370414096, 505158168};370414096;0x16141210'
theirs 'p seen' 'p seen[2]'
claim '... as in gdb' values_are '{100925952, 235670024, 370414096, 505158168};370414096'
ours 'complete p $v3'
claim 'TAB offers vector registers' has_line '^p \$v31$' "$out"
options="--quiet --isa rv64gc_zicsr --firmware none"
ours 'complete p $v3'
claim '... where there are some' no_line '^p \$v31$' "$out"
ours 'p $v1' 'info vector'
claim 'without the extension v1 is a name like others' values_are 'void' and has_line 'no vector unit' "$out"
finish
