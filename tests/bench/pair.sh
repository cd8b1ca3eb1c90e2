#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python expands its own words; claim calls by name
# pair.sh - what tools/bench --pair promises: two kernels, one workload, only its region of interest.
. "$(dirname "$0")/lib.sh"

kernels=$BUILD/guest-kernel
a=$kernels/none/kernel.elf b=$kernels/pfe8/kernel.elf
bench() { tools/bench --emulator "$rvftrace" --cache "$work/cache" --jobs 2 --memory 64M --initrd "$kernels/initrd.cpio" "$@"; }
marked() { bench --append 'script="sysbench file 1; mark file sysbench file 2; poweroff"' --core c906 --pair "$a" "$b" "$@"; }
json() { python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
r = j["rows"]
sys.exit(not eval(sys.argv[2]))' "$1" "$2"; }

claim 'a plan says what it will take, before anything ran' exits 0 marked --plan
claim '... in runs and hours' grep -q '^2 runs, 0 of them kept from before; the other 2 take about .* hours of a processor.*a guess' "$out"
claim 'a pair is measured between the marks of the guest' exits 0 marked --json "$work/j" --reports "$work/reports"
cp "$out" "$work/tables"
claim '... in one region' json "$work/j" 'len(r) == 1 and (r[0]["core"], r[0]["region"], r[0]["pairs"]) == ("c906", "file", 1)'
claim '... whose parts add up to the overhead' json "$work/j" \
    'all(abs(sum(x[p + "_percent"] for p in ("issue", "fetch", "data", "branch")) - x["overhead_percent"]) < 1e-9 for x in r)'
claim '... two nops a call, and not only these' json "$work/j" \
    'all(x["entries"] > 1000 and x["cycles"] - x["base_cycles"] > 2 * x["entries"] for x in r)'
claim '... which the table shows' grep -q "^file .*$(python3 -c 'import json, sys; print("%.2f" % json.load(open(sys.argv[1]))["rows"][0]["overhead_percent"])' "$work/j")" "$work/tables"
claim 'the reports of both runs can be compared' exits 0 "$rvftrace" report --diff --region file "$work/reports/a-1-c906.json" "$work/reports/b-1-c906.json"
total() { python3 -c 'import json, sys; print(format(json.load(open(sys.argv[1]))["rows"][0][sys.argv[2]], ","))' "$work/j" "$1"; }
claim '... and have the same cycles' grep -Eq "^cycles, busy +$(total base_cycles) +$(total cycles) " "$out"
claim 'what was run is not run again' exits 0 marked --plan
claim '... which the plan says' grep -q '^2 runs, 2 of them kept from before; the other 0 take about 0.00 hours' "$out"
claim 'the same pair twice has an interval of nothing' exits 0 marked --pair "$a" "$b" --json "$work/twice"
claim '... and the same mean' json "$work/twice" "r[0]['pairs'] == 2 and r[0]['overhead_percent'] == $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["rows"][0]["overhead_percent"])' "$work/j")"
claim '... without a new run' exits 0 test "$(wc -l <"$work/cache/seconds")" = 2

texts() { bench --append 'script="echo begin; sysbench getpid 50; echo end; poweroff"' --core unit --pair "$a" "$b" "$@"; }
claim 'a region is between two texts of the console' exits 0 texts --from begin --to end --json "$work/t"
claim '... of a cycle an instruction' json "$work/t" 'r[0]["region"] == "console" and abs(r[0]["overhead_percent"] - r[0]["instructions_percent"]) < 0.5 < r[0]["overhead_percent"]'
claim 'a guest that marks nothing is refused' exits 70 texts
claim '... with its last words' grep -q 'no region of interest; the console ends with' "$err"
claim 'guest:NAME is a kernel, or a file beside them' exits 0 tools/bench --build "$BUILD" --emulator "$rvftrace" --cache "$work/cache" \
    --memory 64M --append 'script="sysbench file 1; mark file sysbench file 2; poweroff"' --core c906 --pair guest:none guest:pfe8 --initrd guest:initrd.cpio --plan
claim '... the same as by its path' grep -q '^2 runs, 2 of them kept from before' "$out"
claim 'a guest that is not there is refused' exits 66 bench --build "$BUILD" --pair guest:none guest:pfe9
claim '... with the next one' grep -q 'guest:pfe9: .* has none; did you mean `guest:pfe' "$err"
claim 'an initrd that is not there is refused' exits 66 bench --pair "$a" "$b" --initrd nowhere.cpio
claim '... by the name of its option' grep -q 'nowhere.cpio: no such file (of --initrd)' "$err"
claim '--to without --from is refused' exits 64 texts --to end
claim '--pair and --csv are not for each other' exits 64 marked --csv -

# ---- compared ----

dearer() { python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
for x in j["rows"]:
    x["cycles"] += 1000
    x["overhead_percent_by_pair"] = [p + float(sys.argv[2]) + n for n, p in enumerate(x["overhead_percent_by_pair"])]
json.dump(j, open(sys.argv[3], "w"))' "$@"; }
claim 'a measurement is no worse than itself' exits 0 tools/bench-compare "$work/j" "$work/j"
dearer "$work/j" 1 "$work/dear"
claim '... dearer is worse' exits 1 tools/bench-compare "$work/j" "$work/dear"
claim '... in the line of its region and core' grep -Eq '^file +c906 .*WORSE' "$out"
dearer "$work/twice" 0 "$work/noise"
claim '... but not where the intervals touch' exits 0 tools/bench-compare "$work/twice" "$work/noise"
claim '... which is noise' grep -Eq '^file +c906 .*noise' "$out"

# ---- in pieces, for other machines ----

marked --shards 2 --out "$work/plan" >/dev/null
claim 'a pair can be cut into pieces' test "$(wc -l <"$work/plan/jobs")" = 2
sed "s|\$| --cache '$work/cache'|" "$work/plan/jobs" >"$work/jobs"
claim '... which run by themselves' exits 0 sh -e "$work/jobs"
claim '... and give the same answer' exits 0 tools/bench --merge "$work/plan" --json "$work/merged"
claim '... to the byte' cmp "$work/merged" "$work/j"
finish
