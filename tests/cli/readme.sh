#!/bin/sh
# readme.sh - README.md and docs/debugger.md show what is really printed: README to the last digit.
#
#     UPDATE=1 tests/cli/readme.sh      writes what is printed now into README.md
. "$(dirname "$0")/../machine/common.inc"

# What README shows below the line that begins with LINE, without its indentation. Empty lines may be in it.
block() { # LINE
    awk -v from="$1" 'index($0, from) == 1 { on = 1 }
        on && /^    / { printf "%s%s\n", empty, substr($0, 5); empty = ""; seen = 1; next }
        on && seen && /^$/ { empty = empty "\n"; next }
        on && seen { exit }' README.md
}

# README with the file's text in that place.
with_block() { # LINE FILE
    awk -v from="$1" -v file="$2" 'index($0, from) == 1 { on = 1 }
        on == 1 && /^    / { while ((getline line <file) > 0) print line == "" ? "" : "    " line; on = 2 }
        on == 2 && /^    / { empty = ""; next }
        on == 2 && /^$/ { empty = empty "\n"; next }
        on == 2 { printf "%s", empty; on = 3 }
        { print }' README.md
}

says_now() { # FILE
    [ -s "$1" ] && diff "$work/said" "$1" >"$work/diff" && return
    sed -n 's/^> /README.md must say now: /p; s/^< /README.md must not say: /p' "$work/diff"
    echo "UPDATE=1 $0 writes it"
    return 1
}

# README shows the text of FILE, each figure of it, below the line that begins with LINE.
shows() { # SENTENCE LINE FILE
    if [ "${UPDATE:-}" ] && [ -s "$3" ]; then
        with_block "$2" "$3" >"$work/readme" && cp "$work/readme" README.md
    fi
    block "$2" >"$work/said"
    claim "$1" says_now "$3"
}

block 'And when a fence is missing' >"$work/command"
claim_line 'README has a command that finds a missing fence' 'no-remote-fence' "$work/command"
built() { sed -n 's/^make guest LAYOUT=\([a-z0-9]*\) BREAK=\([a-z-]*\) .*/\1-\2/p' "$work/command"; }
claim_line '... and says how its kernel is built' " guest:$(built)$" "$work/command"
# It is built already.
sed -i '/^make guest /d' "$work/command"
try timeout 300 env "PATH=$(realpath "$BUILD"):$PATH" sh "$work/command" </dev/null >"$out" 2>"$err"
claim '... which ends as README says' has_status 80
grep -v '^rvftrace' "$err" | sed "s#$BUILD/#build/#g" >"$work/is"
shows '... with the finding that README shows' 'ends with status 80' "$work/is"
claim '... that is one, of one site' line_count 1 '^error: missing-remote-fence' "$work/is" \
    and has_line '^  site      fib, ' "$work/is" and has_line '^  executed  nop; nop ' "$work/is"

run run --harts 2 --audit=fail --append \
    "script=\"$(sed -e '/^ *#/d' -e '/^ *$/d' guest-kernel/scripts/demo.txt | paste -sd ';')\"" "$mcount"
claim 'the demonstration passes its audit' has_status 0
tr -d '\r' <"$out" | sed -n '/^# tracer: function_graph/,/^# |/p; /|  tree_once() {/,/|    }/p' | sed '/|    }/q' >"$work/is"
shows '... its console has the trace that README shows' '`function_graph`, and again' "$work/is"
{
    grep -E -B 1 '^site  ' "$err"
    grep '^_raw_spin_lock_irqsave ' "$err"
    echo ...
    grep '^__kmalloc ' "$err"
    echo
    sed -n '/^disabled: /,/^enabled: /p' "$err"
    echo ...
    grep '^audit: ' "$err"
} >"$work/is"
shows '... and it ends with the figures that README shows' 'Then the emulator prints' "$work/is"
claim '... which are twelve lines' test "$(wc -l <"$work/is")" -eq 12

# A shell that gets what `make -n' prints runs the same as make does.
printed() { env -u MAKEFLAGS -u MAKELEVEL make -n "$1" 2>&1 | sed -n "s#^[^ ]*/rvftrace $2 ##;t on;d;:on;p;n;p"; }
arguments_of() { # TARGET COMMAND: a line for each argument
    sh -c "set -- $(printed "$1" "$2")
        for argument; do printf '%s\\n' \"\$argument\"; done"
}
for target in run debug; do
    arguments_of "$target" "$target" >"$work/arguments" 2>"$err"
    claim "the command that \`make -n $target' prints keeps its quotes" no_line . "$err" \
        and line_count 1 "^script=\".*;echo 'tree_\*' > .*;work tree 2\"\$" "$work/arguments" \
        and line_count 1 '/mcount/kernel.elf$' "$work/arguments"
done

# The options of the commands that documents show, with their command: "run --harts". A command may go on in the next line.
shown_options() {
    sed -e ':join' -e '/\\$/{N;s/\\\n/ /;b join' -e '}' README.md docs/*.md |
        sed -nE 's/^ +(\$ )?(build\/)?rvftrace (run|debug|explore|report|log|view|cores) /\3 /p' |
        sed -E "s/'[^']*'?//g; s/ #.*//" |
        awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^--[a-z]/) { sub(/=.*/, "", $i); sub(/[^a-z-].*/, "", $i); print $1, $i } }' | sort -u
}
unknown_options() {
    shown_options >"$work/options"
    for command in run debug explore report log view cores; do
        try "$rvftrace" $command --help >"$work/help" 2>&1
        case $command-$status in
        *-0) ;;
        view-66 | cores-64) continue ;; # not built; has no options
        *) echo "$command --help: status $status" ;;
        esac
        sed -n "s/^$command //p" "$work/options" | while read -r option; do
            grep -qE -- "(^|[ ,])$option([ =,[]|\$)" "$work/help" || echo "$command $option"
        done
    done
}
claim 'documents show options that there are' test -z "$(unknown_options)"
claim '... in forty commands and options or more' test "$(shown_options | wc -l)" -ge 40

# The kind of each line, without addresses of the kernel.
outline() { sed -nE 's/^(\(rvftrace\) .*|(error|warning): [a-z-]+|patch of site [a-z_]+|    (by|was|is|old|new|fenced):|watching|until|finish|=>|#).*/\1/p'; }

# docs/debugger.md: its session, run by the command above it.
sed -n '/^## Stopping at a patch/,$p' docs/debugger.md >"$work/section"
awk '/^```/ { exit } /^    / { sub(/^ +/, ""); print }' "$work/section" >"$work/command"
awk '/^```/ { if (++n == 2) exit; next } n' "$work/section" >"$work/transcript"
sed -n 's/^(rvftrace) //p' "$work/transcript" >"$work/commands"
try timeout 300 env "PATH=$(realpath "$BUILD"):$PATH" sh "$work/command" <"$work/commands" >"$work/session" 2>"$err"
tr -d '\r' <"$work/session" | sed 1d >"$out"
outline <"$work/transcript" >"$work/said"
head -n "$(wc -l <"$work/transcript")" "$out" | outline >"$work/is"
claim "the session in docs/debugger.md is to be had" has_status 0 and diff "$work/said" "$work/is"
claim '... and has a patch in it' line_count 1 '^patch of site' "$work/said"
finish
