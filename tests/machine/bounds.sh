#!/bin/sh
# bounds.sh - the auditor's memory and output are bounded whatever a guest does, with a count
# of what was left out.
. "$(dirname "$0")/common.inc"

hostile=$programs/hostile

# run_measured ARGUMENTS...: as run, with the largest resident size in KiB in $peak.
run_measured() {
    python3 - "$out" "$err" "$rvftrace" "$@" >"$work/peak" <<'PY'
import resource, subprocess, sys
with open(sys.argv[1], "w") as out, open(sys.argv[2], "w") as err:
    status = subprocess.call(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=120)
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
    read -r status peak <"$work/peak"
}
report() { python3 -c "import json; r = json.load(open('$work/report.json')); assert ($1), [
    r[k] for k in r if 'left_out' in k or k == 'patch_counts']"; }

run_measured run --firmware none --harts 2 --max-insns 4M --report "$work/report.json" \
    "$hostile/fences.elf"
claim 'a loop of stores to code and fences takes no more than 40 MiB' test "$peak" -lt 40960
claim '... has no finding, and as many stores as it made' \
    report "r['findings'] == [] and r['patch_counts']['others'] > 100000"
claim '... of which it keeps some and counts the others' \
    report "len(r['patches']) + r['patches_left_out'] == r['patch_counts']['others'] and
            r['patches_left_out'] > len(r['patches']) > 1000"
claim '... and the summary does not call them patches of sites' says '^audit: .* 0 patches of sites, [0-9,]+ other'

run_measured run --quiet --firmware none --max-insns 1M --report "$work/report.json" "$hostile/findings.elf"
claim 'a hundred thousand breaches with one cause are a few findings' \
    sh -c "test \$(grep -Ec '^(error|warning):' '$err') -le 4 && test \$(wc -l <'$err') -lt 100"
claim '... that say how many they are' says '^  times +[0-9]{3},[0-9]{3}, on hart 0'
claim '... and the report is small' test "$(wc -c <"$work/report.json")" -lt 20000000
run run --quiet --firmware none --max-insns 1M --audit fail "$hostile/findings.elf"
claim '... and the first of them ends a run with --audit=fail' has_status 80

run run --quiet --firmware none --report "$work/report.json" "$hostile/causes.elf"
claim 'hundreds of causes are a hundred findings' \
    test "$(grep -Ec '^error: (missing|stale)-' "$err")" -eq 100
claim '... and a count of the others' says '^error: [0-9]+ more breaches with other causes'
claim '... which the report has too' \
    report "len(r['findings']) == 100 and r['findings_left_out']['error'] > 300"
run run --quiet --firmware none --findings-max 2K --report "$work/report.json" "$hostile/causes.elf"
claim '--findings-max raises the limit' \
    report "len(r['findings']) > 400 and r['findings_left_out']['error'] == 0"
run run --quiet --firmware none --patches-max 8 --report "$work/report.json" "$hostile/causes.elf"
claim '--patches-max is how many patches are kept' report "len(r['patches']) <= 8"
for bad in 0 1x -1; do
    run run --findings-max=$bad "$hostile/causes.elf"
    claim "--findings-max=$bad is refused" says_one_line '.*--findings-max'
done
finish
