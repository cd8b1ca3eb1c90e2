#!/bin/sh
# report.sh - `rvftrace report` shows what `rvftrace run --report` wrote: the sums are checked by
# Python's reader of JSON and of CSV.
. "$(dirname "$0")/../machine/common.inc"

guest() { # NAME LAYOUT SCRIPT OPTION...: writes $work/NAME.json
    name=$1 layout=$2 script=$3
    shift 3
    run run "$@" --quiet --console none --harts 2 --timing ${timing:-inorder} --report "$work/$name.json" --append "script=\"$script\"" \
        --initrd "$BUILD/guest-kernel/$layout/modules.cpio" "$BUILD/guest-kernel/$layout/kernel.elf"
}

guest off mcount 'work calls 1'
claim 'a run without tracing has a report' has_status 0
guest on mcount 'insmod /lib/modules/trace_sample.ko depth=2 print=1; echo function > /sys/kernel/tracing/current_tracer; cat /proc/trace_sample; rmmod trace_sample; work calls 1'
guest pfe8 pfe8 'work calls 1' --html "$work/pfe8.html" --log "$work/pfe8.log"
timing=cva6
guest core pfe16 'echo function_graph > /sys/kernel/tracing/current_tracer; work calls 1'

# The nops of pfe8 are in no function of the debug information, and in front of all of its code.
# (GCC gives two functions of equal code one address, and with it one of their lines.)
claim 'a function has the same source line whatever its layout of sites' python3 -c "
import json
def sources(name):
    return {s['function']: (s['file'], s['line']) for s in json.load(open('$work/' + name + '.json'))['sites']
            if 'file' in s}
off, pfe8 = sources('off'), sources('pfe8')
both = off.keys() & pfe8.keys()
assert len(both) > 100, len(both)
odd = [(f, off[f], pfe8[f]) for f in both if off[f] != pfe8[f]]
assert len(odd) <= 2, odd"

# sums KEY FILE...: the CSV in $out has the sums that the JSON files have.
sums() {
    python3 - "$out" "$@" <<'END'
import collections, csv, json, sys

table, key, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
want = collections.defaultdict(lambda: collections.Counter())
for path in paths:
    with open(path) as file:
        report = json.load(file)
    for site in report["sites"]:
        if key not in ("function", "site") and site["kind"] != "function":
            continue
        name = {"function": site["function"] or site["address"], "run": path, "layout": report["layout"],
                "site": f"{site['function']} at {site['address']}" if site["function"] else site["address"],
                "file": site.get("file", "(not known)"),
                "module": (site["module"] or "(a module)") if "module" in site else "(the image)"}[key]
        row = want[name]
        for state in "init", "off", "on":
            row[f"{state}-entries"] += site[state]["entries"]
            row[f"{state}-cycles"] += site[state]["cycles"]
        row["through-cycles"] += site["on"]["through_cycles"]
        row["cost"] += site["init"]["cycles"] + site["off"]["cycles"] + site["on"]["through_cycles"]
        row["max"] = max(row["max"], site["on"]["through_max"])
        row["sites"] += 1
        for part in "issue", "fetch", "data", "branch":
            row[part] += sum(site[state]["parts"][part] for state in ("init", "off", "on"))
with open(table) as file:
    got = {row[key]: row for row in csv.DictReader(file)}
assert set(got) == set(want), sorted(set(got) ^ set(want))[:3]
for name, row in want.items():
    for column, value in row.items():
        assert int(got[name][column]) == value, (name, column, got[name][column], value)
assert sum(row["cost"] for row in want.values()) > 0
END
}
adds_up() { # KEY FILE...
    key=$1
    shift
    run report --csv --by "$key" "$@"
    has_status 0 && sums "$key" "$@"
}
for key in function site file module layout run; do
    claim "by $key: the sums of the sites of four runs" adds_up "$key" "$work/off.json" "$work/on.json" "$work/pfe8.json" "$work/core.json"
done
claim '... of which one has sites of a module' grep -q '"module":"trace_sample"' "$work/on.json"

for part in issue fetch data branch; do
    run report --csv --of trampolines --sort $part "$work/core.json"
    claim "trampolines by $part: their own cycles" python3 -c "
import csv, json
want = json.load(open('$work/core.json'))['trampolines']
got = list(csv.DictReader(open('$out')))
assert sorted(r['function'] for r in got) == sorted(t['name'] for t in want)
for t in want:
    row = [r for r in got if r['function'] == t['name']][0]
    assert int(row['cost']) == t['cycles'] == sum(t['parts'].values())
    assert int(row['entries']) == t['entries']
    assert all(int(row[p]) == t['parts'][p] for p in t['parts'])
rows = [int(r['$part']) for r in got]
assert rows == sorted(rows, reverse=True) and rows[0] > 0"
done
run report "$work/core.json"
claim 'both tables are shown' has_line '^sites:' "$out" and has_line '^trampolines:' "$out" \
    and has_line '^return_to_handler  *[1-9]' "$out"
run report --diff --sort branch "$work/pfe8.json" "$work/core.json"
claim '--diff of a part' has_line '^branch:' "$out" and has_line '^total  *- *[1-9]' "$out"
run run --console none --timing cva6 --append 'script="work calls 1"' "$mcount"
claim '... and the summary of the run says the parts' has_status 0 \
    and has_line 'cycles each \(issue 3.00, fetch [0-9.]*, data 0.00, branch 0.00\)' "$err"

run report --of jump-labels --by site "$work/core.json"
claim 'a table of jump labels, with the line of each in the function' \
    grep -q '^slab_free at 0x[0-9a-f]*  *[1-9][0-9,]* .* guest-kernel/mm/slab.c:[0-9]' "$out"

claim 'a jump label of a module is counted while the module is there' python3 -c "
import json
labels = [l for l in json.load(open('$work/on.json'))['jump_labels'] if 'module' in l]
assert [(l['module'], l['function'], l['nop']['entries'], l['jump']['entries'], l.get('gone')) for l in labels] == [
    ('trace_sample', 'sample_show', 0, 1, 1)], labels
assert labels[0]['jump']['cycles'] >= 1"

run report --of sites --top 3 --sort on-entries "$work/on.json"
claim 'a table has a head, the rows that were asked for, and a total' line_count 3 '^[a-z_]* .*[.][chS]:[0-9]' "$out" \
    and has_line '^total ' "$out" and has_line '^\(3 of ' "$out"
claim '... with the source line of each' grep -q 'guest-kernel/.*[.][ch]:[0-9]' "$out"
claim '... and says what was run' grep -q 'layout mcount, 2 harts, timing inorder, fetch stale, seed 1' "$out"
run report --function '__kmalloc*' --top 0 "$work/on.json"
claim 'a pattern leaves only functions that match' has_line '^__kmalloc ' "$out" and no_line '^fib ' "$out"
run report --csv --sort max "$work/on.json"
claim '--sort puts the greatest first' python3 -c "
import csv, sys
rows = [int(r['max']) for r in csv.DictReader(open('$out'))]
assert rows == sorted(rows, reverse=True) and rows[0] > 0"

run report --diff "$work/off.json" "$work/on.json"
sed -n '/^function/{n;p;q}' "$out" >"$work/greatest"
claim_line '--diff: the trampoline has the greatest change of cost' '^ftrace_call  *-  *[0-9,]*  *[0-9,]* ' "$work/greatest"
run report --diff --sort off-cycles "$work/off.json" "$work/off.json"
claim '... a run does not differ from itself' no_line '^[a-z_]* .*%.*[1-9]' "$out" and has_line '^total .* - ' "$out"
run report --diff --csv "$work/off.json" "$work/pfe8.json"
claim '... as CSV with all columns of both' python3 -c "
import csv, json
rows = {r['function']: r for r in csv.DictReader(open('$out'))}
for name in 'off', 'pfe8':
    for s in json.load(open('$work/' + name + '.json'))['sites']:
        column = 'off-entries-' + ('a' if name == 'off' else 'b')
        if s['function'] == 'fib':
            assert int(rows['fib'][column]) == s['off']['entries'] > 0"

run run --quiet --console none --seed 18446744073709551615 --report "$work/seed.json" \
    --append 'script="work calls 1"' "$mcount"
run report "$work/seed.json"
claim_line 'a seed of 64 bits does not keep a report from being read' '^total ' "$out"

run report
claim 'no file: told what writes one' refused 64 'no report'
run report /nonexistent
claim 'a missing file' refused 66 '/nonexistent: No such file'
run report "$work"
claim 'a directory' refused 74 ".*: Is a directory"
run report "$mcount"
claim 'a file that is no JSON' refused 65 '.*kernel.elf: no report of a run'
head -c 5000 "$work/on.json" >"$work/cut.json"
run report "$work/cut.json"
claim 'a truncated report' refused 65 '.*cut.json: no report of a run: line [0-9]+'
echo '{"a":1}' >"$work/other.json"
run report "$work/other.json"
claim 'other JSON' refused 65 '.*other.json: no report of a run'
python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); j["sites"].append(5); json.dump(j, open(sys.argv[2], "w"))
' "$work/on.json" "$work/odd.json"
run report "$work/odd.json"
claim 'one with a site that is a number' refused 65 '.*odd.json: damaged'
python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); j["sites"][0]["off"]["entries"] = 1e300; json.dump(j, open(sys.argv[2], "w"))
' "$work/on.json" "$work/vast.json"
run report --top 1 --sort off-entries "$work/vast.json"
claim 'a count beyond all counts is the greatest' grep -q '18,446,744,073,709,551,615' "$out"
sed 's/^ *"version":[0-9]*/ "version":1/' "$work/on.json" >"$work/old.json"
run report "$work/old.json"
claim 'a report of an older version' refused 65 '.*old.json: a report of another version'
run run --quiet --console none --account off --report "$work/no.json" --max-insns 10 "$mcount"
run report "$work/no.json"
claim 'one without accounting' refused 65 '.*no.json: has no costs of sites'
for wrong in '--by x' '--sort x' '--of x' '--top x' '--top -1' --frobnicate --diff; do
    # shellcheck disable=SC2086 # two words
    run report $wrong "$work/on.json"
    claim "$wrong is refused" refused 64 ".*${wrong%% *}"
done
run run --quiet --console none --harts 2 --report "$work/updates.json" --append \
    'script="echo fib > /sys/kernel/tracing/set_ftrace_filter; echo function > /sys/kernel/tracing/current_tracer"' "$mcount"
run report --of updates "$work/updates.json"
claim 'the table of updates has one with a site and the calls of the trampoline, all harts fenced' \
    grep -Eq '^ +[0-9]+ +[0-9,]+ +[0-9,]+ +3 +[0-9]+ +[2-9] .* on hart [01] +(announced|fenced) +hart [01] in patch_insn_write' "$out"
run report --of updates --csv "$work/updates.json"
claim '... and the same as CSV' python3 -c '
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
updates = json.load(open(sys.argv[2]))["updates"]
assert len(rows) == len(updates) > 1, len(rows)
assert sorted(int(r["cycles"]) for r in rows) == sorted(u["cycles"] for u in updates)
longest = max(updates, key=lambda u: u["cycles"])
assert int(rows[0]["stale-cycles"]) == max(h["stale_cycles"] for h in longest["harts"]) > 0, rows[0]
assert int(rows[0]["fences"]) == sum(h["fences"] for h in longest["harts"]) > 1, rows[0]
' "$out" "$work/updates.json"
run report --update 1 "$work/updates.json"
claim 'the timeline of an update is printed' python3 -c '
import json, sys
lines = open(sys.argv[1]).read().split("\n\nupdate 1: ")[1].splitlines()
rows = [line.split(None, 3) for line in lines[2:]]
moments = json.load(open(sys.argv[2]))["updates"][0]["timeline"]
assert lines[1].split() == ["step", "hart", "cycle"], lines[1]
assert [[int(n) for n in row[:3]] for row in rows] == [[m["step"], m["hart"], m["cycle"]] for m in moments], rows
assert [row[3] for row in rows] == [m["text"] for m in moments]
assert [m["what"] for m in moments][0] == "store" and "end" in [m["what"] for m in moments]
' "$out" "$work/updates.json"
claim '... by steps that grow over all harts, from the first store to the last' python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
for u in report["updates"]:
    steps = [m["step"] for m in u["timeline"]]
    assert steps == sorted(steps) and steps[0] == u["writer"]["step"], steps
    stores = [m for m in u["timeline"] if m["what"] == "store"]
    assert stores[-1].get("last_step", stores[-1]["step"]) == u["last_step"]
    assert sum(m.get("count", 1) for m in stores) == u["stores"]
    assert u["writer"]["step"] + u["steps"] >= u["last_step"]
assert steps[-1] <= sum(h["instructions"] for h in report["harts"])
' "$work/updates.json"
step=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["updates"][0]["last_step"])' "$work/updates.json")
stores() { # MAX-INSNS
    run run --quiet --console none --harts 2 --max-insns "$1" --report "$work/cut.json" --append \
        'script="echo fib > /sys/kernel/tracing/set_ftrace_filter; echo function > /sys/kernel/tracing/current_tracer"' "$mcount"
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["updates"][0]["stores"])' "$work/cut.json"
}
claim 'a step is a number of instructions of the machine' test "$(stores "$step")" -eq "$(($(stores "$((step + 1))") - 1))"
run report --update 99 "$work/updates.json"
claim 'an update that is not there' refused 64 '.*no update 99'
run report --update 1 "$work/updates.json" "$work/updates.json"
claim 'a timeline is of one report' refused 64 '.*--update'
run report --update 0 "$work/updates.json"
claim '... and of an update from 1 on' refused 64 '.*--update'
run report --of updates --diff "$work/updates.json" "$work/updates.json"
claim 'updates are not compared' refused 64 '.*--diff'
# A name in the report that would end the script in which the page has it.
python3 - "$work/on.json" "$work/hostile.json" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
report["run"]["bootargs"] = "</script><script>alert(1)</script><!-- \u2028"
json.dump(report, open(sys.argv[2], "w"))
END
run report --html "$work/page.html" "$work/on.json" "$work/hostile.json"
claim 'a page of two reports needs no network and has all that was executed' python3 -c '
import html.parser, json, re, sys
page = open(sys.argv[1]).read()
assert not re.search(r"(src|href)=|@import|url\((?!#)|fetch\(|XMLHttp", page), "asks for something"
assert page.count("</script>") == 3 and page.endswith("</html>\n")
class Data(html.parser.HTMLParser):
    texts, inside = [], False
    def handle_starttag(self, tag, attrs): self.inside = ("data-report", None) in attrs
    def handle_data(self, text):
        if self.inside: self.texts.append(text)
    def handle_endtag(self, tag): self.inside = False
reader = Data()
reader.feed(page)
pages = [json.loads(text) for text in reader.texts]
for shown, path in zip(pages, sys.argv[2:]):
    report = json.load(open(path))
    ran = [s for s in report["sites"] if any(s[state]["entries"] for state in ("init", "off", "on"))]
    assert shown["path"] == path and shown["run"] == report["run"]
    assert shown["sites"] == ran and len(ran) > 100, len(ran)
    assert shown["findings"] == report["findings"] and shown["updates"] == report["updates"]
assert len(pages) == 2
' "$work/page.html" "$work/on.json" "$work/hostile.json"
run report --log "$work/pfe8.log" --html "$work/later.html" "$work/pfe8.json"
claim 'run --html writes the page of its report and its log, with what the sites that were off have cost by stacks' python3 -c '
import json, re, sys
def parts(path):
    page = open(path).read()
    data = [json.loads(t) for t in re.findall(r"<script type=.application/json. [a-z-]*>(.*?)</script>", page)]
    return re.sub(r"<script type=.*?</script>", "", page), data
(page, (run, stacks)), (later, (reported, same)) = map(parts, sys.argv[1:3])
assert page == later and stacks == same
assert run.pop("path") == "rvftrace run" and reported.pop("path") == sys.argv[3] and run == reported
off = run["totals"]["off"]["cycles"]
assert off > 1000 and abs(sum(stacks["disabled"]["cycles"]) - off) <= off / 1000, (off, sum(stacks["disabled"]["cycles"]))
assert sum(stacks["all"]["cycles"]) > 20 * off and "fib" in stacks["all"]["names"]
' "$work/pfe8.html" "$work/later.html" "$work/pfe8.json"
run run --html "$work/none.html" --account off "$mcount"
claim 'run --html without the costs of sites is refused' has_status 64 and test "$(wc -l <"$err")" -eq 1 \
    and test ! -e "$work/none.html"
run report --log "$work/on.json" --html "$work/none.html" "$work/on.json"
claim 'a log that is none is refused, and no page is made' has_status 65 and test ! -e "$work/none.html"
for wrong in '--html x --csv' '--log x'; do
    # shellcheck disable=SC2086 # two words
    run report $wrong "$work/on.json"
    claim "$wrong is refused" refused 64 ".*${wrong%% *}"
done

run report --help
claim '--help names the options' has_line '--diff' "$out" and test ! -s "$err"
try "$rvftrace" report "$work/on.json" >/dev/full 2>"$err"
claim 'a full disk is an error' has_status 74 and test "$(wc -l <"$err")" -eq 1


# How a run was made is in all that it writes, and enough to make it again.
run run --harts 2 --fetch random:3 --stores random:4 --seed 7 --report "$work/made.json" --sarif "$work/made.sarif" --junit "$work/made.xml" \
    --html "$work/made.html" --log "$work/made.log" "$BUILD/guest/ipi.elf"
modes='fetch random:3, translate stale, stores random:4, seed 7'
claim 'the text names the modes' has_line "^modes: $modes$" "$err"
run log "$work/made.log"
claim '... so does the log' has_line ", $modes$" "$out" and has_line '^  again: rvftrace run .*--stores random:4 .*ipi.elf$' "$out"
claim '... and each report' has_line "\"modes\":\"$modes\"" "$work/made.json" and has_line "\"modes\": *\"$modes\"" "$work/made.sarif" \
    and has_line "property name=\"modes\" value=\"$modes\"" "$work/made.xml" and has_line "$modes" "$work/made.html"
printf 'info machine\n' >"$work/commands"
run debug --batch --commands "$work/commands" --stores random:4 "$BUILD/guest/ipi.elf"
claim '... and the debugger' has_line '^modes: fetch stale, translate stale, stores random:4, seed 1$' "$out"
claim 'the command of a report makes the same run' python3 - "$work/made.json" "$rvftrace" "$work/again.json" <<'PY'
import json, subprocess, sys
command = json.load(open(sys.argv[1]))["run"]["command"]
subprocess.run([sys.argv[2], "run", "--quiet", "--report", sys.argv[3], *command[2:]], check=True, stdout=subprocess.DEVNULL)
assert open(sys.argv[1]).read() == open(sys.argv[3]).read()
PY
run run -q --report "$work/one.json" "$programs/selfpatch.elf"
run report "$work/one.json"
claim_line 'one error is not many' 'audit: 1 error, 0 warnings' "$out"
finish
