#!/bin/sh
# shellcheck disable=SC2317 # check and exits call by name
#
# cycles.sh - tests of tools/cycles, and that the core models agree with their RTL.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/bench/lib.sh

cycles() { tools/cycles --build "$BUILD" --emulator "$rvftrace" "$@"; }
# A claim about its JSON, in Python: j is all of it, c one core's part.
json() {
    python3 -c 'import json, statistics, sys
j = json.load(open(sys.argv[1]))
sys.exit(not all(eval(sys.argv[2]) for c in j["cores"].values()))' "$work/cycles.json" "$1"
}

check "it measures and ends well" cycles --timing inorder --json "$work/cycles.json" --csv "$work/cycles.csv"
cp "$work/out" "$work/tables"
check "there are two cores" json 'list(j["cores"]) == ["c906", "cva6"]'
check "all that was measured is still of the same instructions" json 'not c["other_instructions"]'
check "every row was measured, of the CVA6 without the misaligned" json \
    'len(c["rows"]) >= 764 and all("misaligned" in n or "cross" in n for n in c["unmeasured"])'
check "an error is the difference by the reference" json \
    'all(abs(r["error_percent"] * r["reference"] / 100 + r["reference"] - r["cycles"]) < 1e-6 for r in c["rows"])'
check "the mean is that of the rows' absolute errors" json \
    'abs(c["mean_error_percent"]["micro"] - statistics.fmean(abs(r["error_percent"]) for r in c["rows"] if r["group"] != "workload")) < 1e-6'
check "the CSV has a line for each row" sh -c \
    "test \$(grep -c ,inorder, '$work/cycles.csv') = $(python3 -c 'import json, sys
print(sum(len(c["rows"]) for c in json.load(open(sys.argv[1]))["cores"].values()))' "$work/cycles.json")"
check "the table names the worst row" grep -q '^worst rows' "$work/tables"
cycles --timing inorder --json - >"$work/again.json" 2>/dev/null
check "the same measurement twice gives the same bytes" cmp "$work/cycles.json" "$work/again.json"
check "--row chooses" cycles --timing inorder --row 'nop4_x?' --csv -
check "those and no other" test "$(grep -c '^c906,inorder,nop4_x8,' "$work/out"),$(wc -l <"$work/out")" = 1,3

# ---- the bound ----

# The means of today: a model that gets worse fails here; one that gets better brings its bound down.
keeps() { # core, bounds of the mean errors of micro rows and of workloads
    check "the mean errors of $1 are within $2 and $3 %" python3 -c 'import json, sys
mean = json.load(open(sys.argv[1]))["cores"][sys.argv[2]]["mean_error_percent"]
print(mean)
sys.exit(mean["micro"] > float(sys.argv[3]) or mean["workload"] > float(sys.argv[4]))' "$work/models.json" "$@"
}
check "the models of both cores run" cycles --json "$work/models.json"
keeps c906 3.1 1.8
keeps cva6 2.2 1.2
told() {
    python3 -c 'import json, re, sys
for name, core in json.load(open(sys.argv[1]))["cores"].items():
    told = dict(re.findall(r"^core\.held\.(\S+) = (\d+)", open(f"cores/{name}.core").read(), re.M))
    mean = core["mean_error_percent"]
    measured = {"rows": sum(r["group"] != "workload" for r in core["rows"]), "micro-error": 100 * mean["micro"], "workload-error": 100 * mean["workload"]}
    print(name, told, measured)
    assert all(abs(int(told[key]) - value) <= 1 for key, value in measured.items())' "$work/models.json"
}
check "the core files tell these errors" told
check "a mean below the bound is well" cycles --timing inorder --core cva6 --row 'add_indep*' --fail-above 2
exits 1 "one above it is not" cycles --timing inorder --core cva6 --row 'mul_indep*' --fail-above 2

# ---- files that are not references ----

mkdir "$work/references"
damaged() { # what sed does to a reference
    sed "$1" guest/cycles/reference/cva6.txt >"$work/references/cva6.txt"
}
damaged_run() { cycles --timing inorder --references "$work/references"; }
damaged 's/^row nop4_x8 *\([0-9.]*\)/row nop4_x8 none/'
exits 65 "a reference whose figure is none" damaged_run
damaged 's/^row nop4_x8 *11.05/row nop4_x8 3.05/'
exits 65 "a row that takes what the loop takes, of which no error is a percentage" damaged_run
damaged 's/^row nop4_x8 /row nop4_x9 /'
exits 65 "a reference of a row that is not there" damaged_run
damaged '/^loop/d'
exits 65 "a reference without its loop" damaged_run
damaged 's/^mode/mood/'
exits 65 "a reference with an unknown word" damaged_run
damaged 's/^\(row nop4_x8 .*\) 10.03 /\1 11.03 /'
damaged_run >"$work/out" 2>"$work/note"
check "a figure of other instructions is left out" lacks '^nop4_x8 ' "$work/out"
check "and it says so" grep -q 'note: .*measured with other instructions.*: nop4_x8$' "$work/note"
rm "$work/references/cva6.txt"
exits 66 "no reference at all" damaged_run

exits 66 "no such core" cycles --core nonsense
exits 70 "no such timing model" cycles --timing nonsense
exits 64 "no such row" cycles --timing inorder --row nonsense
exits 64 "a bound that is no percentage" cycles --fail-above much
exits 66 "an emulator that is not there" cycles --emulator "$work/nowhere"
exits 66 "a place for the JSON that is not there" cycles --json "$work/nowhere/a.json"

exit $failed
