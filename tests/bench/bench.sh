#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python and the false emulator expand their own words; claim calls by name
# bench.sh - tests of tools/bench --parts and tools/bench-compare; cost.sh and layouts.sh have the rest.
#
# BUILD is make's build directory; RVFTRACE, if set, the emulator to use instead of
# the one there. The workloads run a few iterations only: the figures are exact
# however few they are.
. "$(dirname "$0")/lib.sh"

bench() { tools/bench --parts --build "$BUILD" --emulator "$rvftrace" --iterations 2 "$@"; }
compare() { tools/bench-compare "$@"; }

# A claim about a JSON file, in Python: j is its content, w its first workload.
json() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); w = j["workloads"][0]; v = w["variants"]; d = w["disabled"]
sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}

# A copy of a JSON file with something changed, in Python.
doctor() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); w = j["workloads"][0]
exec(sys.argv[3])
json.dump(j, open(sys.argv[2], "w"))' "$1" "$2" "$3"
}

# ---- one measurement ----

claim "it measures and ends well" exits 0 bench --workload calls --json "$work/a.json"
cp "$out" "$work/tables"
cd_parts='all(d[k] == sum(p[k] for p in d["parts"].values()) for k in ("cycles", "instructions"))'
claim "the three parts of the disabled path add up exactly" json "$work/a.json" "$cd_parts"
claim "they are the difference of off and none" json "$work/a.json" \
    'd["cycles"] == v["off"]["cycles"] - v["none"]["cycles"]'
claim "each part of it costs something" json "$work/a.json" \
    'all(p["cycles"] > 0 and p["percent"] > 0 for p in d["parts"].values())'
claim "the sites' part is three cycles an entry, one entry a call" json "$work/a.json" \
    'd["parts"]["site"]["cycles"] == 3 * d["entries"] and d["entries"] == w["calls"]'
claim "the parts of the enabled path add up exactly" json "$work/a.json" \
    'all(e["cycles"] == sum(e["parts"].values()) for e in w["enabled"].values())'
claim "all that the tracer function costs, it costs between the call and the return to the site" \
    json "$work/a.json" 'w["enabled"]["function"]["parts"]["after"] == 0'
claim "function_graph costs more than function, and that more than nothing" json "$work/a.json" \
    'v["function_graph"]["cycles"] > v["function"]["cycles"] > v["off"]["cycles"]'
claim "a run of 2N less one of N is what is reported" json "$work/a.json" \
    'all(x["cycles"] == x["runs"][1]["cycles"] - x["runs"][0]["cycles"] for x in v.values())'
claim "the machine's counters confirm the guest's" json "$work/a.json" \
    'len({r["cycles"] - r["window_cycles"] for x in v.values() for r in x["runs"]}) == 1'
claim "the tables say the same as the JSON" grep -q \
    "^in all  *$(python3 -c 'import json, sys
print(format(json.load(open(sys.argv[1]))["workloads"][0]["disabled"]["cycles"], ","))' \
        "$work/a.json")  " "$work/tables"
claim_no_line "no colour where nobody looks" "$(printf '\033')" "$work/tables"
bench --workload calls --json "$work/b.json" >/dev/null 2>&1
claim "the same measurement twice gives the same bytes" cmp "$work/a.json" "$work/b.json"

# ---- wrong results that must be detected ----

# An emulator with wrong output: sh code that gets the arguments and may change the console.
liar() {
    printf '#!/bin/sh\nedit=cat\n%s\n"%s" "$@" >"%s/said" || exit\n$edit <"%s/said"\n' \
        "$1" "$(realpath "$rvftrace")" "$work" "$work" >"$work/liar"
    chmod +x "$work/liar"
}
lied() { tools/bench --parts --build "$BUILD" --emulator "$work/liar" --iterations 1 --workload calls; }

liar 'case "$*" in *bench-frame*) edit="sed s/result=./result=g/;s/result=g/result=0/" ;; esac'
claim "a workload with another result in one kernel: exit status 70" exits 70 lied
liar 'case "$*" in run*function_graph*) edit="sed s/cycles=/cycles=$$/" ;; esac'
claim "an emulator that is not deterministic: exit status 70" exits 70 lied

# ---- comparing ----

claim "a file has no difference from itself" exits 0 compare "$work/a.json" "$work/a.json"
claim_line "and the last line says so" ' 0 changed, 0 worse' "$out"
doctor "$work/a.json" "$work/worse.json" 'w["variants"]["off"]["cycles"] += 1'
claim "one cycle more is worse: exit status 1" exits 1 compare "$work/a.json" "$work/worse.json"
claim "that line is flagged and no other" line_count 1 WORSE "$out"
claim "one cycle less is not" exits 0 compare "$work/worse.json" "$work/a.json"
claim "nor one within the threshold" exits 0 compare --threshold 1 "$work/a.json" "$work/worse.json"
doctor "$work/a.json" "$work/version.json" 'j["version"] += 1'
claim "another version of the schema: exit status 65" exits 65 compare "$work/a.json" "$work/version.json"
doctor "$work/a.json" "$work/fewer.json" 'j["workloads"].pop()'
claim "other workloads: exit status 65" exits 65 compare "$work/a.json" "$work/fewer.json"
doctor "$work/a.json" "$work/more.json" 'w["iterations"] += 1'
claim "other iterations: exit status 65" exits 65 compare "$work/a.json" "$work/more.json"
doctor "$work/a.json" "$work/damaged.json" 'del j["images"]'
claim "a damaged file: exit status 65" exits 65 compare "$work/a.json" "$work/damaged.json"
echo '{' >"$work/cut.json"
claim "a file that is not JSON: exit status 65" exits 65 compare "$work/a.json" "$work/cut.json"
claim "a file that is not there: exit status 66" exits 66 compare "$work/a.json" "$work/nowhere.json"
claim "one file only: exit status 64" exits 64 compare "$work/a.json"

# ---- wrong command lines ----

claim "no such workload: exit status 64" exits 64 bench --workload nonsense
claim "no iterations: exit status 64" exits 64 bench --iterations 0
claim "no such timing model: exit status 64" exits 64 bench --workload calls --timing nonsense
claim "an emulator that is not there: exit status 66" exits 66 bench --emulator "$work/nowhere"
claim "an emulator that is no program: exit status 65" exits 65 bench --emulator Makefile
claim "a place for the JSON that is not there: exit status 66" exits 66 bench --json "$work/nowhere/a.json"

finish
