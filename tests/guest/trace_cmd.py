#!/usr/bin/env python3
"""trace_cmd.py - a trace.dat that the guest has written through a port is what the guest saw.

`trace-cmd extract` in the guest writes what its `trace` has just shown: the host's `trace-cmd report`
must print the same entries of functions, calls and events, with the names of tasks and functions, and
as many lost entries as the guest has counted. `trace-cmd record` must lose none, and record each call
that the machine itself has recorded (--trace). TRACE_CMD is the program.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

T = "/sys/kernel/tracing"
failed = []


def check(sentence, good, why=""):
    print(f"{'ok' if good else 'not ok'} - {sentence}")
    if not good:
        print("# " + str(why)[:1500].replace("\n", "\n# "))
        failed.append(sentence)


def run_guest(build, layout, dat, script, *options, append=""):
    done = subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--audit", "fail", "--harts", "2", "--memory", "128M",
                           "--port", f"trace={dat}", *options, "--append", f'{append} script="{"; ".join(script)}"',
                           f"{build}/guest-kernel/{layout}/kernel.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    check(f"{layout}: the audit of the run finds nothing", done.returncode == 0, done.stdout[-600:] + done.stderr)
    return done.stdout


def between(said, begin, end):
    return said[said.index("# " + begin):said.index("# " + end)].splitlines()[1:]


def report(dat, *options):
    done = subprocess.run([PROGRAM, "report", *options, "-i", dat], capture_output=True, text=True, check=False)
    return done.stdout.splitlines(), done.stderr


def of_guest(lines):
    """(task, hart, time, text) of each entry of `trace`."""
    found = []
    for line in lines:
        match = re.match(r" *(\S.*-\d+) +\[(\d+)\] \S+ +([\d.]+): (.*)", line)
        if match:
            task, cpu, time, text = match.groups()
            found.append((task, cpu, time, text.strip().replace("0x", "")))
    return found


def of_report(lines):
    found = []
    for line in lines:
        match = re.match(r" *(\S.*-\d+) +\[(\d+)\] +([\d.]+): (\w+): *(.*)", line)
        if match:
            task, cpu, time, event, text = match.groups()
            text = text.replace(" <-- ", " <-") if event == "function" else f"{event}: {text}"
            found.append((task, cpu, time, text.strip().replace("0x", "")))
    return found


def calls_of_guest(lines):
    """(hart, function and depth, or the end of a call) of each line of function_graph's `trace`."""
    return [(int(m.group(1)), m.group(2)) for m in (re.match(r" (\d+)\)[^|]*\|(  .*)", line) for line in lines) if m]


def calls_of_report(lines):
    found = []
    for line in lines:
        match = re.match(r".*\[(\d+)\] +[\d.]+: funcgraph_(?:entry|exit): [^|]*\|(  .*)", line)
        if match:
            found.append((int(match.group(1)), match.group(2)))
    return found


def functions(build, layout, dat):
    script = [f"cd {T}", "echo '*lock*' __kmalloc > set_ftrace_filter", "echo sched workqueue > set_event",
              "echo function > current_tracer", "selftest workqueue", "ls /bin", "echo 0 > tracing_on", "cat trace",
              "trace-cmd extract -o /dev/vport0p1", "echo END"]
    said = run_guest(build, layout, dat, script, append="trace_buf_size=1M")
    guest = of_guest(between(said, "cat trace", "trace-cmd extract"))
    lines, errors = report(dat, "-N")
    host = of_report(lines)
    differ = [pair for pair in zip(guest, host) if pair[0] != pair[1]]
    check(f"{layout}: the {len(host)} functions and events are those of `trace`",
          len(guest) == len(host) > 500 and not differ, f"{len(guest)} in the guest; {differ[:4]}; {errors[:300]}")
    check(f"{layout}: with both", {"__kmalloc", "sched_switch:", "workqueue_execute_start:"} <=
          {entry[3].split()[0] for entry in host})


def calls(build, layout, dat):
    script = [f"cd {T}", "echo tree_once > set_graph_function", "echo function_graph > current_tracer", "work tree 1",
              "echo 0 > tracing_on", "cat per_cpu/cpu0/trace", "cat per_cpu/cpu1/trace",
              "trace-cmd extract -o /dev/vport0p1", "echo END"]
    said = run_guest(build, layout, dat, script, append="trace_buf_size=1M")
    guest = calls_of_guest(between(said, "cat per_cpu/cpu0/trace", "cat per_cpu/cpu1/trace"))
    guest += calls_of_guest(between(said, "cat per_cpu/cpu1/trace", "trace-cmd extract"))
    lines, errors = report(dat)
    host = sorted(calls_of_report(lines), key=lambda call: call[0])
    differ = [pair for pair in zip(guest, host) if pair[0] != pair[1]]
    check(f"{layout}: the {len(host)} begins and ends of calls are those of function_graph",
          len(guest) == len(host) > 200 and not differ, f"{len(guest)} in the guest; {differ[:4]}; {errors[:300]}")


def lost(build, layout, dat):
    script = [f"cd {T}", "echo 16 > buffer_size_kb", "echo function > current_tracer", "work tree 3",
              "echo 0 > tracing_on", "cat per_cpu/cpu0/stats per_cpu/cpu1/stats", "trace-cmd extract -o /dev/vport0p1",
              "echo END"]
    said = run_guest(build, layout, dat, script)
    counted = sum(int(n) for n in re.findall(r"^overrun: (\d+)", said, re.MULTILINE))
    shown = sum(int(n) for line in report(dat)[0] for n in re.findall(r"\[(\d+) EVENTS DROPPED\]", line))
    check(f"{layout}: the {counted} entries that were lost are reported", shown == counted > 1000, f"{shown}")


def record(build, layout, dat, trace):
    script = [f"cd {T}", "trace-cmd record -o /dev/vport0p1 -p function -l 'tree_*' work tree 4", "cat current_tracer",
              "echo END"]
    said = run_guest(build, layout, dat, script, "--trace", trace, "--trace-calls", "on")
    with open(trace, encoding="utf-8") as file:
        machine = [event["name"] for event in json.load(file)
                   if event["ph"] == "B" and event["name"].startswith("tree_")]
    lines, errors = report(dat)
    host = [entry[3].split()[0] for entry in of_report(lines)]
    check(f"{layout}: each of the {len(machine)} calls that the machine saw is recorded",
          sorted(machine) == sorted(host) and len(host) > 100, f"{len(host)} recorded; {errors[:300]}")
    check(f"{layout}: afterwards tracing is as before", "\nnop\n" in said.replace("\r", ""), said[-300:])


def main(build):
    with tempfile.TemporaryDirectory() as work:
        dat = os.path.join(work, "trace.dat")
        for layout in ["mcount", "callops"]:
            functions(build, layout, dat)
        calls(build, "pfe8", dat)
        lost(build, "atomic", dat)
        record(build, "pfe16", dat, os.path.join(work, "trace.json"))
    return bool(failed)


if __name__ == "__main__":
    PROGRAM = shutil.which(os.environ.get("TRACE_CMD", "trace-cmd"))
    if not PROGRAM:
        print("not ok - there is no trace-cmd")
        sys.exit(1)
    sys.exit(main(os.environ.get("BUILD", "build")))
