#!/bin/sh
# findings.sh - how findings are shown: with evidence or briefly, and in the debugger one by one.
. "$(dirname "$0")/../machine/common.inc"

causes=$programs/hostile/causes.elf
mute="$BUILD/guest-kernel/mcount-no-remote-fence/kernel.elf"
atomic="$BUILD/guest-kernel/atomic/kernel.elf"
on='script="echo function > /sys/kernel/tracing/current_tracer; work calls 1"'
lines() { grep -Ec "$1" "$err"; }

# One finding.
traced() { run run --quiet --console none --harts 4 --append "$on" "$@"; }
traced "$mute"
claim 'a few findings are printed with their evidence' has_line '^error: missing-remote-fence: a hart ran code' "$err" \
    and has_line '^  written  ' "$err"
cp "$err" "$work/evidence"
claim_line '... with who called the writer when it made its store' '^  stack     patch_insn_write \(patch[.]c:[0-9]+\) <- patch_text_nosync \(patch[.]c:[0-9]+\) <- replace_pair \(code[.]c:[0-9]+\)$' "$err"
claim_line '... in lines that are not too long' '^            <- ftrace_modify_all_code \(ftrace_rec[.]c:[0-9]+\) <- ' "$err"
claim_line '... the task that it was' '^  task      migration/[0-9]+, pid [0-9]+$' "$err"
claim_line '... and those of the hart that fetched' '^  stack     [a-oq-z_][a-z_]* \([a-z_]+[.][chS]:[0-9]+\) <- ' "$err" # not patch_insn_write
traced --findings brief "$mute"
claim_line '--findings brief: a line each, with place, writer, count and harts' '^error: missing-remote-fence: at [a-z_]+\+0x[0-9a-f]+ \(.*[.]c:[0-9]+\), written by replace_pair\+0x[0-9a-f]+ \(.*/ftrace/code[.]c:[0-9]+\); [0-9]+ times, on harts 1 2 3$' "$err"
claim '... and nothing else' test "$(wc -l <"$err")" -eq 1
traced --findings full "$mute"
claim '--findings full: the same as for a few' cmp "$work/evidence" "$err"

# Notes.
traced "$atomic"
claim 'a note is not printed' says_nothing
run run --console none --harts 4 --append "$on" "$atomic"
claim_line '... but counted, with the option that lists it' '^audit: +1 note \(listed with --findings brief\); ' "$err"
run run --console none --findings brief --harts 4 --append "$on" "$atomic"
claim '--findings brief lists it' has_line '^note: patch-window: at ' "$err" and has_line ' 1 note; ' "$err"
traced --findings full "$atomic"
claim '--findings full prints its evidence' has_line '^note: patch-window: a hart' "$err" and has_line '^  written  ' "$err"

# GCC's debug information has no line for the nops before a function, or that of the function before.
where() { sed -n 's/.* \([a-z_]*\)+0x[0-9a-f]* (\([^ ]*\)).*/\1 \2/p' "$err" | sort -u; }
source_lines() { # each place is on the line of its function's name, or the one after a return type
    where | while read -r function place; do
        case $function in patch_insn_write | *flush_icache* | secondary_start_sbi) continue ;; esac
        sed -n "${place##*:}p" "${place%:*}" | grep -q "$function(" || { echo "$function is not at $place" && return 1; }
        echo "$function"
    done >"$work/places" && [ -s "$work/places" ]
}
claim '... with the line of each function that was fetched' source_lines

# Code of a module, which is gone when the run ends.
for layout in mcount atomic; do
    run run --quiet --console none --memory 128M --initrd "$BUILD/guest-kernel/$layout/modules.cpio" \
        --append 'script="insmod /lib/modules/trace_sample.ko depth=3; rmmod trace_sample; work calls 1"' \
        --write-baseline "$work/known" "$BUILD/guest-kernel/$layout-no-local-fence/kernel.elf"
    claim_line "$layout: a function of a module has its name, also when it is gone" '^  fetched   by hart 0 at trace_sample:sample_init, cycle' "$err"
    claim '... in the baseline too' grep -q '^stale-fetch by - at trace_sample:sample_init' "$work/known"
done

# Many findings.
run run --quiet --firmware none "$causes"
claim 'many findings are a line each' test "$(wc -l <"$err")" -eq 102 -a "$(lines '^error: .*, written by change[0-9]+; 1 time, on hart 0$')" -eq 100
claim_line '... and it is said how to see more' '^  evidence  --findings full prints that of each$' "$err"
run run --quiet --firmware none --findings-max 4 "$causes"
claim 'four are printed with their evidence' test "$(lines '^  written  ')" -eq 4
run run --quiet --firmware none --findings-max 5 "$causes"
claim 'five are not' test "$(lines '^  written  ')" -eq 0
run run --quiet --firmware none --findings full "$causes"
claim '--findings full: all evidence' test "$(lines '^  written  ')" -eq 100

# The debugger.
debug() { # ARGUMENTS... <COMMANDS
    cat >"$work/commands"
    run debug --quiet --firmware none --commands "$work/commands" "$@"
}
debug --findings-max 7 "$causes" <<'END'
findings
findings 1
c
findings
findings 7
findings 8
findings 0
findings x
quit
END
shown() { sed -n "/^(rvftrace) $1\$/,/^(rvftrace)/p" "$out" | sed '1d;$d'; }
claim 'findings: none at the beginning' test "$(shown 'findings 1')" = 'no findings so far'
claim '... a numbered line each' line_count 7 '^  [1-7]  error: [a-z-]*: at .*; 1 time, on hart 0' "$out"
shown 'findings 7' >"$work/one"
claim 'findings N: the evidence of that one' test "$(grep -c '^error: ' "$work/one")" -eq 1 \
    and has_line '^  written  *by hart 0 in change11' "$work/one" and has_line '^  remedy ' "$work/one"
claim '... of which there is none, is refused' test "$(shown 'findings 8')" = "there is no finding 8; so far there are 7"
claim_line '... 0 as well' 'invalid count' "$out"
claim_line '... and a word' 'unexpected argument .x' "$out"
debug --audit off "$causes" <<'END'
findings 1
quit
END
claim_line '... and without the auditor' 'the auditor is off' "$out"
finish
