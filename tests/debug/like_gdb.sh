#!/bin/sh
# like_gdb.sh - what gdb says of expressions, types and sources, the debugger says, too: the same
# commands in gdb without a process, and here before the first instruction, on the same ELF.
. "$(dirname "$0")/common.inc"

compile "$work/values.elf" -march=rv64imac_zicsr -mabi=lp64 -mno-relax -O1 -mcmodel=medany tests/debug/values.c

# The output of each command below a line `> COMMAND'.
in_gdb() { # LIST ELF
    { echo 'set width 0'; echo 'set height 0'; echo 'set confirm off'
      grep -v '^#' "$1" | while IFS= read -r command; do
          printf 'echo \\n> %s\\n\n%s\n' "$(printf %s "$command" | sed 's/[\\"]/\\&/g')" "$command"
      done; } >"$work/gdb.commands"
    # A file of commands ends at its first error, standard input does not.
    gdb-multiarch -q -nx "$2" <"$work/gdb.commands" 2>&1 | sed 's/(gdb) //g'
}

in_ours() {
    grep -v '^#' "$1" >"$work/our.commands"
    try "$rvftrace" debug --console none --commands "$work/our.commands" "$2" >"$out" 2>&1 </dev/null
    sed 's/(rvftrace) /\n> /' "$out"
}

same() { # NAME ELF
    in_gdb "tests/debug/$1.list" "$2" | sed -n '/^> /,$p' | grep -v '^$' >"$work/theirs"
    in_ours "tests/debug/$1.list" "$2" >"$work/said"
    sed -n '/^> /,$p' "$work/said" | grep -v '^$' >"$work/ours"
    count=$(grep -c '^> ' "$work/theirs")
    claim "$count commands of $1.list answer as gdb does" has_status 0 \
        and test "$count" -eq "$(grep -vc '^#' "tests/debug/$1.list")" and diff "$work/theirs" "$work/ours"
}

same values "$work/values.elf"
same kernel "$BUILD/guest-kernel/mcount/kernel.elf"
finish
