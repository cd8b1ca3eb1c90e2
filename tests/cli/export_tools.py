#!/usr/bin/env python3
"""export_tools.py - what `rvftrace log --to` writes is opened by the programs it is for.

One run of the guest is logged and converted: trace-cmd reads trace.dat of both versions, perf its samples
with the kernel's names, GTKWave's vcd2fst the states of the harts, protoc the Perfetto trace, flamegraph.pl folded stacks. Each must
show what the log has, by its CSV. TRACE_CMD, PERF, PROTOC and VCD2FST name other programs than those in
PATH; a program that is not there fails its test.
"""
import collections
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from claims import FAILED, claim

T = "/sys/kernel/tracing"
SCRIPT = f"echo function > {T}/current_tracer; ps | cat; echo function_graph > {T}/current_tracer; " \
         f"work tree 1; echo nop > {T}/current_tracer"


def program(variable, name):
    found = shutil.which(os.environ.get(variable, name))
    if not found:
        claim(f"there is {name}", False, f"install it, or name it by {variable}")
    return found


def output(*command):
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    claim(f"{os.path.basename(command[0])} accepts it", done.returncode == 0, done.stderr)
    return done.stdout.decode(errors="replace")


def check_trace_cmd(rows, convert):
    tool = program("TRACE_CMD", "trace-cmd")
    if not tool:
        return
    calls = [row for row in rows if row["event"] == "call" and row["state"]]
    harts = collections.Counter(row["hart"] for row in calls)
    switches = sum(row["event"] == "switch" for row in rows)
    for version in "trace-dat", "trace-dat-7":
        text = output(tool, "report", "-R", "-i", convert(version))
        entries = re.findall(r"\[(\d+)\] +[\d.]+: funcgraph_entry:", text)
        claim(f"{version}: each call is an entry, on its hart",
              collections.Counter(str(int(hart)) for hart in entries) == harts, len(entries))
        claim(f"{version}: each switch", len(re.findall(": sched_switch:", text)) == switches)
        text = output(tool, "report", "-i", convert(version))
        claim(f"{version}: calls have names and nest", re.search(r"\|  +do_trap_exception\(\) \{", text) and
              not re.search(r"funcgraph_entry:.*0x[0-9a-f]{8}", text))
        claim(f"{version}: a store to a site is told", re.search("machine: +store +at .*site of", text))
    text = output(tool, "report", "-i", convert("trace-dat-function"))
    names = collections.Counter(re.findall(r": function: +(\S+)", text))
    claim("trace-dat-function: each call of a function",
          names == collections.Counter(row["name"] for row in calls),
          (names - collections.Counter(row["name"] for row in calls)).most_common(5))


def functions_by_hart(text):
    """How often each function is in the entries, by file and hart."""
    found = collections.defaultdict(collections.Counter)
    for file, hart, name in re.findall(r"(?m)^ *(\w+)\.dat: .*\[(\d+)\] +[\d.]+: function: +(\S+)", text):
        found[file, int(hart)][name] += 1
    return found


def check_rings(build, work):
    tool = program("TRACE_CMD", "trace-cmd")
    if not tool:
        return
    log, machine, guest = (os.path.join(work, name) for name in ("rings.log", "machine.dat", "guest.dat"))
    script = f"mkdir {T}/instances/one; echo 1 > {T}/instances/one/events/sched/sched_switch/enable; " \
             f"echo function > {T}/current_tracer; ps | cat; echo 0 > {T}/tracing_on"
    subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--console", "none", "--harts", "2", "--log", log, "--rings", guest,
                    "--append", f'script="{script}"', f"{build}/guest-kernel/mcount/kernel.elf"], check=True,
                   stdin=subprocess.DEVNULL)
    subprocess.run([f"{build}/rvftrace", "log", "--to", "trace-dat-function", "-o", machine, log], check=True)
    text = subprocess.run([tool, "report", "-i", machine, "-i", guest], capture_output=True, check=False, cwd=work)
    found = functions_by_hart(text.stdout.decode(errors="replace").replace(work + "/", ""))
    for hart in 0, 1:
        recorded = found["guest", hart]
        claim(f"trace-cmd lays both records side by side: hart {hart} has called what the guest has recorded",
              sum(recorded.values()) > 500 and not recorded - found["machine", hart],
              (recorded - found["machine", hart], text.stderr))
    text = output(tool, "report", "-i", guest)
    claim("trace-cmd shows the rings of an instance", len(re.findall(r"(?m)^one: .* sched_switch: ", text)) > 5, text[:500])


def check_perf(rows, convert):
    tool = program("PERF", "perf")
    if not tool:
        return
    data, symbols = convert("perf"), convert("kallsyms")
    text = output(tool, "report", "-f", "--stdio", "--no-children", "-g", "none", "--sort", "sym", "-F", "period,sym", "-i", data,
                  "--kallsyms", symbols)
    periods = {name: int(period) for period, name in re.findall(r"^ +(\d+) +\[k\] (\S+)", text, re.M)}
    functions = {row["name"] for row in rows if row["event"] == "call"}
    known = sum(n for name, n in periods.items() if name in functions)
    claim("perf names the functions of the samples", known > 0.9 * sum(periods.values()) > 1000000,
          sorted(periods.items(), key=lambda item: -item[1])[:20])
    text = output(tool, "script", "-f", "-i", data, "--kallsyms", symbols, "-F", "comm,pid,cpu,ip,sym")
    claim("perf shows chains of calls", re.search(r"file_write\n.*\n?(.*\n)*?.*do_trap_exception", text))


def check_flamegraph(convert):
    tool = os.environ.get("FLAMEGRAPH", "/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
    if not os.path.exists(tool):
        claim("there is flamegraph.pl", False, "install libdevel-nytprof-perl, or name it by FLAMEGRAPH")
        return
    for form in "folded", "folded-disabled":
        with open(convert(form), encoding="utf-8") as file:
            stacks = [line.rsplit(" ", 1) for line in file]
        text = output("perl", tool, "--minwidth", "0", "--countname", "cycles", convert(form))
        cycles = sum(int(n) for _, n in stacks)
        claim(f"flamegraph.pl draws {form}: all cycles", f"<title>all ({cycles:,} cycles, 100%)</title>" in text, text[:300])
        frames = {tuple(path.split(";")[:depth + 1]) for path, _ in stacks for depth in range(path.count(";") + 1)}
        claim("... and a bar for each stack", text.count("<title>") == len(frames) + 1, (text.count("<title>"), len(frames)))


def check_vcd(rows, convert, work):
    tool = program("VCD2FST", "vcd2fst")
    if not tool:
        return
    fst = os.path.join(work, "harts.fst")
    output(tool, convert("vcd"), fst)
    claim("vcd2fst keeps the signals", os.path.exists(fst) and os.path.getsize(fst) > 1000)
    back = shutil.which(os.path.join(os.path.dirname(tool), "fst2vcd")) or shutil.which("fst2vcd")
    text = output(back, fst) if back else ""
    claim("... of each hart", re.findall(r"\$scope module (hart\d) ", text) == ["hart0", "hart1"] and
          sorted(set(re.findall(r"\$var wire \d+ \S+ (\w+)", text))) == ["depth", "mode", "pid", "stale"])
    stores = max(int(row["cycle"]) for row in rows if row["event"] == "fence.i")
    claim("... and their changes, to the end", int(re.findall(r"^#(\d+)$", text, re.M)[-1]) >= stores)


def check_protoc(rows, convert):
    tool = program("PROTOC", "protoc")
    if not tool:
        return
    with open(convert("perfetto"), "rb") as file:
        done = subprocess.run([tool, "--decode_raw"], stdin=file, capture_output=True, check=False)
    text = done.stdout.decode(errors="replace")
    kinds = collections.Counter(row["event"] for row in rows)
    types = collections.Counter(re.findall(r"^  11 \{\n    9: (\d)", text, re.M))
    claim("protoc decodes the Perfetto trace", done.returncode == 0, done.stderr)
    claim("... with a slice for each call and return", types["1"] == kinds["call"] and types["2"] == kinds["return"], types)
    claim("... and a switch for each switch", len(re.findall(r"^  1 \{\n    1: \d+\n    2 \{", text, re.M)) +
          len(re.findall(r"^  1 \{\n    1: \d+\n    2: ", text, re.M)) == kinds["switch"])


def main():
    build = os.environ.get("BUILD", "build")
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "run.log")
        subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--console", "none", "--harts", "2", "--log", log,
                        "--append", f'script="{SCRIPT}"', f"{build}/guest-kernel/mcount/kernel.elf"], check=True,
                       stdin=subprocess.DEVNULL)

        def convert(form):
            path = os.path.join(work, form)
            subprocess.run([f"{build}/rvftrace", "log", "--to", form, "-o", path, log], check=True)
            return path

        with open(convert("csv"), newline="", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        check_trace_cmd(rows, convert)
        check_rings(build, work)
        check_perf(rows, convert)
        check_flamegraph(convert)
        check_vcd(rows, convert, work)
        check_protoc(rows, convert)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
