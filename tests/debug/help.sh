#!/bin/sh
# help.sh - the table of commands in docs/debugger.md has those that `help` lists, in its order.
#
#     UPDATE=1 tests/debug/help.sh      writes today's table into docs/debugger.md
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
"${CROSS:-riscv64-unknown-elf-}gcc" -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax \
    -nostdlib -g -Ttext=0x80000000 -o "$dir/patcher.elf" tests/debug/patcher.S
# A class is a line `NAME -- WHAT'; a command has its short form in the first four columns.
echo help | "$build/rvftrace" debug "$dir/patcher.elf" 2>/dev/null |
    sed '1,/^(rvftrace) help$/d' |
    awk 'function done() { if (row) print row " |"; row = "" }
        / -- / && /^[a-z]/ { done(); sub(/ -- .*/, ""); row = "| " $0 " |"; comma = " "; next }
        /^$/ { done() }
        row { short = substr($0, 1, 4); sub(/ +$/, "", short); split(substr($0, 5), word, " ")
            row = row comma "`" word[1] "`" (short ? " (`" short "`)" : ""); comma = ", " }
        END { done() }' >"$dir/table"
if [ "${UPDATE:-}" ]; then
    awk -v file="$dir/table" '/^\| class \|/ { print; getline; print; while ((getline line <file) > 0) print line; on = 1; next }
        on && /^\|/ { next } { on = 0; print }' docs/debugger.md >"$dir/document"
    cp "$dir/document" docs/debugger.md
fi
awk '/^\| class \|/ { on = 1; getline; next } on && /^\|/ { print; next } { on = 0 }' docs/debugger.md >"$dir/doc"
if [ "$(wc -l <"$dir/table")" -ge 5 ] && diff "$dir/doc" "$dir/table" >"$dir/diff"; then
    echo "ok - docs/debugger.md has the commands that help lists"
else
    echo "not ok - docs/debugger.md has the commands that help lists"
    sed 's/^/# /' "$dir/diff"
    exit 1
fi
