#!/bin/sh
# exports.sh - what `rvftrace log --to` writes, read by Python: sums, nesting and forms. The programs that
# the formats are for open them in export_tools.py (make check-long).
. "$(dirname "$0")/../machine/common.inc"

log=$work/run.log
run run --quiet --harts 2 --log "$log" --append 'script="ps | cat"' "$mcount"
for form in csv folded flamegraph perfetto vcd trace-dat trace-dat-7 trace-dat-function perf kallsyms; do
    case $form in
    trace-dat*) file=$work/$form.dat ;;
    *) file=$work/$form ;;
    esac
    run log --to $form -o "$file" "$log"
    claim "$form: no message" has_status 0 and test ! -s "$err" and test -s "$file"
    run log --to $form "$log"
    claim '... and the same on standard output' cmp "$out" "$file"
done
run log --to trace-dat -o "$work/nameless" "$log"
claim 'trace.dat by another name has a warning' has_status 0 and test "$(wc -l <"$err")" -eq 1 and has_line 'nameless: KernelShark opens only files whose names end with .dat' "$err"
run log --to chrome -o "$work/chrome" "$log"
run log --to chrome --until 15M -o "$work/cut" "$log"
run log "$log"
claims_of python3 - "$work" "$out" <<'PY'
import collections, csv, json, re, struct, sys
import xml.etree.ElementTree as xml
from claims import claim, finish

work, summary = sys.argv[1], open(sys.argv[2]).read()
rows = list(csv.DictReader(open(f"{work}/csv")))
calls = sum(row["event"] == "call" for row in rows)
functions = sum(row["event"] == "call" and row["state"] != "" for row in rows)

harts = [[int(n.replace(",", "")) for n in re.findall(r"[\d,]+", line)] for line in
         re.search(r"longest stale\n((?:\d.*\n)+)", summary).group(1).splitlines()]
cycles = sum(sum(hart[1:4]) for hart in harts)
stacks = [line.rsplit(" ", 1) for line in open(f"{work}/folded").read().splitlines()]
folded = sum(int(n) for _, n in stacks)

svg = xml.parse(f"{work}/flamegraph").getroot()
space = "{http://www.w3.org/2000/svg}"
bars = [(float(g.find(space + "rect").get("x")), float(g.find(space + "rect").get("width")),
         float(g.find(space + "rect").get("y")), g.find(space + "title").text) for g in svg.findall(space + "g")]
below = {}
for x, width, y, title in bars:
    below.setdefault(y, []).append((x, x + width))
rows_of_bars = sorted(below, reverse=True)
inside = all(any(a - 0.02 <= x and end <= b + 0.02 for a, b in below[lower])
             for lower, upper in zip(rows_of_bars, rows_of_bars[1:]) for x, end in below[upper])


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 1:
            yield key >> 3, struct.unpack_from("<Q", data, at)[0]
            at += 8
        elif key & 7:
            size, at = number(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        else:
            value, at = number(data, at)
            yield key >> 3, value


open_slices, slices, names, nested, begun, over = {}, 0, {}, True, set(), set()
for _, packet in fields(open(f"{work}/perfetto", "rb").read()):
    packet = dict(fields(packet))
    for kind, text in fields(packet.get(12, b"")):
        if kind == 2:
            entry = dict(fields(text))
            names[entry[1]] = entry[2].decode()
    if 11 in packet:
        event = dict(fields(packet[11]))
        begun |= {value for kind, value in fields(packet[11]) if kind == 47}
        over |= {value for kind, value in fields(packet[11]) if kind == 48}
        if event[9] == 1:
            nested &= event.get(10, 0) in names or 23 in event
            open_slices.setdefault(event[11], []).append(packet[8])
            slices += 1
        elif event[9] == 2:
            nested &= bool(open_slices.get(event[11])) and open_slices[event[11]].pop() <= packet[8]

time, ids, changes, ordered = 0, set(), 0, True
for line in open(f"{work}/vcd"):
    if line.startswith("$var"):
        ids.add(line.split()[3])
    elif line[0] == "#":
        ordered &= int(line[1:]) >= time
        time = int(line[1:])
    elif line[0] in "b01":
        ordered &= (line.split()[1] if line[0] == "b" else line[1:].strip()) in ids
        changes += 1


def entries(data, cpus):
    """Types of the entries in the pages of a trace.dat, from the table of (offset, size) of each hart."""
    found = []
    for offset, size in cpus:
        for page in range(offset, offset + size, 4096):
            time, commit = struct.unpack_from("<QQ", data, page)
            at, end = page + 16, page + 16 + commit
            while at < end:
                head, = struct.unpack_from("<I", data, at)
                kind, at = head & 31, at + 4
                if kind == 30:
                    at += 4
                    continue
                size_of = kind * 4
                if not kind:
                    size_of, at = struct.unpack_from("<I", data, at)[0] - 4, at + 4
                found.append(struct.unpack_from("<H", data, at)[0])
                at += size_of
            assert at == end
    return found


def tracks_of(file):
    """Of a Chrome trace: the names and pids of each track, whether calls are nested by name, how many are left open."""
    open_calls, track_names, pids, nested = {}, {}, {}, True
    for e in json.load(open(f"{work}/{file}")):
        stack = open_calls.setdefault(e.get("tid"), [])
        if e["ph"] == "B":
            stack.append(e)
            pids.setdefault(e["tid"], collections.Counter())[e["args"].get("pid")] += 1
        elif e["ph"] == "E":
            nested &= bool(stack) and stack[-1]["name"] == e["name"] and stack.pop()["ts"] <= e["ts"]
        elif e["name"] == "thread_name":
            track_names.setdefault(e["tid"], []).append(e["args"]["name"])
    return track_names, pids, nested, sum(map(len, open_calls.values()))


chrome = json.load(open(f"{work}/chrome"))
flows, code = collections.defaultdict(list), [e for e in chrome if e["ph"] == "X"]
for e in chrome:
    if e["ph"] in "stf":
        flows[e["id"]].append((e["ph"], e["ts"], e["tid"]))
fences = {(e["ts"], e["tid"]) for e in code if e["name"] == "fence.i"}
stores = {(e["ts"], e["tid"]) for e in code if e["name"] == "store"}
arrows = [f for f in flows.values() if f[-1][0] == "f"]
track_names, track_pids, chrome_nested, chrome_open = tracks_of("chrome")
cut = tracks_of("cut")
of_tasks = [{name.rsplit("-", 1)[1] for name in track_names[t]} for t in track_names if "-" in track_names[t][0]]
elsewhere = sum(n for t in track_pids for pid, n in track_pids[t].items()
                if "-" in track_names[t][-1] and track_names[t][-1].rsplit("-", 1)[1] != str(pid))
data = open(f"{work}/trace-dat.dat", "rb").read()
saved = re.search(rb"((?:\d+ [^\n\0]+\n)+)\Z", data[:data.index(b"options  ") - 4])
comms = [line.split(" ", 1) for line in saved.group(1).decode().splitlines()]
newest = {}
for row in rows:
    if row["pid"]:
        newest[row["pid"]] = row["task"]
table = data.index(b"flyrecord\0") + 10
graph = entries(data, [struct.unpack_from("<QQ", data, table + 16 * i) for i in range(2)])
for sentence, holds in (
        ("folded stacks have all cycles of the harts", folded == cycles > 1000000),
        ("... below tasks", {"cat", "ps", "sh"} <= {stack.split(";")[0].split("-")[0] for stack, _ in stacks}),
        ("the flame graph has the same cycles", f"all: {folded:,} cycles, 100.00 %" in {bar[3] for bar in bars}),
        ("... and each bar is above that of its caller", inside and len(bars) > 100),
        ("Perfetto: each call is a slice that ends, with a name", slices == calls > 1000 and nested and
         not any(open_slices.values())),
        ("the states of the harts are in order", ordered and changes > 1000 and len(ids) == 8),
        ("Chrome: an end has the name of its begin, and each begin has one", chrome_nested and not chrome_open),
        ("... also in a part of a log", cut[2] and not cut[3]),
        ("... and a track has the calls of one pid", all(len(pids) == 1 for pids in of_tasks) and len(of_tasks) > 5 and elsewhere < 20),
        ("Chrome: each store to code, fence.i and stale fetch is a slice of its hart", len(stores) > 100 and
         len(code) == sum(row["event"] in ("store", "fence.i", "stale") for row in rows)),
        ("... with an arrow from a store to each hart's next fence.i", len(arrows) > 100 and
         all(f[0][0] == "s" and f[0][1:] in stores and f[-1][1:] in fences for f in arrows)),
        ("Perfetto: the same arrows", (len(begun), len(over)) == (len(flows), len(arrows)) and over <= begun),
        ("trace.dat: a pid has one name, its newest", len(comms) > 4 and dict(comms).get("1") == "sh" and
         len({pid for pid, _ in comms}) == len(comms) and all(newest.get(pid, comm) == comm for pid, comm in comms)),
        ("trace.dat: each call of a function is an entry", graph.count(11) == functions > 1000),
        ("perf.data is one", open(f"{work}/perf", "rb").read(16) == b"PERFILE2" + struct.pack("<Q", 104)),
        ("kallsyms has the functions", " t do_trap_exception\n" in open(f"{work}/kallsyms").read())):
    claim(sentence, holds)
finish()
PY
run log --to flamegraph --task cat --from 1M -o "$work/part.svg" "$log"
claim 'a part of a log has a flame graph' python3 -c "
import xml.etree.ElementTree as xml
assert len(xml.parse('$work/part.svg').getroot()) > 20"
finish
