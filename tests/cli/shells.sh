#!/bin/sh
# shells.sh - what fish offers behind `rvftrace', and what zsh's completion gives to _arguments. bash is in
# completion.sh.
. "$(dirname "$0")/../machine/common.inc"

fish_file=$(realpath "$BUILD/rvftrace.fish") zsh_file=$(realpath "$BUILD/rvftrace.zsh")
mkdir "$work/files"
: >"$work/files/kernel.elf"
in_fish() { # LINE: the offers, one a line, without what they mean
    try env -C "$work/files" HOME="$work" fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$fish_file" "$1" \
        >"$work/offered" 2>"$err"
    cut -f1 "$work/offered" | sort >"$out"
}
offers() { printf '%s\n' "$@" | sort | cmp - "$out" && [ ! -s "$err" ]; }
in_fish 'rvftrace '
offers_all() { for word; do has_line "^$word\$" "$out" || return 1; done; }
claim 'fish: the commands' offers_all run debug explore report log view cores
in_fish 'rvftrace run --aud'
claim '... options of run' offers --audit
in_fish 'rvftrace run --audit '
claim '... their values' offers off warn fail
in_fish 'rvftrace run --firmware '
claim '... or a file' offers builtin none auto kernel.elf
in_fish 'rvftrace log --to trace'
claim '... the formats of a log' offers trace-dat trace-dat-7 trace-dat-function

in_zsh() { # WORD...: the arguments of _arguments and _describe
    try zsh -fc 'file=$1; shift; words=("$@"); CURRENT=$#
        _arguments() { print -rl -- "$@" } ; _describe() { print -rl -- ${(P)2} }
        complete_it() { eval "$(<$file)" }; complete_it' zsh "$zsh_file" "$@" >"$out" 2>"$err"
}
in_zsh rvftrace ''
claim 'zsh: the commands' has_line '^explore:Try' "$out" and test "$(wc -l <"$out")" -eq 11
for command in run debug explore report log view; do
    in_zsh rvftrace $command ''
    sed -n 's/^\*\(--[a-z-]*\).*/\1/p' "$out" | sort >"$work/offers"
    if [ $command != view ]; then
        run $command --help
        grep -o '^  *\(-., \)\{0,1\}--[a-z-]*' "$out" | sed 's/.*--/--/' |
            grep -vx -e --help -e --version | sort -u >"$work/help"
        claim "... all options of \`$command --help'" has_status 0 and test -s "$work/help" and diff "$work/help" "$work/offers"
    fi
    claim "... and no complaint" test ! -s "$err"
done
in_zsh rvftrace run ''
claim '... with values' grep -qF '*--audit=[Check the guest’s code patching against the rules]:X:(off warn fail)' "$out"
finish
