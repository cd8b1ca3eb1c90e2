#!/bin/sh
# fetch.sh - what a hart fetches without a fence, in the three fetch modes.
. "$(dirname "$0")/common.inc"

# fetched PROGRAM MODE: the version that ran at the end, 1 (old) or 2 (new).
fetched() {
    run run --quiet --harts 2 --fetch "$2" "$programs/$1.elf"
    sed -n '$s/.*version //p' "$out"
}
runs() { fetched "$1" "$2" >"$work/version" && has_status 0 && [ "$(cat "$work/version")" = "$3" ]; }

for program in selfpatch freshcode crosspatch; do
    claim "$program goes on with the old version when fetches are stale" runs $program stale 1
    claim "$program runs the new version when fetches are coherent" runs $program coherent 2
    for mode in stale coherent random:1 random:2; do
        claim "$program-fence runs the new version, $mode" runs $program-fence $mode 2
        claim "... and has no findings" says_nothing
    done
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        fetched $program random:$seed
    done >"$work/first"
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        fetched $program random:$seed
    done >"$work/second"
    claim "$program runs either when fetches are random" \
        test "$(sort -u "$work/first" | tr '\n' ' ')" = '1 2 '
    claim "... but for one seed always the same" cmp "$work/first" "$work/second"
done

for mode in stale coherent random:1 random:2 random:3; do
    run run --quiet --fetch $mode "$programs/selfpatch.elf"
    claim "selfpatch lacks a local fence, $mode" rules_are missing-local-fence
    run run --quiet --harts 2 --fetch $mode "$programs/crosspatch.elf"
    claim "crosspatch lacks a remote fence, $mode" rules_are missing-remote-fence
    run run --quiet --fetch $mode "$programs/freshcode.elf"
    claim "freshcode lacks both of its fences, which is one finding, $mode" \
        line_count 1 '^(error|warning):' "$err" and has_line "^  times .*; 2 stale-fetch; 1 missing-local-fence$" "$err"
done

run run --quiet "$programs/freshcode.elf"
claim_line 'of code that never ran before the old bytes are those from before its page was written' \
    '^  old .*\(00 00 00 00\)' "$err"
run run --quiet --fetch coherent "$programs/selfpatch.elf"
claim 'a coherent fetch is reported with both versions, the new one executed' \
    has_line '^  old  *li a0,1  \(13 05 10 00\)' "$err" and has_line '^  executed  *li a0,2  \(13 05 20 00\)' "$err"
run run --quiet --fetch stale "$programs/selfpatch.elf"
claim 'a stale fetch is reported with both versions, the old one executed' \
    has_line '^  executed  *li a0,1  \(13 05 10 00\)' "$err" and has_line '^  in memory  *li a0,2  \(13 05 20 00\)' "$err"
run run --quiet --audit fail "$programs/selfpatch.elf"
claim 'the audit stops the run at the fetch, before the old version is told of' \
    has_status 80 and test "$(cat "$out")" = 'before: version 1'
finish
