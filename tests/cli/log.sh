#!/bin/sh
# log.sh - the event log of a run (--log): the run does not notice it, all of it is there, it can be
# shown, filtered and converted, and what was cut is read up to its last frame.
. "$(dirname "$0")/../machine/common.inc"

T=/sys/kernel/tracing
demo="script=\"work calls 1; echo function > $T/current_tracer; ps | cat; \
echo function_graph > $T/current_tracer; work tree 1; echo nop > $T/current_tracer\""
log=$work/run.log

run run --harts 2 --append "$demo" --report "$work/plain.json" --rows 1000 "$mcount"
mv "$out" "$work/plain.out" && mv "$err" "$work/plain.err"
run run --harts 2 --append "$demo" --report "$work/r.json" --rows 1000 --log "$log" --trace "$work/trace.json" "$mcount"
claim 'a run with --log says the same' cmp "$out" "$work/plain.out" and cmp "$err" "$work/plain.err"
claim '... and is the same, to the last cycle' cmp "$work/r.json" "$work/plain.json"
cp "$log" "$work/first.log"
cp "$out" "$work/console"
# Where there is one processor, the machine's thread writes the log, too.
processor=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
try timeout 300 taskset -c "$processor" "$rvftrace" run --quiet --harts 2 --append "$demo" --log "$log" "$mcount" </dev/null >"$out" 2>"$err"
claim 'the same run gives the same bytes, also on one processor' has_status 0 and cmp "$work/first.log" "$log"

run log --to chrome -o "$work/converted.json" "$log"
claim 'the log converts to what --trace writes' cmp "$work/trace.json" "$work/converted.json"
run log "$log"
claim 'the summary has no message' has_status 0 and test ! -s "$err"
cp "$out" "$work/summary"

run log --to folded-disabled -o "$work/folded" "$log"
run log --to code -o "$work/code" "$log"
run log --to csv -o "$work/log.csv" "$log"
claims_of python3 - "$work/log.csv" "$work/r.json" "$work/summary" "$work/console" "$work/folded" "$work/code" <<'PY'
"""What is in the CSV, against the report and the console."""
import collections, csv, json, re, sys
from claims import claim, finish

rows = list(csv.DictReader(open(sys.argv[1])))
report = json.load(open(sys.argv[2]))
words = open(sys.argv[3]).read()
console = open(sys.argv[4], "rb").read()
of = collections.defaultdict(list)
for row in rows:
    of[row["event"]].append(row)
kinds = {kind: len(some) for kind, some in of.items()}
sites = [s for s in report["sites"] if s["kind"] == "function"]
calls = collections.Counter((c["name"], c["state"]) for c in of["call"] if c["state"])
entries = collections.Counter()
for site in sites:
    for state in "init", "off", "on":
        entries[site["function"], state] += site[state]["entries"]
cost = {state: [sum(s[state][what] for s in sites) for what in ("entries", "cycles")]
        for state in ("init", "off", "on")}
trampoline = sum(s["on"]["entries"] for s in report["sites"] if s["kind"] != "function")
folded = [line.rsplit(" ", 1) for line in open(sys.argv[5])]
of_function = collections.Counter()
for path, cycles in folded:
    of_function[path.rsplit(";", 1)[1]] += int(cycles)
code = open(sys.argv[6]).read()
updates = [re.search(r"(\d+) stores, (\d+) patches", row["details"]).groups() for row in of["update"]]
last = {row["name"]: row["state"] for row in of["store"] if row["name"]}
clocks = {(hart, clock): [int(row[clock]) for row in rows if row["hart"] == hart]
          for hart in "01" for clock in ("cycle", "instret")}
for sentence, holds in (
        ("each entry of a site is a call, in the state that the report has it in", calls == +entries and calls),
        ("each call has its end", kinds["call"] == kinds["return"] > 1000),
        ("each patch of a site, and its last state", set(last.values()) == {"off", "on"} and
         {s["function"] for s in sites} <= set(last) and kinds["store"] > 6000),
        ("what the sites have cost is in the summary", all(
            re.search(rf"(?m)^  {state} +{entries:,} entries +{cycles:,} cycles$", words)
            for state, (entries, cycles) in cost.items())),
        ("... the trampoline's own apart", trampoline and re.search(
            rf"(?m)^  on +{trampoline:,} entries .* cycles, of the trampoline's own sites$", words)),
        ("... and by stacks, site by site", len(folded) > 300 and of_function == +collections.Counter(
            {name: sum(s["off"]["cycles"] for s in sites if s["function"] == name) for name in of_function}) and
         sum(of_function.values()) == sum(s["off"]["cycles"] for s in sites)),
        ("the code of what was called", {name for (name, state), n in calls.items()} <=
         set(re.findall(r"(?m)^(\w\S*): .* calls? while its site was", code)) and
         re.search(r"(?m)^tree_insert: .*\n +[0-9a-f]+:  [0-9a-f]{4} +addi\tsp,sp,-", code)),
        ("the updates", updates == [(str(u["stores"]), str(u["patches"])) for u in report["updates"]] and updates),
        ("what the guest has printed",
         "".join(row["details"] for row in of["console"]).count("\\n") == console.count(b"\n")),
        ("tasks, traps and idle time", {"ps", "cat", "sh"} <= {row["task"] for row in of["switch"]} and
         kinds["trap"] > 50 and kinds["idle"] - kinds["woken"] in (0, 1, 2) and kinds["idle"] > 5),
        ("the clocks of each hart go on", all(a <= b for times in clocks.values() for a, b in zip(times, times[1:]))),
        ("an event takes less than 4 bytes", float(re.search(r"([\d.]+) bytes each", words).group(1)) < 4),
        ("the summary counts the same", all(re.search(rf"(?m)^  {re.escape(kind)} +{n:,}$", words)
                                            for kind, n in kinds.items()))):
    claim(sentence, holds)
finish()
PY

# A session that goes back, forward to a later state, and back again: in the end the log has the run once.
printf '%s\n' 'goto 1000000' checkpoint 'continue 1500000' 'reverse-stepi 100' 'goto 4000000' checkpoint 'goto 500000' \
    'goto 2000000' 'restart 2' 'continue 100000' 'restart 1' 'stepi 10' reverse-continue continue >"$work/commands"
run debug --quiet --harts 2 --append "$demo" --commands "$work/commands" --log "$work/back.log" --trace "$work/back.json" \
    "$mcount"
claim 'a log goes back with the debugger' has_status 0 and has_line '^reverse-stepi' "$out" and has_line '^restart' "$out"
claim '... and the trace that is made of it' cmp "$work/back.json" "$work/trace.json"
run log --list "$log"
cp "$out" "$work/list"
run log --list "$work/back.log"
same_events() { sed 1d "$out" >"$work/its" && sed 1d "$work/list" | cmp - "$work/its" && has_status 0; }
claim '... its events are those of the run without a debugger' same_events
head -c -1 "$work/back.log" >"$work/cut"
run log --list "$work/cut"
claim '... also if it has to be read without its index' same_events
claim '... which one line says' test "$(wc -l <"$err")" -eq 1 and has_line 'warning: .*cut: has no valid index at its end' "$err"

# lines_of OPTION...: lines of the list.
lines_of() { run log --list "$@" "$log" && has_status 0 && says_nothing && sed -i 1d "$out"; }
lines_of --function tree_insert
# all_match LEAST PATTERN: the output has at least LEAST lines, and all of them match.
all_match() { [ "$(wc -l <"$out")" -ge "$1" ] && line_count "$(wc -l <"$out")" "$2" "$out"; }
claim '--function' all_match 1 'tree_insert|ftrace_caller'
lines_of --hart 1
claim '--hart' all_match 1000 '^ *[0-9]+ +[0-9]+ +1 | return '
lines_of --task 'ca?'
claim '--task' all_match 100 ' cat-[0-9]* | open after '
# A stretch of 100,000 cycles from the middle event on, which is not idle.
middle=$(sed -n "$(($(wc -l <"$work/log.csv") / 2)){s/,.*//p;q}" "$work/log.csv")
lines_of --from "$middle" --until $((middle + 100000))
claim '--from and --until' python3 -c "
times = [int(line.split()[0]) for line in open('$out')]
assert times and min(times) >= $middle and max(times) <= $middle + 100000"
# Steps grow over all harts, in the order of the events; cycles do not.
steps_grow() { awk '{ bad += $2 < last; last = $2; back += $1 < cycle; cycle = $1 } END { exit bad || !back || !last }' "$work/list"; }
sed 1d "$work/list" >"$work/lines" && mv "$work/lines" "$work/list"
claim 'an event has a later step than those before it, whatever its hart' steps_grow
step=$(sed -n "$(($(wc -l <"$work/list") / 2))p" "$work/list" | awk '{ print $2 }')
lines_of --from "step:$step" --until "step:$((step + 20000))"
claim '--from and --until with steps' python3 -c "
steps = [int(line.split()[1]) for line in open('$out')]
assert steps and min(steps) >= $step and max(steps) <= $step + 20000"
claim 'JSON and CSV have the same steps' python3 -c "
import csv, json
of_csv = [int(row['step']) for row in csv.DictReader(open('$work/log.csv')) if row['event'] == 'call']
of_json = [e['args']['step'] for e in json.load(open('$work/trace.json')) if e['ph'] == 'B']
assert of_csv == of_json and of_csv"
run log --hart 1 --to chrome -o "$work/part.json" "$log"
claim 'a part converts, too' python3 -m json.tool "$work/part.json" "$work/pretty"

# Calls as function_graph prints them, and those around one function.
run log --calls -o "$work/calls" "$log"
run log --calls --min-cycles 2000 --depth 2 -o "$work/long" "$log"
run log --graph 'tree_insert' -o "$work/graph" "$log"
claims_of python3 - "$work/log.csv" "$work/calls" "$work/long" "$work/graph" <<'PY'
import collections, csv, re, sys
from claims import claim, finish

rows = list(csv.DictReader(open(sys.argv[1])))
returns = [r for r in rows if r["event"] == "return"]
form = re.compile(r" *(\d+) +(\d+)  (\S.*?) +(?:([\d.]+) us)? *\| ( *)(.*)$")
lines = [form.match(l) for l in open(sys.argv[2]).read().splitlines()[1:]]
claim("--calls: a line of a known form for each call, and one for the end of each with calls in it", lines and all(lines),
      [l for l in open(sys.argv[2]).read().splitlines()[1:] if not form.match(l)][:3])
ends = collections.Counter(round(float(m[4]) * 1000) for m in lines if m[4])
claim("... with the durations that the events have", ends == collections.Counter(int(r["duration"]) for r in returns),
      (ends - collections.Counter(int(r["duration"]) for r in returns)))
depth, bad = collections.defaultdict(list), []
for m in lines:
    text, indent, stack = m[6], len(m[5]) // 2, depth[m[3]]
    if text.startswith("}"):
        name = stack.pop() if stack else None
        bad += [m[0]] if not name or f"/* {name[0]}" not in text or name[1] != indent else []
    elif "{" in text and "not ended" not in text:
        stack.append((text.split("()")[0], indent))
claim("... and each end closes the call that was opened at that depth in its task", not bad and not any(depth.values()), bad[:3])
long = [form.match(l) for l in open(sys.argv[3]).read().splitlines()[1:]]
claim("--min-cycles and --depth leave out what is shorter and deeper",
      long and all(len(m[5]) <= 2 and (not m[4] or float(m[4]) >= 2) for m in long) and 0 < len(long) < len(lines), len(long))
graph = open(sys.argv[4]).read()
mine = [r for r in returns if r["name"] == "tree_insert"]
claim("--graph: how often, and how long", graph.startswith(f"tree_insert: {len(mine)} calls, {sum(int(r['duration']) for r in mine)} cycles"), graph[:200])
callers = collections.Counter(re.search(r" from (\S+)\+0x", r["details"])[1] for r in rows if r["event"] == "call" and r["name"] == "tree_insert")
claim("... and from where", all(re.search(rf"^  {name} +{count} ", graph, re.M) for name, count in callers.items()) and callers, (callers, graph))
finish()
PY
run log --depth 3 "$log"
claim '--depth needs --calls' refused 64 '--depth and --min-cycles are for --calls'
run log --calls --list "$log"
claim 'one way to show a log at a time' refused 64 '--list, --calls, --graph and --to: give one of them'

# What is wrong with a file or a request is one line.
run log
claim 'no file' refused 64 'no log; '
run log --to nothing "$log"
claim 'no such format' refused 64 "--to: invalid value .nothing.: expected one of chrome, csv"
run log --from -1 "$log"
claim 'no such cycle' refused 64 '--from: invalid value'
run log "$work/none"
claim 'no such file' refused 66 '.*none: No such file'
run log --from step: "$log"
claim 'no such step' refused 64 '--from: invalid value'
# log-1.log: of `rvftrace run --harts 2 --log log-1.log build/guest/ipi.elf', by the last rvftrace that wrote version 1.
run log --list tests/cli/log-1.log
claim 'a log of version 1 is read' has_status 0 and says_nothing and line_count 5 'console +answered [1-5]' "$out" and line_count 56 '^ +[0-9]+ +- +[01] ' "$out"
run log --from step:1 tests/cli/log-1.log
claim '... and has no steps' refused 65 'tests/cli/log-1.log: its events have no steps'
{ head -c 8 "$log" && printf '\004' && tail -c +10 "$log"; } >"$work/newer"
run log "$work/newer"
claim 'a log of a later version is refused' refused 65 '.*newer: is a log of version 4; this rvftrace reads 1 to 3'
run log "$mcount"
claim 'a foreign file' refused 65 '.*: is not an event log of rvftrace'
size=$(wc -c <"$log")
head -c $((size * 3 / 4)) "$log" >"$work/cut"
run log "$work/cut"
claim 'a cut log is read, and one line says so' has_status 0 and test "$(wc -l <"$err")" -eq 1 \
    and has_line 'warning: .*cut: was not ended: the run was killed' "$err" and has_line '^events:' "$out"
cp "$log" "$work/changed" && printf 'x' | dd of="$work/changed" bs=1 seek=$((size * 3 / 4)) conv=notrunc 2>/dev/null
run log "$work/changed"
claim 'a changed one is status 65' has_status 65
claim '... and one line' says_one_line '.*changed: is damaged .*at byte [0-9]*; read up to there'
run run --quiet --append "$demo" --log /dev/full "$mcount"
claim 'a full disk is status 74' has_status 74
claim '... and one line' says_one_line '/dev/full: No space left on device; the log ends'
run run --quiet --console none --save "$work/saved" --save-at 5M --append 'script="work calls 1"' "$mcount"
run run --quiet --console none --restore "$work/saved" --log "$work/later.log"
run log --to csv -o "$work/later.csv" "$work/later.log"
run log "$work/later.log"
claim 'sites are counted from where a restored run goes on' python3 -c "
import csv, re
calls = sum(row['event'] == 'call' and row['state'] == 'off' for row in csv.DictReader(open('$work/later.csv')))
entries = re.search(r'(?m)^  off +([\d,]+) entries', open('$out').read()).group(1)
assert calls > 1000 and int(entries.replace(',', '')) == calls"
run log --list "$work/later.log"
cp "$out" "$work/later"
printf '%s\n' 'continue 1000000' "restore $work/saved" continue >"$work/commands"
run debug --quiet --console none --commands "$work/commands" --log "$work/again.log" --append 'script="work calls 1"' "$mcount"
run log --list "$work/again.log"
tail -n +2 "$out" >"$work/its"
tail -n +2 "$work/later" >"$work/theirs"
claim 'another run that is restored in a session begins the log again' \
    test "$(wc -l <"$out")" -gt 1000 and cmp "$work/its" "$work/theirs"
run run --quiet --console none --log /dev/null --trace "$work/t.json" --max-insns 1 "$mcount"
claim '--trace cannot be made of a log that cannot be read' refused 74 '/dev/null: --trace reads the log'
run run --quiet --console none --log - --trace "$work/beside" --function fib "$mcount" --append 'script="work calls 1"'
claim '--log - is standard output' has_status 0
claim '... and a trace can be made of it there' has_line "\"name\":\"fib\"" "$work/beside"
cp "$out" "$work/standard.log"
run log "$work/standard.log"
claim '... a log of the run' has_status 0 and has_line 'ended: exit' "$out"

: >"$log.part"
"$rvftrace" run --quiet --console none --append 'script="work threads 100000"' --log "$log" "$mcount" </dev/null &
pid=$!
tries=0
while [ "$(wc -c <"$log.part")" -lt 900000 ] && [ $((tries += 1)) -lt 300 ]; do sleep 0.1; done
kill -KILL $pid
wait_killed $pid 2>"$work/why"
claim 'after SIGKILL the former log is still there' has_status 137 and cmp "$work/first.log" "$log"
run log "$log.part"
claim '... and the frames that were written, beside it, can be read' has_status 0 and has_line 'was not ended' "$err" \
    and test "$(sed -n 's/^  call *//p' "$out" | tr -d ,)" -gt 100000
run log --to folded-disabled "$log.part"
claim '... but does not have the costs of its sites' refused 65 '.*: does not have the costs of its sites'

run run --quiet --harts 2 --audit=warn --findings full --log "$work/broken.log" --append 'script="work calls 10000 &
    sleep 0.01; echo fib > /sys/kernel/tracing/set_ftrace_filter;
    echo function > /sys/kernel/tracing/current_tracer; wait"' "$BUILD/guest-kernel/mcount-no-remote-fence/kernel.elf"
cp "$err" "$work/findings"
run log "$work/broken.log"
claim 'a finding is in the log, with its evidence' has_line 'error: missing-remote-fence' "$out" \
    and has_line 'in memory auipc' "$out" and has_line '^  stale ' "$out"
# The facts of each finding, one space after the label; the log has a call stack in one line.
facts_in_log() { sed -n '/^findings:/,$s/^    \([a-z]\)/\1/p' "$out"; }
facts_of_run() { tr '\n' '\t' <"$work/findings" | sed 's/\t  *<- / <- /g' | tr '\t' '\n' | sed -n 's/^  \([a-z]\)/\1/p' | grep -Ev '^(times|also|timeline|remedy) ' | tr -s ' '; }
same_facts() { facts_in_log | tr -s ' ' >"$work/logged" && facts_of_run | cmp - "$work/logged"; }
claim '... which is that of the run: both words that the hart executed were nops' \
    has_line '^    executed nop; nop  [(]13 00 00 00 13 00 00 00[)]' "$out"
claim '... and so are all of its facts' same_facts

# A finding for each cause: 501 of them in causes.elf, and the log has those that the run keeps.
for max in 100 2; do
    run run --quiet --firmware none --max-insns 5M --findings-max "$max" --report "$work/r.json" \
        --log "$work/causes.log" "$BUILD/guest/hostile/causes.elf"
    run log --list "$work/causes.log"
    claim "of many causes the log has the $max findings of the report, each once" python3 - "$work/r.json" "$out" "$max" <<'PY'
import json, re, sys
logged = re.findall(r"(?m) finding +(\d+), ", open(sys.argv[2]).read())
kept = len(json.load(open(sys.argv[1]))["findings"])
sys.exit(not (kept == int(sys.argv[3]) and logged == [str(n + 1) for n in range(kept)]))
PY
done

run run --quiet --log "$work/remap.log" "$BUILD/guest/remap.elf"
run log --list "$work/remap.log"
claim 'a stale translation is in the log' has_line 'stale-translation old entry at main.*: load of 0x40000000 .*, old 0x80001000, in the tables 0x80002000, written by hart 0 at main' "$out"
finish
