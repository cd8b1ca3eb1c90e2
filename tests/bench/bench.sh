#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python and the false emulator expand their own words; check calls by name
# bench.sh - tests of tools/bench --parts, --layouts and tools/bench-compare; cost.sh has the rest.
#
# BUILD is make's build directory; RVFTRACE, if set, the emulator to use instead of
# the one there. The workloads run a few iterations only: the figures are exact
# however few they are.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/bench/lib.sh

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

check "it measures and ends well" bench --workload calls --workload sort --json "$work/a.json"
cp "$work/out" "$work/tables"
cd_parts='all(d[k] == sum(p[k] for p in d["parts"].values()) for k in ("cycles", "instructions"))'
check "the three parts of the disabled path add up exactly" json "$work/a.json" "$cd_parts"
check "they are the difference of off and none" json "$work/a.json" \
    'd["cycles"] == v["off"]["cycles"] - v["none"]["cycles"]'
check "each part of it costs something" json "$work/a.json" \
    'all(p["cycles"] > 0 and p["percent"] > 0 for p in d["parts"].values())'
check "the sites' part is three cycles an entry, one entry a call" json "$work/a.json" \
    'd["parts"]["site"]["cycles"] == 3 * d["entries"] and d["entries"] == w["calls"]'
check "the parts of the enabled path add up exactly" json "$work/a.json" \
    'all(e["cycles"] == sum(e["parts"].values()) for e in w["enabled"].values())'
check "all that the tracer function costs, it costs between the call and the return to the site" \
    json "$work/a.json" 'w["enabled"]["function"]["parts"]["after"] == 0'
check "function_graph costs more than function, and that more than nothing" json "$work/a.json" \
    'v["function_graph"]["cycles"] > v["function"]["cycles"] > v["off"]["cycles"]'
check "a run of 2N less one of N is what is reported" json "$work/a.json" \
    'all(x["cycles"] == x["runs"][1]["cycles"] - x["runs"][0]["cycles"] for x in v.values())'
check "the machine's counters confirm the guest's" json "$work/a.json" \
    'len({r["cycles"] - r["window_cycles"] for x in v.values() for r in x["runs"]}) == 1'
check "the tables say the same as the JSON" grep -q \
    "^in all  *$(python3 -c 'import json, sys
print(format(json.load(open(sys.argv[1]))["workloads"][0]["disabled"]["cycles"], ","))' \
        "$work/a.json")  " "$work/tables"
check "no colour where nobody looks" lacks "$(printf '\033')" "$work/tables"
bench --workload calls --json "$work/b.json" >/dev/null 2>&1
doctor "$work/a.json" "$work/first.json" 'j["workloads"].pop()'
doctor "$work/b.json" "$work/again.json" ''
check "the same measurement twice gives the same bytes, alone or with another" cmp "$work/first.json" "$work/again.json"

mixed() { tools/bench --parts --build "$BUILD" --emulator "$rvftrace" --workload mixed; }
check "the longest workload fits between two ticks with as many iterations as there are by default" mixed

# ---- layouts ----

check "what a traced call costs in each layout" bench --layouts --iterations 1 --json "$work/layouts.json"
layouts() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); l = {one["name"]: one for one in j["layouts"]}
sys.exit(not eval(sys.argv[2]))' "$work/layouts.json" "$1"
}
check "there are six, each with both tracers" layouts \
    'len(l) == 6 and all(len(x["tracers"]) == 2 for x in l.values())'
check "nothing traced, each executes what Linux does" layouts \
    'all(x["off"]["path"] == x["linux"]["off"] for x in l.values())'
check "traced, each path is within five instructions of Linux's" layouts \
    'all(abs(t["path"] - x["linux"]["on"]) <= 5 for x in l.values() if x["linux"]["on"] for t in x["tracers"].values())'
check "return_to_handler is as long as Linux's" layouts \
    'all(x["tracers"]["function_graph"]["return"] == 15 for x in l.values())'
check "what the counters say of a call holds the path, and more" layouts \
    'all(t["path"] < t["instructions"] < t["cycles"] for x in l.values() for t in x["tracers"].values())'
check "the table has a line for each" sh -c "tail -n 18 '$work/out' | grep -Ec '^(static|mcount|pfe16|pfe8|atomic|callops) ' | grep -qx 18"

# ---- wrong results that must be detected ----

# An emulator with wrong output: sh code that gets the arguments and may change the console.
liar() {
    printf '#!/bin/sh\nedit=cat\n%s\n"%s" "$@" >"%s/said" || exit\n$edit <"%s/said"\n' \
        "$1" "$(realpath "$rvftrace")" "$work" "$work" >"$work/liar"
    chmod +x "$work/liar"
}
lied() { tools/bench --parts --build "$BUILD" --emulator "$work/liar" --iterations 1 --workload calls; }

liar 'case "$*" in *bench-frame*) edit="sed s/result=./result=g/;s/result=g/result=0/" ;; esac'
exits 70 "a workload with another result in one kernel" lied
liar 'case "$*" in run*function_graph*) edit="sed s/cycles=/cycles=$$/" ;; esac'
exits 70 "an emulator that is not deterministic" lied

# ---- comparing ----

check "a file has no difference from itself" compare "$work/a.json" "$work/a.json"
check "and the last line says so" grep -q ' 0 changed, 0 worse' "$work/out"
doctor "$work/a.json" "$work/worse.json" 'w["variants"]["off"]["cycles"] += 1'
exits 1 "one cycle more is worse" compare "$work/a.json" "$work/worse.json"
check "that line is flagged and no other" test "$(grep -c WORSE "$work/out")" = 1
check "one cycle less is not" compare "$work/worse.json" "$work/a.json"
check "nor one within the threshold" compare --threshold 1 "$work/a.json" "$work/worse.json"
doctor "$work/a.json" "$work/version.json" 'j["version"] += 1'
exits 65 "another version of the schema" compare "$work/a.json" "$work/version.json"
doctor "$work/a.json" "$work/fewer.json" 'j["workloads"].pop()'
exits 65 "other workloads" compare "$work/a.json" "$work/fewer.json"
doctor "$work/a.json" "$work/more.json" 'w["iterations"] += 1'
exits 65 "other iterations" compare "$work/a.json" "$work/more.json"
doctor "$work/a.json" "$work/damaged.json" 'del j["images"]'
exits 65 "a damaged file" compare "$work/a.json" "$work/damaged.json"
echo '{' >"$work/cut.json"
exits 65 "a file that is not JSON" compare "$work/a.json" "$work/cut.json"
exits 66 "a file that is not there" compare "$work/a.json" "$work/nowhere.json"
exits 64 "one file only" compare "$work/a.json"

# ---- wrong command lines ----

exits 64 "no such workload" bench --workload nonsense
exits 64 "no iterations" bench --iterations 0
exits 64 "no such timing model" bench --workload calls --timing nonsense
exits 66 "an emulator that is not there" bench --emulator "$work/nowhere"
exits 65 "an emulator that is no program" bench --emulator Makefile
exits 66 "a place for the JSON that is not there" bench --json "$work/nowhere/a.json"

exit $failed
