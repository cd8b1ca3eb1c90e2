#!/bin/sh
# language.sh - the commands of gdb's language that are not about the machine: disassemble, printf, define, if,
# while, FUNCTION::NAME and others.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
sed "s|BPS|$dir/breakpoints|" tests/debug/language.script >"$dir/script"
tests/debug/session "$dir/script" "$build/rvftrace" debug --harts 2 --console none \
    --append 'script="work tree 1; poweroff"' "$build/guest-kernel/pfe8/kernel.elf"

# A file of commands may define some; their lines come from the file.
cat >"$dir/defs" <<'C'
define twice
  if $argc == 1
    $arg0
    $arg0
  end
end
C
printf 'source %s\ntwice echo.again\ndefine say\necho again\\n\nend\ntwice say\n' "$dir/defs" >"$dir/session"
"$build/rvftrace" debug --console none --commands "$dir/session" "$build/guest-kernel/pfe8/kernel.elf" \
    </dev/null >"$dir/out" 2>&1 || :
if [ "$(grep -cx again "$dir/out")" -eq 2 ]; then
    echo 'ok - debug: a command that a file defines runs another one twice'
else
    echo 'not ok - debug: a command that a file defines runs another one twice'
    sed 's/^/# /' "$dir/out"
    exit 1
fi

# batch OUTPUT STATUS: with the session in $dir/session.
batch() {
    status=0
    "$build/rvftrace" debug --quiet -batch -x "$dir/session" "$build/guest-kernel/pfe8/kernel.elf" \
        </dev/null >"$dir/out" 2>&1 || status=$?
    [ "$(cat "$dir/out")" = "$1" ] && [ "$status" -eq "$2" ]
}
printf 'print 6 * 7\nif 1\noutput 3\nend\n' >"$dir/session"
if batch '$1 = 42
3' 0; then
    echo 'ok - debug -batch prints what the commands print'
else
    echo 'not ok - debug -batch prints what the commands print'
    sed 's/^/# /' "$dir/out"
    exit 1
fi
printf 'print nosuch\nprint 1\n' >"$dir/session"
if batch 'No symbol "nosuch" in current context.' 1; then
    echo 'ok - ... and ends at the first that fails, with status 1'
else
    echo "not ok - ... and ends at the first that fails, with status 1: $status"
    sed 's/^/# /' "$dir/out"
    exit 1
fi
