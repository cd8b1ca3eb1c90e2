#!/bin/sh
# language.sh - the commands of gdb's language that are not about the machine: disassemble, printf, define, if,
# while, FUNCTION::NAME and others.
. "$(dirname "$0")/common.inc"

sed "s|BPS|$work/breakpoints|" tests/debug/language.script >"$work/script"
session "$work/script" "$rvftrace" debug --harts 2 --console none \
    --append 'script="work tree 1; poweroff"' "$BUILD/guest-kernel/pfe8/kernel.elf"

# A file of commands may define some; their lines come from the file.
cat >"$work/defs" <<'C'
define twice
  if $argc == 1
    $arg0
    $arg0
  end
end
C
printf 'source %s\ntwice echo.again\ndefine say\necho again\\n\nend\ntwice say\n' "$work/defs" >"$work/session"
try "$rvftrace" debug --console none --commands "$work/session" "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null >"$out" 2>&1
claim 'debug: a command that a file defines runs another one twice' has_status 0 and line_count 2 '^again$' "$out"

# batch OUTPUT: the session in $work/session prints this, and nothing else.
batch() {
    try "$rvftrace" debug --quiet -batch -x "$work/session" "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null >"$out" 2>&1
    [ "$(cat "$out")" = "$1" ]
}
printf 'print 6 * 7\nif 1\noutput 3\nend\n' >"$work/session"
claim 'debug -batch prints what the commands print' batch '$1 = 42
3' and has_status 0
printf 'print nosuch\nprint 1\n' >"$work/session"
claim '... and ends at the first that fails, with status 1' batch 'No symbol "nosuch" in current context.' and has_status 1
printf 'breka schedule\n' >"$work/session"
claim 'a word that is nearly a command is answered with it' \
    batch '`breka` is not a command; did you mean `break`? `help` lists the commands'
printf 'info regsters\n' >"$work/session"
claim '... of info, too' batch 'Undefined info command: "regsters".  Did you mean "registers"?  Try "help info".'
finish
