#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# unrun-sites.sh - a site that no hart runs is judged at the end of the update that wrote it.
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
# only FUNCTION KERNEL: traces one function, which is not called, and turns it off again.
only() {
    run run --quiet --harts 2 --max-insns 200M --report "$work/r.json" "$BUILD/guest-kernel/$2/kernel.elf" \
        --append "script=\"echo $1 > $T/set_ftrace_filter; echo function > $T/current_tracer; echo nop > $T/current_tracer\""
}
# finds EXPRESSION: of the list f of the first finding's facts, as pairs, and of `places`, its examples' functions.
finds() {
    python3 - "$work/r.json" "$1" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
first = report["findings"][0]
f = [(fact["label"], fact.get("text", "")) for fact in first["facts"]]
places = [e["site"] for e in first["examples"]]
entries = {s["function"]: s["init"]["entries"] + s["off"]["entries"] + s["on"]["entries"] for s in report["sites"]}
assert eval(' '.join(sys.argv[2].split())), (first["rule"], f, places, entries)
PY
}
for layout in mcount pfe8; do
    only machine_restart $layout-half-a-call
    claim "$layout: half a call at a site that no hart runs is a bad site" finds \
        "first['rule'] == 'bad-site' and any(entries[place] == 0 for place in places)"
    claim '... with what was judged, when, and who wrote it' finds \
        "[label for label, text in f] == ['site', 'written', 'stack', 'task', 'judged', 'stack', 'in memory'] and
         'ftrace_arch_code_modify_post_process' in dict(f)['judged']"
    only machine_restart $layout
    claim '... and a whole one is none' has_status 0 and no_line '^(error|warning)' "$err"
done
finish
