#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python expands its own words; claim calls by name
# layouts.sh - tests of tools/bench that take longest: what a traced call costs in each layout, and the longest workload.
. "$(dirname "$0")/lib.sh"

bench() { tools/bench --build "$BUILD" --emulator "$rvftrace" "$@"; }

claim "what a traced call costs in each layout" exits 0 bench --layouts --iterations 1 --json "$work/layouts.json"
layouts() {
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); l = {one["name"]: one for one in j["layouts"]}
sys.exit(not eval(sys.argv[2]))' "$work/layouts.json" "$1"
}
claim "there are six, each with both tracers" layouts \
    'len(l) == 6 and all(len(x["tracers"]) == 2 for x in l.values())'
claim "nothing traced, each executes what Linux does" layouts \
    'all(x["off"]["path"] == x["linux"]["off"] for x in l.values())'
claim "traced, each path is within five instructions of Linux's" layouts \
    'all(abs(t["path"] - x["linux"]["on"]) <= 5 for x in l.values() if x["linux"]["on"] for t in x["tracers"].values())'
claim "return_to_handler is as long as Linux's" layouts \
    'all(x["tracers"]["function_graph"]["return"] == 15 for x in l.values())'
claim "what the counters say of a call holds the path, and more" layouts \
    'all(t["path"] < t["instructions"] < t["cycles"] for x in l.values() for t in x["tracers"].values())'
tail -n 18 "$out" >"$work/last"
claim "the table has a line for each" line_count 18 '^(static|mcount|pfe16|pfe8|atomic|callops) ' "$work/last"

claim "the longest workload fits between two ticks with as many iterations as there are by default" \
    exits 0 bench --parts --workload mixed

finish
