#!/bin/sh
# help.sh - the table of commands in docs/debugger.md has those that `help` lists, in its order.
#
#     UPDATE=1 tests/debug/help.sh      writes today's table into docs/debugger.md
. "$(dirname "$0")/common.inc"

compile "$work/patcher.elf" -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax tests/debug/patcher.S
echo help >"$work/commands"
try "$rvftrace" debug "$work/patcher.elf" <"$work/commands" >"$out" 2>"$err"
# A class is a line `NAME -- WHAT'; a command has its short form in the first four columns.
sed '1,/^(rvftrace) help$/d' "$out" |
    awk 'function done() { if (row) print row " |"; row = "" }
        / -- / && /^[a-z]/ { done(); sub(/ -- .*/, ""); row = "| " $0 " |"; comma = " "; next }
        /^$/ { done() }
        row { short = substr($0, 1, 4); sub(/ +$/, "", short); split(substr($0, 5), word, " ")
            row = row comma "`" word[1] "`" (short ? " (`" short "`)" : ""); comma = ", " }
        END { done() }' >"$work/table"
if [ "${UPDATE:-}" ]; then
    awk -v file="$work/table" '/^\| class \|/ { print; getline; print; while ((getline line <file) > 0) print line; on = 1; next }
        on && /^\|/ { next } { on = 0; print }' docs/debugger.md >"$work/document"
    cp "$work/document" docs/debugger.md
fi
awk '/^\| class \|/ { on = 1; getline; next } on && /^\|/ { print; next } { on = 0 }' docs/debugger.md >"$work/doc"
claim 'docs/debugger.md has the commands that help lists' has_status 0 and test "$(wc -l <"$work/table")" -ge 5 \
    and diff "$work/doc" "$work/table"
finish
