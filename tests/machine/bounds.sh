#!/bin/sh
# bounds.sh - the auditor's memory and output are bounded whatever a guest does, with a count
# of what was left out.
. "$(dirname "$0")/common.inc"

hostile=$programs/hostile

# run_measured ARGUMENTS...: as run, with the largest resident size in KiB in $peak, and the page faults in $faults.
run_measured() {
    python3 - "$out" "$err" "$rvftrace" "$@" >"$work/peak" <<'PY'
import resource, subprocess, sys
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt  # of children before this program was this process
with open(sys.argv[1], "w") as out, open(sys.argv[2], "w") as err:
    status = subprocess.call(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=300)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, used.ru_maxrss, used.ru_minflt - before)
PY
    read -r status peak faults <"$work/peak"
    [ "$status" -ge 0 ] || echo "$* (signal $((-status)))" >>"$work/crashes"
}
report() { python3 -c "import json; r = json.load(open('$work/report.json')); assert ($1), [
    r[k] for k in r if 'left_out' in k or k == 'patch_counts']"; }

run_measured --version
begin=$faults
run_measured run --quiet --firmware none "$programs/bits.elf"
claim 'a short run touches no memory that it does not use: at most 400 page faults more than none at all' \
    test "$faults" -lt $((begin + 400))

run_measured run --firmware none --harts 2 --max-insns 4M --report "$work/report.json" \
    "$hostile/fences.elf"
claim 'a loop of stores to code and fences takes no more than 40 MiB' test "$peak" -lt 40960
claim '... has no finding, and as many stores as it made' \
    report "r['findings'] == [] and r['patch_counts']['others'] > 100000"
claim '... which are one update of one place' \
    report "[(u['stores'], [p['stores'] for p in u['others']]) for u in r['updates']] ==
            [(r['patch_counts']['others'], [r['patch_counts']['others']])]"
claim '... of the stores that the other hart did not fence for it keeps the newest 65,536' \
    report "r['code_writes_left_out'] == r['patch_counts']['others'] - 65536"
claim_line '... and says so at the end' '^not kept: [0-9,]+ stores to code \(--code-writes-max\)$' "$err"
claim_line '... and the summary does not call them patches of sites' '^audit: .* 0 patches of sites, [0-9,]+ other' "$err"

run_measured run --quiet --firmware none --max-insns 1M --report "$work/report.json" "$hostile/findings.elf"
claim 'a hundred thousand breaches with one cause are a few findings' \
    test "$(grep -Ec '^(error|warning):' "$err")" -le 4 and test "$(wc -l <"$err")" -lt 100
claim_line '... that say how many they are' '^  times +[0-9]{3},[0-9]{3}, on hart 0' "$err"
claim '... and the report is small' test "$(wc -c <"$work/report.json")" -lt 20000000
run run --quiet --firmware none --max-insns 1M --audit fail "$hostile/findings.elf"
claim '... and the first of them ends a run with --audit=fail' has_status 80

run run --quiet --firmware none --report "$work/report.json" "$hostile/causes.elf"
claim 'hundreds of causes are a hundred findings' \
    test "$(grep -Ec '^error: (missing|stale)-' "$err")" -eq 100
claim_line '... and a count of the others' '^error: [0-9]+ more breaches with other causes' "$err"
claim '... which the report has too' \
    report "len(r['findings']) == 100 and r['findings_left_out']['error'] > 300"
run run --quiet --firmware none --findings-max 2K --report "$work/report.json" "$hostile/causes.elf"
claim '--findings-max raises the limit' \
    report "len(r['findings']) > 400 and r['findings_left_out']['error'] == 0"
printf 'continue\npatches 100\nquit\n' >"$work/commands"
run debug --quiet --firmware none --patches-max 8 -x "$work/commands" "$hostile/causes.elf"
claim '--patches-max bounds the patches that the debugger has; a quarter may be outside of sites' \
    line_count 2 '^#[0-9]' "$out"

run run --firmware none --harts 2 --max-insns 4M --code-writes-max 1M --report "$work/report.json" \
    "$hostile/fences.elf"
claim '--code-writes-max raises the limit' report "r['code_writes_left_out'] == 0"
claim '... and then nothing is said of it' has_status 75 and no_line '^not kept' "$err"

run run --firmware none --report "$work/report.json" "$hostile/pages.elf"
claim 'of 5,000 pages that were written copies of 4,096 are kept' \
    report "r['page_copies_left_out'] == 5000 - 4096"
claim_line '... and the end of the run says so' '^not kept: 904 copies of written pages \(--page-copies-max\)$' "$err"
run run --firmware none --page-copies-max 5K --report "$work/report.json" "$hostile/pages.elf"
claim '--page-copies-max raises the limit' report "r['page_copies_left_out'] == 0"
# refused_within KIB ARGUMENTS...: a run with so much address space.
refused_within() {
    kib=$1
    shift
    try timeout 300 sh -c 'ulimit -v "$1" && shift && exec "$@"' sh "$kib" \
        "$rvftrace" run --quiet --memory 64M "$@" "$programs/hello.elf" </dev/null >"$out" 2>"$err"
    has_status 70
}
claim 'a host without the memory for the copies is status 70 before the guest starts' \
    refused_within 8388608 --page-copies-max 10000000
claim '... and one line with the option' says_one_line \
    'cannot allocate [0-9]+ MiB for copies of written pages; give a smaller --page-copies-max$'

# by_patched PROGRAM HARTS MOST: the host's memory for each byte of code that is changed, which is itself
# one of them, from two runs of which one changes 8 MiB more; in hundredths. Interpreted, since native code
# has a bound of its own. Linux counts resident pages by processor and adds them up in batches, so each of the
# two sizes is exact to some hundred KiB only: the bounds have 0.2 for that.
by_patched() {
    run_measured run --quiet --engine interpreter --firmware none --audit off --harts "$2" --code-writes-max 1K \
        "$hostile/$1-large.elf"
    large=$peak
    run_measured run --engine interpreter --firmware none --audit off --harts "$2" --code-writes-max 1K \
        --report "$work/report.json" "$hostile/$1.elf"
    taken=$(((large - peak) * 100 / 8192))
    echo "$taken"
    [ "$status" -eq 0 ] && [ "$taken" -gt 100 ] && [ "$taken" -le "$3" ]
}
claim 'code that a hart runs before and after it is changed takes at most 5.3 times its size' \
    by_patched run-by-all 1 530
claim '... at most 5.7 times if two harts do so' by_patched run-by-all 2 570
# These take most of a minute.
if [ "${SUITE:-}" = all ]; then
    claim '... at most 6.2 times if four do so: they share old bytes' by_patched run-by-all 4 620
    claim '... at most 8.8 times if each of eight has run another version: three versions are kept' \
        by_patched run-in-turns 8 880
    claim_line '... and the end of the run says how many old words that left out' \
        '^not kept: .*[0-9,]+ old words of code that harts had fetched \(--old-code-max\)' "$err"
    claim '... which is five for each word' report "r['old_code_left_out'] == 5 * 1048576"
    run run --firmware none --harts 8 --old-code-max 8 --report "$work/report.json" "$hostile/run-in-turns.elf"
    claim '--old-code-max raises the limit' report "r['old_code_left_out'] == 0"
fi

run run --firmware none --report "$work/report.json" "$hostile/swaps.elf"
claim 'of 300,000 replaced instructions the first 262,144 are dropped, which the report says' \
    report "r['swaps_left_out'] == 262144 and r['sites_left_out'] == 0 and r['returns_left_out'] == 0"
claim_line '... and the end of the run, too' '^not kept: .*262,144 replaced instructions$' "$err"

run_measured run --firmware none --console none --memory 16M --max-insns 8M --log "$work/log" --report "$work/report.json" "$hostile/deep.elf"
claim 'two million calls without a return take no more than 128 MiB' test "$peak" -lt 131072
claim '... and those that could not be kept are counted' report "r['calls_left_out'] > 1500000"
claim_line '... which is said' '^not kept: .*[0-9,]+ ends of calls in the trace, as too many were open' "$err"
rm -f "$work/log"

for command in run 'debug -x /dev/null'; do
    # shellcheck disable=SC2086 # a command and its options
    run $command --quiet --firmware none --console none --log "$work/log" "$hostile/tables.elf" </dev/null
    claim "${command%% *}: tables that name what cannot be are refused, and the run goes on" has_status 0
done

run run --updates-max 1 --console none --max-insns 20M --append 'ftrace=function' --report "$work/report.json" "$mcount"
claim '--updates-max is how many updates are kept' \
    report "len(r['updates']) == 1 and r['updates_left_out'] > 0"
claim_line '... and the end of the run says how many more there were' '^not kept: [0-9]+ updates? \(--updates-max\)$' "$err"
for bad in 0 1x -1; do
    for limit in updates code-writes page-copies old-code; do
        run run --$limit-max=$bad "$hostile/causes.elf"
        claim "--$limit-max=$bad is refused" refused 64 ".*--$limit-max"
    done
    run run --findings-max=$bad "$hostile/causes.elf"
    claim "--findings-max=$bad is refused" refused 64 '.*--findings-max'
done
finish
