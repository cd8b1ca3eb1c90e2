#!/bin/sh
# patcher.sh - the debugger's commands on a guest of a page (patcher.S), with
# each existing build of the emulator.
. "$(dirname "$0")/common.inc"

compile "$work/patcher.elf" -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax tests/debug/patcher.S
in_each_build tests/debug/patcher.script --harts 2 "$work/patcher.elf"

printf 'tbreak main\nc\nsi\n\n\nquit\n' >"$work/lines"
try "$rvftrace" debug "$work/patcher.elf" <"$work/lines" >"$out" 2>"$err"
claim 'an empty line repeats a step when the lines come from a pipe' has_status 0 and has_line '<main\+0x6>' "$out"
finish
