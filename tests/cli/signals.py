#!/usr/bin/env python3
"""signals.py - SIGTERM, SIGINT and SIGHUP end every command, whatever it does.

    signals.py [--quick]      a table: commands and states, with each signal

A command has a second for it: of its own work, or by the clock if it does not work. It ends with
128 + N or by the signal, and leaves no file that is not complete, but a log or a recording, which can be read. --quick: some of the states, each
with one of the signals. The last line names the slowest.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from claims import claim, finish

BUILD = os.environ.get("BUILD", "build")
RVFTRACE = os.path.abspath(f"{BUILD}/rvftrace")
KERNEL = os.path.abspath(f"{BUILD}/guest-kernel/mcount/kernel.elf")
SLOW = os.path.abspath(f"{BUILD}/guest/hostile/slow.elf")
LOOP = os.path.abspath(f"{BUILD}/guest/loop.elf")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PATIENCE = 60  # seconds for what must come before the signal
SECOND = 1.0

TRACING = "script=\"echo function > /sys/kernel/tracing/current_tracer; while true; do work calls 9; done\""
EXPLORED = "script=\"" + "echo function > /sys/kernel/tracing/current_tracer; echo nop > /sys/kernel/tracing/current_tracer; " * 9 + "\""
traced = ["--console", "none", "--append", TRACING, KERNEL]
slow = ["--firmware", "none", "--console", "none", SLOW]
loop = ["--console", "none", LOOP]

SB = """RISCV SB
{
0:x5=1; 0:x6=x; 0:x8=y; 1:x5=1; 1:x6=y; 1:x8=x;
}
 P0          | P1          ;
 sw x5,0(x6) | sw x5,0(x6) ;
 lw x7,0(x8) | lw x7,0(x8) ;
 sw x5,0(x6) | sw x5,0(x6) ;
 lw x7,0(x8) | lw x7,0(x8) ;
 sw x5,0(x6) | sw x5,0(x6) ;
 lw x7,0(x8) | lw x7,0(x8) ;
exists (0:x7=0 /\\ 1:x7=0)
"""


def processor_seconds(pid):
    """What the process has used, of all its threads."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def works(process):
    """It is in the middle of its work."""
    return until(lambda: process.poll() is not None or processor_seconds(process.pid) >= 0.3)


def is_connected(process, packet=b""):
    """gdb has connected, and has sent a packet."""
    process.gdb = socket.socket(socket.AF_UNIX)
    # The socket has its name a moment before somebody listens.
    if not until(lambda: process.gdb.connect_ex("gdb") == 0):
        return False
    process.gdb.sendall(b"$?#3f" + packet)
    process.gdb.recv(100)
    if packet:
        return works(process)
    time.sleep(0.1)
    return True


def goes_on(process):
    return is_connected(process, b"+$c#63")


def is_detached(process):
    return is_connected(process, b"+$D#44")


def has_port(_):
    return until(lambda: os.path.exists("gdb"))


def stands(_):
    time.sleep(1)
    return True


def is_exploring(process):
    """It has processes that try orders."""
    return until(lambda: process.poll() is not None or open(f"/proc/{process.pid}/task/{process.pid}/children",
                                                            encoding="ascii").read())


def make_log():
    subprocess.run([RVFTRACE, "run", "-q", "--max-insns", "20M", "--log", "made.log", *traced], check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_litmus():
    with open("sb.litmus", "w", encoding="ascii") as f:
        f.write(SB)


def make_pipe():
    """A standard output whose reader takes nothing."""
    reads, writes = os.pipe()
    return {"stdout": writes, "pass_fds": (reads,)}


QUICK = True
# State, command, when it is there, whether it is for --quick; what it needs; descriptors.
STATES = (
    ("a run of traced code", ["run", *traced], works, False),
    ("a loop", ["run", *loop], works, False),
    ("64 harts in slow code", ["run", "--harts", "64", "--memory", "256M", *slow], works, QUICK),
    ("a core model", ["run", "--timing", "rocket", *traced], works, False),
    ("late stores", ["run", "--harts", "2", "--stores", "random:1", *traced], works, False),
    ("--log", ["run", "--log", "run.log", *traced], works, QUICK),
    ("a trace that nobody reads", ["run", "--log", "run.log", "--trace", "-", "--report", "first.json", "--max-insns", "30M", *traced], stands, QUICK, None,
     make_pipe),
    ("--trace", ["run", "--trace", "trace.json", *traced], works, False),
    ("--rings", ["run", "--rings", "rings.dat", *traced], works, False),
    ("--record", ["run", "--record", "run.rec", *traced], works, False),
    ("reports and a page", ["run", "--report", "r.json", "--sarif", "s.sarif", "--html", "p.html", *traced], works, False),
    ("a guest that waits", ["run", "--console", "none", "--append", "script=\"sleep 10000000\"", "--timeout", "100", KERNEL],
     stands, False),
    ("a reader that takes nothing", ["run", "--append", "script=\"while true; do cat /proc/kallsyms; done\"", KERNEL],
     stands, False, None, make_pipe),
    ("waiting for gdb", ["debug", "--gdb", "gdb", KERNEL], has_port, False),
    ("stopped by gdb", ["debug", "--gdb", "gdb", KERNEL], is_connected, QUICK),
    ("gdb's continue", ["debug", "--console", "none", "--gdb", "gdb", LOOP], goes_on, False),
    ("gdb has detached", ["debug", "--console", "none", "--gdb", "gdb", LOOP], is_detached, False),
    ("a run until gdb connects", ["run", "--console", "none", "--gdb", "gdb", LOOP], works, False),
    ("explore", ["explore", "--harts", "2", "--append", EXPLORED, KERNEL], is_exploring, False),
    ("litmus", ["litmus", "sb.litmus", "sb.litmus", "sb.litmus"], works, False, make_litmus),
    ("a log that is converted", ["log", "--format", "perfetto", "-o", "log.pf", "made.log"], works, False, make_log),
    ("a log that is listed", ["log", "made.log"], works, False, make_log),
)


def try_one(state, number):
    """Returns the status, the seconds by the clock, of work, and what is left; None: it was not there."""
    name, command, ready, _, *more = state
    for needed in more[:1]:
        if needed and not os.path.exists("made.log"):
            needed()
    descriptors = {"stdout": subprocess.DEVNULL}
    if more[1:]:
        descriptors = more[1]()
    process = subprocess.Popen([RVFTRACE, command[0], *command[1:]], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               **descriptors)
    process.gdb = None
    if not ready(process) or process.poll() is not None:
        there = None
        process.kill()
        process.wait()
    else:
        used, began = processor_seconds(process.pid), time.monotonic()
        process.send_signal(number)
        killer = subprocess.Popen(["sh", "-c", f"sleep 20; kill -9 {process.pid}"])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        killer.kill()
        killer.wait()
        there = (process.returncode, time.monotonic() - began, usage.ru_utime + usage.ru_stime - used)
    if process.gdb:
        process.gdb.close()
    for descriptor in (descriptors["stdout"], *descriptors.get("pass_fds", ())):
        if descriptor != subprocess.DEVNULL:
            os.close(descriptor)
    return there


def main():
    quick = "--quick" in sys.argv[1:]
    for number in SIGNALS: # a shell starts its jobs with some of them ignored, which commands inherit and keep
        signal.signal(number, signal.SIG_DFL)
    work, slowest = tempfile.mkdtemp(), (0, "")
    os.chdir(work)
    for i, state in enumerate(s for s in STATES if s[3] or not quick):
        for number in [SIGNALS[i % 3]] if quick else SIGNALS:
            if len(sys.argv) > 2 and sys.argv[2] not in state[0]:
                continue
            name = f"{number.name}: {state[0]}"
            there = try_one(state, number)
            if there is None:
                claim(f"{name} (was not there)", quick or state[0].startswith("a log"))
                continue
            status, seconds, used = there
            # A process that waits for a processor is not late.
            late = min(seconds, used) if seconds > SECOND and used > 0.1 else seconds
            slowest = max(slowest, (late, name))
            claim(f"{name}: ends within a second", late < SECOND and status in (128 + number, -number, 74 if len(state) > 5 else None))
            if not (late < SECOND and status in (128 + number, -number, 74 if len(state) > 5 else None)):
                print(f"#   status {status}, {seconds:.2f} s, {used:.2f} s of work")
            if "nobody reads" in name:
                read = subprocess.run([RVFTRACE, "log", "run.log"], check=False, capture_output=True, stdin=subprocess.DEVNULL)
                claim("... and leaves its report, which was written before", os.path.exists("first.json"))
                claim("... and leaves its log, which can be read", read.returncode == 0 and b"calls" in read.stdout)
            left = [f for f in os.listdir(".") if f.endswith(".part") and f not in ("run.rec.part", "run.log.part", "trace.json.log.part")]
            claim("... and leaves nothing that is not complete", not left)
            for f in left + ["gdb", "run.log.part", "trace.json.log.part"]:
                if os.path.exists(f):
                    os.unlink(f)
    os.chdir("/")
    shutil.rmtree(work)
    print(f"# the slowest: {slowest[0]:.2f} s, {slowest[1]}", file=sys.stderr)
    finish()


main()
