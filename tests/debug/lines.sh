#!/bin/sh
# lines.sh - stepping by source lines: the sequence of lines is that of gdb on QEMU (where both are
# installed, it is compared; the numbers below came from there); until, advance and finish.
set -eu
build=${BUILD:-build}
cross=${CROSS:-riscv64-unknown-elf-}
dir=$(mktemp -d)
qemu=
trap '[ -z "$qemu" ] || kill $qemu 2>/dev/null || :; rm -rf "$dir"' EXIT INT TERM
failed=0

claim() { # TEXT COMMAND...
    text=$1
    shift
    if "$@" >"$dir/why" 2>&1; then
        echo "ok - $text"
    else
        echo "not ok - $text"
        sed 's/^/# /' "$dir/why"
        failed=1
    fi
}

compile() { # OPTION
    "${cross}gcc" -march=rv64gc -mabi=lp64d -mcmodel=medany -mno-relax -nostdlib -g "$1" \
        -Ttext=0x80000000 -o "$dir/lines.elf" tests/debug/lines_start.S tests/debug/lines.c
}

# The lines of lines.c after each command of $dir/commands, one number each.
visited() {
    "$build/rvftrace" debug --commands "$dir/commands" "$dir/lines.elf" </dev/null 2>/dev/null |
        sed -n 's/^   .*lines\.c:\([0-9]*\)$/\1/p'
}

repeated() { # COMMAND TIMES START
    printf 'tbreak %s\ncontinue\n' "$3"
    for _ in $(seq "$2"); do echo "$1"; done
}

visited_in_gdb() { # COMMANDS...: as for visited
    qemu-system-riscv64 -M virt -bios none -kernel "$dir/lines.elf" -S -display none \
        -gdb "unix:$dir/gdb,server,nowait" >/dev/null 2>&1 &
    qemu=$!
    for _ in $(seq 50); do
        [ -S "$dir/gdb" ] && break
        sleep 0.1
    done
    { printf 'set confirm off\nset pagination off\ntarget remote %s\n' "$dir/gdb"
      cat "$dir/commands"
      echo kill; } >"$dir/gdb.commands"
    timeout 60 gdb-multiarch -nx -batch -x "$dir/gdb.commands" "$dir/lines.elf" 2>/dev/null |
        sed -n '/^Temporary breakpoint 1, /,$s/^\([0-9][0-9]*\)\t.*/\1/p'
    kill $qemu 2>/dev/null || :
    qemu=
}

same_as_gdb() { # COMMAND TIMES START
    repeated "$@" >"$dir/commands"
    visited >"$dir/ours"
    visited_in_gdb >"$dir/theirs"
    [ "$(wc -l <"$dir/ours")" = $(($2 + 1)) ] && diff "$dir/theirs" "$dir/ours"
}

is_sequence() { # "LINES" COMMAND TIMES START
    want=$1
    shift
    repeated "$@" >"$dir/commands"
    [ "$(visited | xargs)" = "$want" ] || { echo "wanted $want"; visited | xargs; return 1; }
}

says() { # PATTERN, of the session's whole output
    "$build/rvftrace" debug --commands "$dir/commands" "$dir/lines.elf" </dev/null >"$dir/out" 2>&1 || :
    grep -q "$1" "$dir/out" || { cat "$dir/out"; return 1; }
}

compile -O0
claim 'step goes into functions, and through a recursion' is_sequence \
    '26 27 18 20 21 20 21 20 21 20 21 20 22 23 29 5 7 8 9 30 12 14 12 14 12 14 12 14 12 13' step 29 main
claim 'next goes over calls' is_sequence '26 27 29 30 31 32 33' next 6 main
claim 'next stays in the same call of a recursion' is_sequence '11 12 14 15 31 32 33' next 6 fib
claim 'counts repeat' is_sequence '26 30' 'next 3' 1 main
if command -v gdb-multiarch >/dev/null && command -v qemu-system-riscv64 >/dev/null; then
    compile -Og
    claim 'step visits the lines that it visits in gdb on QEMU' same_as_gdb step 28 main
    compile -O2
    claim '... next, too, with inlined functions' same_as_gdb next 3 main
fi
compile -O2
printf 'break lines.c:7\ninfo breakpoints\ncontinue\ncontinue\ncontinue\n' >"$dir/commands"
claim 'a line of a function that is inlined twice has two places' says ' and 1 more place$'
claim '... which the table lists' sh -c "grep -q '^1 .* <MULTIPLE>' '$dir/out' && grep -q '^1.1 .* in main' '$dir/out' && grep -q '^1.2 .* in main' '$dir/out'"
claim '... and stops at both' [ "$(grep -c '^breakpoint 1, hart 0' "$dir/out")" = 2 ]
compile -O0

printf 'tbreak main\ncontinue\nadvance lines.c:21\nnext\nuntil\nuntil\nuntil\n' >"$dir/commands"
claim 'advance goes to a line, until leaves a loop and its function' \
    [ "$(visited | xargs)" = '26 21 20 22 23 29' ]
printf 'tbreak main\ncontinue\nadvance fib\nuntil lines.c:15\n' >"$dir/commands"
claim 'until LINE does not stop in inner calls' \
    [ "$(visited | xargs)" = '26 11 15' ]

claim 'reverse-step goes back through calls, to the beginnings of lines' is_sequence \
    '33 32 9 8 7 5 31 15 15 15 13 12 15' reverse-step 12 lines.c:33
claim 'reverse-next goes back over calls' is_sequence \
    '33 32 31 30 29 27' reverse-next 5 lines.c:33
printf 'tbreak lines.c:8\ncontinue\nreverse-finish\nreverse-nexti 3\nnexti 3\nreverse-step\n' >"$dir/commands"
claim 'reverse-finish goes to the call' [ "$(visited | xargs)" = '8 29 29 29 29' ]
printf 'tbreak main\ncontinue\ntbreak lines.c:33\ncontinue\nlast-write sink\ngoto cycle 200\ninfo machine\ngoto cycle 4\ninfo machine\n' >"$dir/commands"
claim 'goto cycle goes to the first boundary at that cycle' says '^2[0-9][0-9] instructions\|, 20[0-9] cycles$'
claim '... back, too' grep -q ', [4-9] cycles$' "$dir/out"
claim 'last-write names the line' grep -q 'by:  hart 0 in main+0x[0-9a-f]* (.*lines.c:32)' "$dir/out"
printf 'watch sink\ncontinue\nfinish\n' >"$dir/commands"
claim 'finish prints the value returned' says '^Value returned is $1 = 31$'
claim '... and a watchpoint the values of a variable, by its type' grep -q '^New value = 30$' "$dir/out"
printf 'break nowhere.c:3\ntbreak lines.c:300\n' >"$dir/commands"
claim 'a file that is not there is refused' says '^no source file named nowhere.c$'
claim '... and a line behind the end' says '^no line 300 or after it has code in lines.c$'
exit $failed
