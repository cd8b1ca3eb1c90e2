#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python expands its own words; claim calls by name
# cost.sh - what tools/bench promises: its answer, its cache, its pieces for other machines.
. "$(dirname "$0")/lib.sh"

cache=$work/cache
bench() { tools/bench --build "$BUILD" --emulator "$rvftrace" --cache "$cache" --jobs 2 "$@"; }
small() {
    bench --placements 1 --core inorder --layout mcount,pfe8 --workload density64,density1024,getpid \
        --state off,nop,function-1 "$@"
}
one() { bench --core c906 --layout pfe8 --workload density64 --state off "$@"; }

# A claim about a JSON file, in Python: j is its content, r its rows by layout, state and workload.
json() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
r = {(x["layout"], x["state"], x["workload"]): x for x in j["rows"]}
sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}

# ---- the answer ----

claim "it measures and ends well" exits 0 small --json "$work/a.json" --csv "$work/a.csv" --svg "$work/a.svg"
cp "$out" "$work/tables"
claim "there is a row for each configuration" json "$work/a.json" 'len(r) == 2 * 3 * 3'
claim "off costs something in each layout and workload" json "$work/a.json" \
    'all(x["overhead_percent"] > 0 for k, x in r.items() if k[1] == "off")'
claim "its parts add up to the overhead" json "$work/a.json" \
    'all(abs(sum(v or 0 for v in x["parts_percent"].values()) - x["overhead_percent"]) < 1e-9
         for k, x in r.items() if k[1] == "off")'
claim "pfe8 costs less than mcount, whose functions need frames" json "$work/a.json" \
    'all(r["pfe8", "off", w]["cycles"] < r["mcount", "off", w]["cycles"] for w in ("density64", "getpid"))'
claim "the denser the calls, the more" json "$work/a.json" \
    'all(r[l, "off", "density64"]["overhead_percent"] > 4 * r[l, "off", "density1024"]["overhead_percent"] for l in ("mcount", "pfe8"))'
claim "a site of mcount is three cycles, one of pfe8 two" json "$work/a.json" \
    'all(abs(x["parts_percent"]["sites"] * x["base_cycles"] / 100 - cycles * x["entries"]) < 1e-6
         for l, cycles in (("mcount", 3), ("pfe8", 2)) for x in [r[l, "off", "density64"]])'
claim "one function that is traced is entered at its site" json "$work/a.json" \
    'all(x["traced"] > 0 for k, x in r.items() if k[1] == "function-1")'
claim "after the tracer was on and off again nothing is traced" json "$work/a.json" \
    'all(x["traced"] == 0 for k, x in r.items() if k[1] == "nop")'
claim "the table has a line for each layout" test "$(grep -Ec '^(mcount|pfe8) +inorder ' "$work/tables")" = 2
claim "the CSV has one for each row" test "$(wc -l <"$work/a.csv")" = 19
claim "the plot is one, with points for each layout" python3 -c '
import sys, xml.dom.minidom
text = open(sys.argv[1]).read()
assert xml.dom.minidom.parseString(text).documentElement.tagName == "svg"
assert "mcount, inorder" in text and "pfe8, inorder" in text' "$work/a.svg"
claim "the same measurement twice gives the same bytes" exits 0 small --json - and cmp "$work/a.json" "$out"
claim "--fail-above, when disabled ftrace costs more: exit status 1" exits 1 small --fail-above 0.1
claim "... less is fine" exits 0 small --fail-above 99

# ---- its name, and what it needs ----

mkdir "$work/bin"
ln -s "$(python3 -c "import sys; print(sys.executable)")" "$work/bin/python3"
ln -s "$PWD/tools/bench" "$work/bin/rvftrace-bench"
ln -s "$PWD/tools/bench-compare" "$work/bin/rvftrace-bench-compare"
without() { env "PATH=$work/bin" "$@"; }
claim "without gnuplot there is no plot, which is said before anything is run" exits 66 without rvftrace-bench \
    --emulator "$work/nowhere" --svg "$work/x.svg"
claim "... by the name by which it was called" has_line '^rvftrace-bench: error: gnuplot: not found' "$err"
claim "a file of others is refused" exits 65 without rvftrace-bench-compare "$work/a.csv" "$work/a.json"
claim "... with the name of the tool that writes them" has_line '^rvftrace-bench-compare: .* written by rvftrace-bench --json' "$err"

# ---- placements ----

claim "two placements of the code are measured" exits 0 one --placements 2 --json "$work/p.json"
cp "$out" "$work/tables"
claim "... which are two draws" json "$work/p.json" \
    'all(x["placements"] == 2 and x["overhead_least"] < x["overhead_most"] for x in r.values())'
claim "... of which the mean is shown" json "$work/p.json" \
    'all(x["overhead_percent"] == sum(x["overhead_by_placement"]) / 2 for x in r.values())'
claim "... with the interval of Student for one degree of freedom" json "$work/p.json" \
    'all(abs(x["overhead_interval"] - 12.706 * (x["overhead_most"] - x["overhead_least"]) / 2) < 1e-9 for x in r.values())'
claim_line "... in the tables, too" '^density64 +[0-9.]+ +[0-9.]+ ±[0-9.]+$' "$work/tables"
claim "a precision that is there already needs no more of them" exits 0 one --placements 2 --precision 90 --json -
claim "... and is the same measurement" cmp "$work/p.json" "$out"
claim "one that is not takes as many as there may be" exits 0 one --placements 2 --precision 0.0001 --most 3 --json "$work/q.json"
claim "... which are three" json "$work/q.json" 'all(x["placements"] == 3 for x in r.values())'
claim "two draws and three of them are not told apart: exit status 0" exits 0 tools/bench-compare "$work/p.json" "$work/q.json"
claim_line "... for their intervals touch" ' noise$' "$out"
claim "pieces are planned before there is a precision: exit status 64" exits 64 one --precision 1 --shards 2 --out "$work/plan"

# ---- the cache ----

# An emulator that counts its runs. It says of itself what the real one does.
printf '#!/bin/sh\ncase $1 in run) echo >>"%s/ran" ;; esac\nexec "%s" "$@"\n' "$work" "$(realpath "$rvftrace")" >"$work/counting"
chmod +x "$work/counting"
counted() {
    tools/bench --build "$BUILD" --emulator "$work/counting" --cache "$work/other" --jobs 2 --core inorder --layout pfe8 \
        --workload density64 --state off --placements 1 "$@"
}
claim "without a cache all runs are made" exits 0 counted
claim "... which are six" test "$(wc -l <"$work/ran")" = 6
claim "with it none" exits 0 counted
claim "... is made again" test "$(wc -l <"$work/ran")" = 6
rm "$(find "$work/other" -type f | head -n 1)"
claim "what a kill has cost" exits 0 counted
claim "... is made again, and nothing else" test "$(wc -l <"$work/ran")" = 7
damage='{'
for file in "$work/other"/*; do
    echo "$damage" >"$file"
    damage='{}'
done
claim "a damaged result" exits 0 counted
claim "... is none" test "$(wc -l <"$work/ran")" = 13
claim "another seed" exits 0 counted --seed 2
claim "... is another measurement" test "$(wc -l <"$work/ran")" = 19

mkdir "$work/elsewhere"
cp "$rvftrace" "$work/elsewhere"
claim "an emulator with no core models beside it gets those whose contents the cache knows" exits 0 tools/bench \
    --build "$BUILD" --emulator "$work/elsewhere/rvftrace" --cache "$cache" --jobs 2 --layout pfe8 \
    --workload density64 --state off --core c906 --placements 1

# ---- pieces ----

claim "pieces are planned" exits 0 small --shards 3 --out "$work/plan"
claim "... as a command each" test "$(wc -l <"$work/plan/jobs")" = 3
claim "without a piece there is no answer: exit status 65" exits 65 bench --merge "$work/plan"
claim "GNU parallel runs them" exits 0 parallel --no-notice -j 2 <"$work/plan/jobs"
claim "together they are the answer" exits 0 tools/bench --merge "$work/plan" --json -
claim "... the same as on one machine" cmp "$work/a.json" "$out"
python3 -c 'import json, sys
path = sys.argv[1]; shard = json.load(open(path)); other = json.load(open(sys.argv[2]))
key, run = next(iter(other["runs"].items())); run["cycles"] += 1; shard["runs"][key] = run
json.dump(shard, open(path, "w"))' "$work/plan/shard-1.json" "$work/plan/shard-2.json"
claim "pieces that contradict each other: exit status 65" exits 65 bench --merge "$work/plan"
small --shards 3 --seed 7 --out "$work/plan" >/dev/null 2>&1
claim "pieces of another plan: exit status 65" exits 65 bench --merge "$work/plan"
claim "a piece that is none: exit status 64" exits 64 tools/bench --shard 9 --out "$work/plan"
sed 's/"density64"/"density16"/' "$work/plan/plan.json" >"$work/changed" && mv "$work/changed" "$work/plan/plan.json"
claim "a plan that was changed: exit status 65" exits 65 bench --merge "$work/plan"
claim "a plan that is not there: exit status 66" exits 66 tools/bench --merge "$work/nowhere"
claim "--shards without a place: exit status 64" exits 64 small --shards 2
bench --placements 1 --core inorder --layout pfe8 --workload density64 --state nop --shards 1 --out "$work/nop" >/dev/null 2>&1
bench --shard 1 --out "$work/nop" >/dev/null 2>&1
claim "pieces without the state off are an answer" exits 0 bench --merge "$work/nop"
claim "... but not to what off costs: exit status 64" exits 64 bench --merge "$work/nop" --fail-above 3

# ---- comparing ----

claim "a file has no difference from itself" exits 0 tools/bench-compare "$work/a.json" "$work/a.json"
python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); j["rows"][0]["cycles"] += 1; json.dump(j, open(sys.argv[2], "w"))' "$work/a.json" "$work/worse.json"
claim "one cycle more is worse: exit status 1" exits 1 tools/bench-compare "$work/a.json" "$work/worse.json"
python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); j["rows"].pop(); json.dump(j, open(sys.argv[2], "w"))' "$work/a.json" "$work/fewer.json"
claim "other configurations: exit status 65" exits 65 tools/bench-compare "$work/a.json" "$work/fewer.json"

# ---- wrong words ----

claim "no such layout: exit status 64" exits 64 bench --layout nonsense
claim "no such state: exit status 64" exits 64 bench --state nonsense
claim "no such workload: exit status 64" exits 64 bench --workload nonsense
claim "no such core: exit status 64" exits 64 bench --core nonsense --layout pfe8 --workload getpid --state off
claim "a plot without the state that it shows: exit status 64" exits 64 bench --state nop --svg "$work/x.svg"
claim "a bound that is no percentage: exit status 64" exits 64 bench --fail-above nan
claim "a place for the JSON that is not there: exit status 66" exits 66 bench --json "$work/nowhere/a.json"

finish
