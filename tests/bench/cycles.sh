#!/bin/sh
# shellcheck disable=SC2317 # claim and exits call by name
#
# cycles.sh - tests of tools/cycles, and that the core models agree with their RTL.
. "$(dirname "$0")/lib.sh"

cycles() { tools/cycles --build "$BUILD" --emulator "$rvftrace" "$@"; }
# A claim about its JSON, in Python: j is all of it, c one core's part.
json() {
    python3 -c 'import json, statistics, sys
j = json.load(open(sys.argv[1]))
sys.exit(not all(eval(sys.argv[2]) for c in j["cores"].values()))' "$work/cycles.json" "$1"
}

claim "it measures and ends well" exits 0 cycles --timing inorder --json "$work/cycles.json" --csv "$work/cycles.csv"
cp "$out" "$work/tables"
claim "there are four cores" json 'list(j["cores"]) == ["c906", "c910", "cva6", "rocket"]'
claim "all that was measured is still of the same instructions" json 'not c["other_instructions"]'
claim "every row was measured, of the CVA6 and Rocket without the misaligned; workloads of branches on the C910 alone" json \
    'len(c["rows"]) >= 764 and all("misaligned" in n or "cross" in n or n.removesuffix("_first") in ("perms", "dates", "stackm", "tokens") for n in c["unmeasured"])'
claim "an error is the difference by the reference" json \
    'all(abs(r["error_percent"] * r["reference"] / 100 + r["reference"] - r["cycles"]) < 1e-6 for r in c["rows"])'
claim "the mean is that of the rows' absolute errors" json \
    'abs(c["mean_error_percent"]["micro"] - statistics.fmean(abs(r["error_percent"]) for r in c["rows"] if r["group"] != "workload")) < 1e-6'
claim "the CSV has a line for each row" test "$(grep -c ,inorder, "$work/cycles.csv")" = "$(python3 -c 'import json, sys
print(sum(len(c["rows"]) for c in json.load(open(sys.argv[1]))["cores"].values()))' "$work/cycles.json")"
claim_line "the table names the worst row" '^worst rows' "$work/tables"
claim "the same measurement twice gives the same bytes" exits 0 cycles --timing inorder --json - and cmp "$work/cycles.json" "$out"
claim "--row chooses" exits 0 cycles --timing inorder --row 'nop4_x?' --csv -
claim "those and no other" test "$(grep -c '^c906,inorder,nop4_x8,' "$out"),$(wc -l <"$out")" = 1,5

# ---- the bound ----

# The means of today: a model that gets worse fails here; one that gets better brings its bound down.
keeps() { # core, bounds of the mean errors of micro rows and of workloads
    claim "the mean errors of $1 are within $2 and $3 %" python3 -c 'import json, sys
mean = json.load(open(sys.argv[1]))["cores"][sys.argv[2]]["mean_error_percent"]
print(mean)
sys.exit(mean["micro"] > float(sys.argv[3]) or mean.get("workload", 0) > float(sys.argv[4]))' "$work/models.json" "$@"
}
claim "the models of all cores run" exits 0 cycles --json "$work/models.json"
keeps c906 3.1 1.8
keeps cva6 2.3 1.2
keeps c910 6.0 4.6
keeps rocket 3.3 1.9
named() {
    python3 -c 'import fnmatch, json, re, sys
text = open("docs/cores.md").read()
known = re.findall(r"`([\w@*]+)`", text[text.index("What it does not know:"):text.index("## How a file is written")])
rows = {r["name"]: r["error_percent"] for r in json.load(open(sys.argv[1]))["cores"]["c910"]["rows"]}
far = {name: error for name, error in rows.items() if abs(error) > 25}
missing = {name for name in far if not any(fnmatch.fnmatch(name, k) for k in known)}
print(far, missing)
sys.exit(not far or bool(missing))' "$work/models.json"
}
claim "the document names the rows of the c910 that are further off than 25 %" named
told() {
    python3 -c 'import json, re, sys
for name, core in json.load(open(sys.argv[1]))["cores"].items():
    told = dict(re.findall(r"^core\.held\.(\S+) = (\d+)", open(f"cores/{name}.core").read(), re.M))
    mean = core["mean_error_percent"]
    measured = {"rows": sum(r["group"] != "workload" for r in core["rows"]), "micro-error": 100 * mean["micro"]}
    measured |= {"workload-error": 100 * mean["workload"]} if "workload" in mean else {}
    print(name, told, measured)
    assert all(abs(int(told[key]) - value) <= 1 for key, value in measured.items())' "$work/models.json"
}
claim "the core files tell these errors" told
claim "a mean below the bound is well" exits 0 cycles --timing inorder --core cva6 --row 'add_indep*' --fail-above 2
claim "one above it is not: exit status 1" exits 1 cycles --timing inorder --core cva6 --row 'mul_indep*' --fail-above 2

# ---- files that are not references ----

mkdir "$work/references"
damaged() { # what sed does to a reference
    sed "$1" guest/cycles/reference/cva6.txt >"$work/references/cva6.txt"
}
damaged_run() { cycles --timing inorder --references "$work/references"; }
damaged 's/^row nop4_x8 *\([0-9.]*\)/row nop4_x8 none/'
claim "a reference whose figure is none: exit status 65" exits 65 damaged_run
damaged 's/^row nop4_x8 *11.05/row nop4_x8 3.05/'
claim "a row that takes what the loop takes, of which no error is a percentage: exit status 65" exits 65 damaged_run
damaged 's/^row nop4_x8 /row nop4_x9 /'
claim "a reference of a row that is not there: exit status 65" exits 65 damaged_run
damaged '/^loop/d'
claim "a reference without its loop: exit status 65" exits 65 damaged_run
damaged 's/^mode/mood/'
claim "a reference with an unknown word: exit status 65" exits 65 damaged_run
damaged 's/^\(row nop4_x8 .*\) 10.03 /\1 11.03 /'
try damaged_run >"$out" 2>"$work/note"
claim "a figure of other instructions is left out" has_status 0 and no_line '^nop4_x8 ' "$out"
claim_line "and it says so" 'note: .*measured with other instructions.*: nop4_x8$' "$work/note"
rm "$work/references/cva6.txt"
claim "no reference at all: exit status 66" exits 66 damaged_run

claim "no such core: exit status 66" exits 66 cycles --core nonsense
claim "no such timing model: exit status 70" exits 70 cycles --timing nonsense
claim "no such row: exit status 64" exits 64 cycles --timing inorder --row nonsense
claim "a bound that is no percentage: exit status 64" exits 64 cycles --fail-above much
claim "an emulator that is not there: exit status 66" exits 66 cycles --emulator "$work/nowhere"
claim "a place for the JSON that is not there: exit status 66" exits 66 cycles --json "$work/nowhere/a.json"

finish
