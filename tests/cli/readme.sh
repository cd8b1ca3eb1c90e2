#!/bin/sh
# readme.sh - the output in README.md is the real one, except for numbers.
. "$(dirname "$0")/../machine/common.inc"

# The block of README below a line that matches: without its indentation.
shown() { awk -v from="$1" '$0 ~ from { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next } on && seen { exit }' README.md; }
# Numbers and code bytes differ between revisions.
# The kind of each line, without addresses of the kernel.
outline() { sed -nE 's/^(\(rvftrace\) .*|(error|warning): [a-z-]+|patch of site [a-z_]+| +(site|fenced|fetched|executed|in memory|written|missing|order|remedy)\>|    (by|was|is|old|new|fenced):|watching|until|finish|=>|#).*/\1/p'; }
shape() { sed -E 's/0x[0-9a-f]+/N/g; s/\([0-9a-f]{2}( [0-9a-f]{2})+\)/(BYTES)/g; s/-?[0-9][0-9,.]*/N/g; s/ +/ /g'; }
# Whether a page was code before it was data depends on which pages were free.
without_reused() { sed 's/, N other stores to memory that held code//'; }

shown '^And when a fence is missing' >"$work/command"
claim 'README has a command that finds a missing fence' grep -q 'no-remote-fence' "$work/command"
sed -i "s#build/#$BUILD/#g" "$work/command"
timeout 60 sh "$work/command" </dev/null >"$out" 2>"$err"
status=$?
claim '... which ends as README says' has_status 80
grep -v '^rvftrace' "$err" | outline >"$work/is"
shown '^ends with status 80 and' | outline >"$work/said"
claim '... with the finding that README shows' cmp "$work/said" "$work/is"
claim '... that is one, of one site' sh -c "grep -q '^error: missing-remote-fence' '$work/said' &&
    grep -q '^  site      fib, ' '$err' && grep -q '^  executed  nop; nop ' '$err'"

run run --harts 2 --audit=fail --append \
    "script=\"$(sed -e '/^ *#/d' -e '/^ *$/d' guest-kernel/scripts/demo.txt | paste -sd ';')\"" "$mcount"
claim 'the demonstration passes its audit' has_status 0
grep -E '^(disabled|enabled|at boot|keys|audit): ' "$err" | shape | without_reused >"$work/is"
sed -n 's/^    //p' README.md | grep -E '^(disabled|enabled|at boot|keys|audit): ' | shape | without_reused >"$work/said"
claim '... and ends with the lines that README shows' cmp "$work/said" "$work/is"
claim '... which are five' test "$(wc -l <"$work/said")" -eq 5

# docs/debugger.md: its session, run by the command above it.
sed -n '/^## Stopping at a patch/,$p' docs/debugger.md >"$work/section"
awk '/^```/ { exit } /^    / { sub(/^ +/, ""); print }' "$work/section" | sed "s#build/#$BUILD/#g" >"$work/command"
awk '/^```/ { if (++n == 2) exit; next } n' "$work/section" >"$work/transcript"
sed -n 's/^(rvftrace) //p' "$work/transcript" >"$work/commands"
timeout 60 sh "$work/command" <"$work/commands" 2>"$err" | tr -d '\r' | sed 1d >"$out"
outline <"$work/transcript" >"$work/said"
head -n "$(wc -l <"$work/transcript")" "$out" | outline >"$work/is"
claim "the session in docs/debugger.md is to be had" diff "$work/said" "$work/is"
claim '... and has a patch in it' test "$(grep -c '^patch of site' "$work/said")" -eq 1
finish
