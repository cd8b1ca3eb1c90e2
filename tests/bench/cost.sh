#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python expands its own words; check calls by name
# cost.sh - what tools/bench promises: its answer, its cache, its pieces for other machines.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/bench/lib.sh

cache=$work/cache
bench() { tools/bench --build "$BUILD" --emulator "$rvftrace" --cache "$cache" --jobs 2 "$@"; }
small() { bench --core inorder --layout mcount,pfe8 --workload density64,density1024,getpid --state off,nop,function-1 "$@"; }

# A claim about a JSON file, in Python: j is its content, r its rows by layout, state and workload.
json() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
r = {(x["layout"], x["state"], x["workload"]): x for x in j["rows"]}
sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}

# ---- the answer ----

check "it measures and ends well" small --json "$work/a.json" --csv "$work/a.csv" --svg "$work/a.svg"
cp "$work/out" "$work/tables"
check "there is a row for each configuration" json "$work/a.json" 'len(r) == 2 * 3 * 3'
check "off costs something in each layout and workload" json "$work/a.json" \
    'all(x["overhead_percent"] > 0 for k, x in r.items() if k[1] == "off")'
check "its parts add up to the overhead" json "$work/a.json" \
    'all(abs(sum(v or 0 for v in x["parts_percent"].values()) - x["overhead_percent"]) < 1e-9
         for k, x in r.items() if k[1] == "off")'
check "pfe8 costs less than mcount, whose functions need frames" json "$work/a.json" \
    'all(r["pfe8", "off", w]["cycles"] < r["mcount", "off", w]["cycles"] for w in ("density64", "getpid"))'
check "the denser the calls, the more" json "$work/a.json" \
    'all(r[l, "off", "density64"]["overhead_percent"] > 4 * r[l, "off", "density1024"]["overhead_percent"] for l in ("mcount", "pfe8"))'
check "a site of mcount is three cycles, one of pfe8 two" json "$work/a.json" \
    'all(abs(x["parts_percent"]["sites"] * x["base_cycles"] / 100 - cycles * x["entries"]) < 1e-6
         for l, cycles in (("mcount", 3), ("pfe8", 2)) for x in [r[l, "off", "density64"]])'
check "one function that is traced is entered at its site" json "$work/a.json" \
    'all(x["traced"] > 0 for k, x in r.items() if k[1] == "function-1")'
check "after the tracer was on and off again nothing is traced" json "$work/a.json" \
    'all(x["traced"] == 0 for k, x in r.items() if k[1] == "nop")'
check "the table has a line for each layout" test "$(grep -Ec '^(mcount|pfe8) +inorder ' "$work/tables")" = 2
check "the CSV has one for each row" test "$(wc -l <"$work/a.csv")" = 19
check "the plot is one, with a curve for each layout" python3 -c '
import sys, xml.dom.minidom
text = open(sys.argv[1]).read()
assert xml.dom.minidom.parseString(text).documentElement.tagName == "svg"
assert "mcount, inorder" in text and "pfe8, inorder" in text' "$work/a.svg"
small --json - >"$work/b.json" 2>/dev/null
check "the same measurement twice gives the same bytes" cmp "$work/a.json" "$work/b.json"
exits 1 "--fail-above, when disabled ftrace costs more" small --fail-above 0.1
check "... less is fine" small --fail-above 99

# ---- the cache ----

# An emulator that counts its runs. It says of itself what the real one does.
printf '#!/bin/sh\ncase $1 in run) echo >>"%s/ran" ;; esac\nexec "%s" "$@"\n' "$work" "$(realpath "$rvftrace")" >"$work/counting"
chmod +x "$work/counting"
counted() {
    tools/bench --build "$BUILD" --emulator "$work/counting" --cache "$work/other" --jobs 2 --core inorder --layout pfe8 \
        --workload density64 --state off "$@"
}
check "without a cache all runs are made" counted
check "... which are six" test "$(wc -l <"$work/ran")" = 6
check "with it none" counted
check "... is made again" test "$(wc -l <"$work/ran")" = 6
rm "$(find "$work/other" -type f | head -n 1)"
check "what a kill has cost" counted
check "... is made again, and nothing else" test "$(wc -l <"$work/ran")" = 7
damage='{'
for file in "$work/other"/*; do
    echo "$damage" >"$file"
    damage='{}'
done
check "a damaged result" counted
check "... is none" test "$(wc -l <"$work/ran")" = 13
check "another seed" counted --seed 2
check "... is another measurement" test "$(wc -l <"$work/ran")" = 19

mkdir "$work/elsewhere"
cp "$rvftrace" "$work/elsewhere"
check "an emulator with no core models beside it gets those whose contents the cache knows" tools/bench \
    --build "$BUILD" --emulator "$work/elsewhere/rvftrace" --cache "$cache" --jobs 2 --layout pfe8 \
    --workload density64 --state off --core c906

# ---- pieces ----

check "pieces are planned" small --shards 3 --out "$work/plan"
check "... as a command each" test "$(wc -l <"$work/plan/jobs")" = 3
exits 65 "without a piece there is no answer" bench --merge "$work/plan"
check "GNU parallel runs them" parallel --no-notice -j 2 <"$work/plan/jobs"
check "together they are the answer" sh -c "tools/bench --merge '$work/plan' --json - >'$work/merged.json'"
check "... the same as on one machine" cmp "$work/a.json" "$work/merged.json"
python3 -c 'import json, sys
path = sys.argv[1]; shard = json.load(open(path)); other = json.load(open(sys.argv[2]))
key, run = next(iter(other["runs"].items())); run["cycles"] += 1; shard["runs"][key] = run
json.dump(shard, open(path, "w"))' "$work/plan/shard-1.json" "$work/plan/shard-2.json"
exits 65 "pieces that contradict each other" bench --merge "$work/plan"
small --shards 3 --seed 7 --out "$work/plan" >/dev/null 2>&1
exits 65 "pieces of another plan" bench --merge "$work/plan"
exits 64 "a piece that is none" tools/bench --shard 9 --out "$work/plan"
sed 's/"density64"/"density16"/' "$work/plan/plan.json" >"$work/changed" && mv "$work/changed" "$work/plan/plan.json"
exits 65 "a plan that was changed" bench --merge "$work/plan"
exits 66 "a plan that is not there" tools/bench --merge "$work/nowhere"
exits 64 "--shards without a place" small --shards 2
bench --core inorder --layout pfe8 --workload density64 --state nop --shards 1 --out "$work/nop" >/dev/null 2>&1
bench --shard 1 --out "$work/nop" >/dev/null 2>&1
check "pieces without the state off are an answer" bench --merge "$work/nop"
exits 64 "... but not to what off costs" bench --merge "$work/nop" --fail-above 3

# ---- comparing ----

check "a file has no difference from itself" tools/bench-compare "$work/a.json" "$work/a.json"
python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); j["rows"][0]["cycles"] += 1; json.dump(j, open(sys.argv[2], "w"))' "$work/a.json" "$work/worse.json"
exits 1 "one cycle more is worse" tools/bench-compare "$work/a.json" "$work/worse.json"
python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); j["rows"].pop(); json.dump(j, open(sys.argv[2], "w"))' "$work/a.json" "$work/fewer.json"
exits 65 "other configurations" tools/bench-compare "$work/a.json" "$work/fewer.json"

# ---- wrong words ----

exits 64 "no such layout" bench --layout nonsense
exits 64 "no such state" bench --state nonsense
exits 64 "no such workload" bench --workload nonsense
exits 64 "no such core" bench --core nonsense --layout pfe8 --workload getpid --state off
exits 64 "a plot without the state that it shows" bench --state nop --svg "$work/x.svg"
exits 64 "a bound that is no percentage" bench --fail-above nan
exits 66 "a place for the JSON that is not there" bench --json "$work/nowhere/a.json"

exit $failed
