#!/bin/sh
# like_gdb.sh - what gdb says of expressions, types and sources, the debugger says, too: the same
# commands in gdb without a process, and here before the first instruction, on the same ELF.
set -eu
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
failed=0
"${CROSS:-riscv64-unknown-elf-}gcc" -march=rv64imac_zicsr -mabi=lp64 -mno-relax -nostdlib -O1 -g \
    -mcmodel=medany -Ttext=0x80000000 -o "$dir/values.elf" tests/debug/values.c

# The output of each command below a line `> COMMAND'.
in_gdb() { # LIST ELF
    { echo 'set width 0'; echo 'set height 0'; echo 'set confirm off'
      grep -v '^#' "$1" | while IFS= read -r command; do
          printf 'echo \\n> %s\\n\n%s\n' "$(printf %s "$command" | sed 's/[\\"]/\\&/g')" "$command"
      done; } >"$dir/gdb.commands"
    # A file of commands ends at its first error, standard input does not.
    gdb-multiarch -q -nx "$2" <"$dir/gdb.commands" 2>&1 | sed 's/(gdb) //g'
}

in_ours() {
    grep -v '^#' "$1" >"$dir/our.commands"
    "$build/rvftrace" debug --console none --commands "$dir/our.commands" "$2" 2>&1 </dev/null |
        sed 's/(rvftrace) /\n> /'
}

same() { # NAME ELF
    in_gdb "tests/debug/$1.list" "$2" | sed -n '/^> /,$p' | grep -v '^$' >"$dir/theirs" || :
    in_ours "tests/debug/$1.list" "$2" | sed -n '/^> /,$p' | grep -v '^$' >"$dir/ours" || :
    count=$(grep -c '^> ' "$dir/theirs")
    if [ "$count" -eq "$(grep -vc '^#' "tests/debug/$1.list")" ] &&
        diff "$dir/theirs" "$dir/ours" >"$dir/diff"; then
        echo "ok - $count commands of $1.list answer as gdb does"
    else
        echo "not ok - $count commands of $1.list answer as gdb does"
        sed 's/^/# /' "$dir/diff"
        failed=1
    fi
}

same values "$dir/values.elf"
same kernel "$build/guest-kernel/mcount/kernel.elf"
exit $failed
