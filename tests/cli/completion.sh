#!/bin/sh
# completion.sh - what bash offers behind `rvftrace`: every option, and the values that are words.
. "$(dirname "$0")/../machine/common.inc"

# complete WORD...: the offers for the last of these words, one a line, in $out.
complete() {
    try env -C "$work" bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rvftrace; printf "%s\n" "${COMPREPLY[@]}"' \
        "$completion" "$@" >"$out" 2>"$err"
}
completion=$(realpath "$BUILD/rvftrace.bash")
offers() { has_status 0 && says_nothing && printf '%s\n' "$@" | cmp - "$out"; }
: >"$work/kernel.elf"

complete rvftrace ''
claim 'the commands' offers run debug explore litmus report log view check-trace cores --help --version
complete rvftrace run ker
claim 'a file for the image' offers kernel.elf
complete rvftrace run --f
claim 'options of run' offers --firmware --fetch --follow-data --findings-max --findings --from --function
complete rvftrace debug --c
claim '... of debug' offers --console --code-writes-max --commands
complete rvftrace run --c
claim '... which run has not' offers --console --code-writes-max
complete rvftrace report --d
claim '... of report' offers --diff
complete rvftrace run --audit ''
claim 'the values of an option' offers off warn fail
complete rvftrace run --audit = f
claim '... also behind =' offers fail
complete rvftrace run --findings =
claim '... and without a letter' offers auto full brief
complete rvftrace run --firmware ''
claim '... those that are words' offers builtin none auto
complete rvftrace run --firmware ker
claim '... or a file' offers kernel.elf
complete rvftrace run --allow missing-
claim 'the rules' offers missing-local-fence missing-remote-fence missing-landing-pad
complete rvftrace run --timing c
claim 'the core models' offers c906 c910 cva6
complete rvftrace run --timing ''
claim '... and the other models' has_line '^inorder$' "$out" and has_line '^rocket$' "$out"
complete rvftrace cores u
claim '... of the command that shows them' offers u74
for shell in zsh fish; do
    claim "... in $shell, too" grep -q 'cores.*c906.*cva6' "$BUILD/rvftrace.$shell"
done
complete rvftrace run --sarif ker
claim 'a file behind an option' offers kernel.elf
complete rvftrace run --seed ''
claim 'nothing for a number' offers ''
complete rvftrace report --by ''
claim 'the rows of a report' offers function site file module layout run
complete rvftrace log --to c
claim 'the formats of a log' offers chrome csv code
complete rvftrace log --to trace
claim '... of which some begin alike' offers trace-dat trace-dat-7 trace-dat-function
for command in run debug report log; do
    run $command --help
    grep -o '^  *\(-., \)\{0,1\}--[a-z-]*' "$out" | sed 's/.*--/--/' | sort -u >"$work/help"
    complete rvftrace $command -
    sort "$out" >"$work/offers"
    claim "all options of \`$command --help'" has_status 0 and test -s "$work/help" and diff "$work/help" "$work/offers"
done
finish
