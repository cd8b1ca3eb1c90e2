#!/bin/sh
# lines.sh - stepping by source lines: the sequence of lines is that of gdb on QEMU (the numbers
# below came from there); until, advance and finish.
. "$(dirname "$0")/common.inc"
qemu=
trap '[ -z "$qemu" ] || kill $qemu 2>/dev/null; rm -rf "$work"' EXIT

optimised() { # OPTION
    compile "$work/lines.elf" -march=rv64gc -mabi=lp64d -mcmodel=medany -mno-relax "$1" tests/debug/lines_start.S tests/debug/lines.c
}

# The lines of lines.c after each command of $work/commands, one number each.
visited() {
    try "$rvftrace" debug --commands "$work/commands" "$work/lines.elf" </dev/null >"$out" 2>"$err"
    sed -n 's/^   .*lines\.c:\([0-9]*\)$/\1/p' "$out"
}

repeated() { # COMMAND TIMES START
    printf 'tbreak %s\ncontinue\n' "$3"
    for _ in $(seq "$2"); do echo "$1"; done
}

visited_in_gdb() { # COMMANDS...: as for visited
    qemu-system-riscv64 -M virt -bios none -kernel "$work/lines.elf" -S -display none \
        -gdb "unix:$work/gdb,server,nowait" >/dev/null 2>&1 &
    qemu=$!
    for _ in $(seq 50); do
        [ -S "$work/gdb" ] && break
        sleep 0.1
    done
    { printf 'set confirm off\nset pagination off\ntarget remote %s\n' "$work/gdb"
      cat "$work/commands"
      echo kill; } >"$work/gdb.commands"
    timeout 300 gdb-multiarch -nx -batch -x "$work/gdb.commands" "$work/lines.elf" 2>/dev/null |
        sed -n '/^Temporary breakpoint 1, /,$s/^\([0-9][0-9]*\)\t.*/\1/p'
    kill $qemu 2>/dev/null
    qemu=
}

same_as_gdb() { # COMMAND TIMES START
    repeated "$@" >"$work/commands"
    visited >"$work/ours"
    visited_in_gdb >"$work/theirs"
    has_status 0 && [ "$(wc -l <"$work/ours")" = $(($2 + 1)) ] && diff "$work/theirs" "$work/ours"
}

is_sequence() { # "LINES" COMMAND TIMES START
    want=$1
    shift
    repeated "$@" >"$work/commands"
    sequence "$want"
}
sequence() { # "LINES" of the commands
    visited >"$work/visited"
    echo "expected $1"
    cat "$work/visited"
    has_status 0 && [ "$(xargs <"$work/visited")" = "$1" ]
}

says() { # PATTERN, of the session's whole output
    try "$rvftrace" debug --commands "$work/commands" "$work/lines.elf" </dev/null >"$out" 2>&1
    has_status 0 && has_line "$1" "$out"
}

optimised -O0
claim 'step goes into functions, and through a recursion' is_sequence \
    '26 27 18 20 21 20 21 20 21 20 21 20 22 23 29 5 7 8 9 30 12 14 12 14 12 14 12 14 12 13' step 29 main
claim 'next goes over calls' is_sequence '26 27 29 30 31 32 33' next 6 main
claim 'next stays in the same call of a recursion' is_sequence '11 12 14 15 31 32 33' next 6 fib
claim 'counts repeat' is_sequence '26 30' 'next 3' 1 main
optimised -Og
claim 'step visits the lines that it visits in gdb on QEMU' same_as_gdb step 28 main
optimised -O2
claim '... next, too, with inlined functions' same_as_gdb next 3 main
optimised -O2
printf 'break lines.c:7\ninfo breakpoints\ncontinue\ncontinue\ncontinue\n' >"$work/commands"
claim 'a line of a function that is inlined twice has two places' says ' and 1 more place$'
claim '... which the table lists' has_line '^1 .* <MULTIPLE>' "$out" and has_line '^1.1 .* in main' "$out" and has_line '^1.2 .* in main' "$out"
claim '... and stops at both' line_count 2 '^breakpoint 1, hart 0' "$out"
optimised -O0

printf 'tbreak main\ncontinue\nadvance lines.c:21\nnext\nuntil\nuntil\nuntil\n' >"$work/commands"
claim 'advance goes to a line, until leaves a loop and its function' \
    sequence '26 21 20 22 23 29'
printf 'tbreak main\ncontinue\nadvance fib\nuntil lines.c:15\n' >"$work/commands"
claim 'until LINE does not stop in inner calls' \
    sequence '26 11 15'

claim 'reverse-step goes back through calls, to the beginnings of lines' is_sequence \
    '33 32 9 8 7 5 31 15 15 15 13 12 15' reverse-step 12 lines.c:33
claim 'reverse-next goes back over calls' is_sequence \
    '33 32 31 30 29 27' reverse-next 5 lines.c:33
printf 'tbreak lines.c:8\ncontinue\nreverse-finish\nreverse-nexti 3\nnexti 3\nreverse-step\n' >"$work/commands"
claim 'reverse-finish goes to the call' sequence '8 29 29 29 29'
printf 'tbreak main\ncontinue\ntbreak lines.c:33\ncontinue\nlast-write sink\ngoto cycle 200\ninfo machine\ngoto cycle 4\ninfo machine\n' >"$work/commands"
claim 'goto cycle goes to the first boundary at that cycle' says '^2[0-9][0-9] instructions|, 20[0-9] cycles$'
claim_line '... back, too' ', [4-9] cycles$' "$out"
claim_line 'last-write names the line' 'by:  hart 0 in main\+0x[0-9a-f]* \(.*lines.c:32\)' "$out"
printf 'watch sink\ncontinue\nfinish\n' >"$work/commands"
claim 'finish prints the value returned' says '^Value returned is \$1 = 31$'
claim_line '... and a watchpoint the values of a variable, by its type' '^New value = 30$' "$out"
printf 'break nowhere.c:3\ntbreak lines.c:300\n' >"$work/commands"
claim 'a file that is not there is refused' says '^no source file named nowhere.c$'
claim '... and a line behind the end' says '^no line 300 or after it has code in lines.c$'

# A tree that was compiled elsewhere and moved: the debug information names a folder that is not there.
mkdir -p "$work/tree/build" "$work/tree/tests/debug" "$work/other/deep"
compile "$work/tree/build/lines.elf" "-ffile-prefix-map=$PWD=/nowhere" -march=rv64gc -mabi=lp64d -mcmodel=medany -mno-relax -O0 \
    tests/debug/lines_start.S tests/debug/lines.c
program=$(realpath "$rvftrace")
listed() { # IMAGE COMMAND...
    image=$1
    shift
    printf '%s\n' "$@" 'list fib' >"$work/commands"
    try env -C "$work/other" "$program" debug --batch --commands "$work/commands" "$image" </dev/null >"$out" 2>&1
}
listed ../tree/build/lines.elf
claim 'a source that is nowhere: a line says where it was looked for, and what to do' \
    has_line "^tests/debug/lines.c: No such file or directory. Looked in /nowhere, $work/other and above the image; .directory FOLDER. adds one.\$" "$out"
cp tests/debug/lines.c "$work/tree/tests/debug"
listed ../tree/build/lines.elf
claim 'it is found above the image' has_line '^10.*fib' "$out"
cp "$work/tree/build/lines.elf" "$work/alone.elf"
cp tests/debug/lines.c "$work/other/deep"
listed ../alone.elf "directory $work/tree"
claim '... in the folder of `directory'"'"', under its name in the debug information' has_line '^10.*fib' "$out"
listed ../alone.elf 'directory deep'
claim '... or without its folders' has_line '^10.*fib' "$out"
listed ../alone.elf 'directory deep' "directory $work/a:$work/tree" 'show directories'
claim '... whose folders `show directories'"'"' lists, the newest first' \
    has_line "^Source directories searched: $work/a:$work/tree:deep:.cdir:.cwd" "$out"
listed ../alone.elf 'directory deep' directory
claim '... until it is given no folder' has_line 'Looked in /nowhere' "$out"
finish
