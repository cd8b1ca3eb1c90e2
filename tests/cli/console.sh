#!/bin/sh
# console.sh - the console at a terminal: keys after Ctrl-A, the owner of the terminal,
# its state after any end of the run, and the host's time at an idle prompt.
set -eu
exec python3 - "${BUILD:-build}" "$(dirname "$0")" <<'PY'
import json, signal, struct, subprocess, sys, tempfile, time

sys.path.insert(0, sys.argv[2])
from terminal import *

RVFTRACE = sys.argv[1] + "/rvftrace"
KERNEL = sys.argv[1] + "/guest-kernel/mcount/kernel.elf"
LOOP = sys.argv[1] + "/guest/loop.elf"
PROMPT = r"\n# $"
DEBUGGER = r"\(rvftrace\) $"
work = tempfile.mkdtemp()


def shell(*options, **more):
    """The guest's shell, at its prompt."""
    s = Session([RVFTRACE, "run", "--quiet", *options, KERNEL], **more)
    claim("the guest's shell is there", s.until(PROMPT) is not None, s.all)
    return s


# ---- keys ----

with shell() as s:
    claim("while the guest runs the terminal is raw", s.is_raw())
    s.type("echo 'typed | here'\r")
    s.expect("what is typed reaches the guest", r"\ntyped \| here\r+\n# $")
    s.type("\x01h")
    s.expect("Ctrl-A h lists the keys, in lines that begin at the left",
             r"\r\nCtrl-A x .*\r\nCtrl-A c .*\r\nCtrl-A h .*\r\nCtrl-A Ctrl-A .*\r\nCtrl-A Ctrl-C [^\n]*\r\n$")
    s.type("echo a\x01zb\r")
    s.expect("what means nothing behind Ctrl-A is dropped with it", r"\nab\r+\n# $")
    s.type("echo \x03\r")
    s.expect("Ctrl-C is a key like any other", PROMPT)
    s.type("\x01x")
    claim("Ctrl-A x ends the run with status 0", s.end() == 0, s.all)
    claim("... and the terminal is as it was", s.is_restored())

report = work + "/report"
with Session([RVFTRACE, "run", "--quiet", "--report", report, LOOP]) as s:
    s.expect("a guest that never reads its input runs", "endless loop")
    s.type("x" * 100 + "\x01x")
    claim("... and can be left all the same", s.end() == 0, s.all)
    claim("... with the report", json.load(open(report))["run"]["ended"] == "interrupted")

# ---- the debugger ----

with shell() as s:
    s.type("\x01c")
    s.expect("Ctrl-A c stops the machine in the debugger", DEBUGGER)
    s.type("info machine\r")
    s.expect("... which can be asked", r"cycle.*" + DEBUGGER)
    s.type("step 3\r")
    s.expect("... and steps", r"step, hart 0.*" + DEBUGGER)
    s.type("step\rstep\rprint 6 * 7\r")
    s.expect("what is typed during a step is meant for the next one",
             r"step, hart 0.*step, hart 0.*= 42.*" + DEBUGGER)
    s.type("continue\r")
    claim("continue gives the terminal to the guest", wait_for(s.is_raw))
    s.type("echo 'back | again'\r")
    s.expect("... which goes on where it stood", r"\nback \| again\r+\n# $")
    s.type("\x01c")
    s.expect("a second time", r"interrupted in hart 0.*" + DEBUGGER)
    s.type("continue\r")
    claim("... and goes on", wait_for(s.is_raw))
    before = len(s.all)
    s.type("\x01x")
    claim("Ctrl-A x ends the run from there as well", s.end() == 0, s.all)
    claim("... without a word about where", "hart" not in s.all[before:], s.all[before:])
with shell() as s:
    s.type("\x01c")
    s.expect("the debugger comes once more", DEBUGGER)
    s.type("quit\r")
    claim("quit ends the run with status 0", s.end() == 0, s.all)
    claim("... and the terminal is as it was", s.is_restored())

with Session([RVFTRACE, "debug", "--quiet", KERNEL]) as s:
    s.expect("a session begins at its prompt", DEBUGGER)
    s.type("tbreak schedule\r")
    s.expect("a breakpoint is set", DEBUGGER)
    s.type("continue\r")
    s.expect("... and hit", r"breakpoint 1.*" + DEBUGGER)
    s.type("continue\r")
    s.expect("in a session the guest has the terminal while it runs", PROMPT)
    claim("... raw", wait_for(s.is_raw))
    s.type("echo 'from | a session'\r")
    s.expect("... and reads its input", r"\nfrom \| a session\r+\n# $")
    s.type("\x03")
    s.expect("Ctrl-C stops it", r"interrupted in hart 0.*" + DEBUGGER)
    s.type("print 1 + 1\r")
    s.expect("the prompt reads what is typed then", r"= 2.*" + DEBUGGER)
    s.type("continue\r")
    claim("it goes on", wait_for(s.is_raw))
    s.type("poweroff\r")
    s.expect("the guest's end is said", r"ended with status 0.*" + DEBUGGER)
    s.type("quit\r")
    claim("the session ends with the guest's status", s.end() == 0, s.all)
    claim("... and the terminal is as it was", s.is_restored())

with Session([RVFTRACE, "debug", "--quiet", KERNEL]) as s:
    s.expect("once more", DEBUGGER)
    s.type("continue\r")
    s.expect("it runs", PROMPT)
    s.type("\x01x")
    claim("Ctrl-A x ends a session, too", s.end() == 0, s.all)
    claim("... and the terminal is as it was", s.is_restored())

commands = work + "/commands"
with open(commands, "w") as f:
    f.write("tbreak schedule\ncontinue\ncontinue\nprint 6 * 7\n")
with Session([RVFTRACE, "debug", "--quiet", "--commands", commands, KERNEL]) as s:
    s.expect("a session whose commands come from a file leaves the terminal to the guest",
             r"breakpoint 1.*continue.*" + PROMPT)
    s.type("echo 'for | the guest'; poweroff\r")
    s.expect("... which reads it", r"\nfor \| the guest\r+\n.*ended with status 0.*= 42")
    claim("... to its end", s.end() == 0, s.all)
    claim("... and the terminal is as it was", s.is_restored())

for where in ("at the prompt", "in a run"):
    with Session([RVFTRACE, "debug", "--quiet", KERNEL]) as s:
        s.expect("a session", DEBUGGER)
        if where == "in a run":
            s.type("continue\r")
            s.expect("... that runs", PROMPT)
        s.signal(signal.SIGTERM)
        claim("SIGTERM ends a session " + where, s.end() == 128 + signal.SIGTERM, s.all)
        claim("... and the terminal is as it was", s.is_restored())

with Session([RVFTRACE, "run", "--quiet", work + "/none"]) as s:
    claim("a run that cannot begin is refused", s.end() == 66, s.all)
    claim("... and the terminal is as it was", s.is_restored())

# ---- signals ----

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    report = work + "/" + number.name
    with shell("--report", report) as s:
        s.signal(number)
        claim(f"{number.name} ends the run with its number", s.end() == 128 + number, s.all)
        claim("... and the terminal is as it was", s.is_restored())
        claim("... and the report is written", json.load(open(report))["run"]["ended"] == "interrupted")

with Session(["sh", "-c", f"trap '' HUP; exec {RVFTRACE} run --quiet {KERNEL}"]) as s:
    s.expect("under nohup it runs", PROMPT)
    s.signal(signal.SIGHUP)
    s.type("echo 'un | disturbed'\r")
    s.expect("... and does not hear of a hangup", r"\nun \| disturbed\r+\n# $")
    s.type("\x01x")
    claim("... to its end", s.end() == 0, s.all)

for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGQUIT):
    with shell() as s:
        s.signal(number)
        claim(f"{number.name} ends the run as ever", s.end() == -number, s.all)
        claim("... but leaves the terminal usable", s.is_restored())

with shell() as s:
    for _ in range(2):
        s.signal(signal.SIGTSTP)
        claim("SIGTSTP stops us", wait_for(lambda: s.state() == "T"))
        claim("... with the terminal as it was", s.is_restored())
        s.signal(signal.SIGCONT)
        claim("SIGCONT makes it raw again", wait_for(s.is_raw))
    s.type("echo 'and on | it goes'\r")
    s.expect("... and the guest goes on", r"\nand on \| it goes\r+\n# $")
    termios.tcsetattr(s.side, termios.TCSANOW, s.before)
    s.signal(signal.SIGCONT)
    claim("so it does after a stop that nobody could catch", wait_for(s.is_raw))
    s.type("\x01c")
    s.expect("in the debugger", DEBUGGER)
    claim("... the terminal is its line editor's", wait_for(lambda: not s.flags()[3] & termios.ICANON))
    editing = s.flags()
    s.signal(signal.SIGTSTP)
    claim("SIGTSTP stops it, too", wait_for(lambda: s.state() == "T"))
    claim("... with the terminal as it was", s.is_restored())
    s.signal(signal.SIGCONT)
    claim("SIGCONT gives it back to the line editor", wait_for(lambda: s.flags() == editing))
    s.type("quit\r")
    claim("... which goes on", s.end() == 0, s.all)
    claim("... and the terminal is as it was", s.is_restored())

with Session(["sh", "-mc", f"{RVFTRACE} run --quiet {KERNEL} & read line; fg %1"]) as s:
    s.expect("in the background it runs, too", PROMPT)
    claim("... and leaves the terminal alone", s.is_restored())
    s.type("\n")
    claim("in the foreground the terminal is its", wait_for(s.is_raw))
    s.type("echo 'in the | foreground'\r")
    s.expect("... and so are the keys", r"\nin the \| foreground\r+\n# $")
    s.type("\x01x")
    claim("it ends as ever", s.end() == 0, s.all)

with shell("--report", work + "/hangup") as s:
    os.close(s.main)
    s.main = os.open("/dev/null", os.O_RDONLY)
    claim("a terminal that goes ends the run", s.child.wait(PATIENCE) in (74, 128 + signal.SIGHUP))
    claim("... with the report", json.load(open(work + "/hangup"))["run"]["ended"] != "exit")



def unread(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


reader, writer = os.pipe()
with Session([RVFTRACE, "run", "--quiet", KERNEL], stdout=writer) as s:
    os.close(writer)
    got = b""
    while not got.endswith(b"\n# "):
        got += os.read(reader, 4096)
    os.close(reader)
    s.type("echo into nothing\r")
    claim("a closed pipe is status 74", s.end() == 74, s.all)
    claim("... and one line", "console: Broken pipe" in s.all, s.all)
    claim("... and the terminal is as it was", s.is_restored())

reader, writer = os.pipe()
loud = work + "/loud"
with open(loud, "w") as f:
    f.write("cat /sys/kernel/tracing/available_filter_functions\n" * 1000)
with Session([RVFTRACE, "run", "--quiet", "--input", loud, "--report", work + "/stuck", KERNEL],
             stdout=writer) as s:
    os.close(writer)
    claim("output that nobody reads keeps the run waiting",
          wait_for(lambda: s.state() == "S" and unread(reader) > 16384))
    s.signal(signal.SIGTERM)
    claim("... but not for ever", s.end() in (74, 128 + signal.SIGTERM), s.all)
    claim("... and the report is written",
          json.load(open(work + "/stuck"))["run"]["ended"] in ("interrupted", "output-lost"))
os.close(reader)

fifo = work + "/fifo"
os.mkfifo(fifo)
with shell("--report", fifo) as s:
    s.signal(signal.SIGTERM)
    claim("before the report is written the terminal is as it was", wait_for(s.is_restored))
    s.signal(signal.SIGTERM)
    claim("a second signal ends us at once", s.end() == -signal.SIGTERM, s.all)

# timeout(1) sends its signal to the process and to its group, and may be interrupted in between.
with shell("--report", fifo) as s:
    s.signal(signal.SIGTERM)
    time.sleep(0.04)
    s.signal(signal.SIGTERM)
    report = subprocess.run(["timeout", "10", "cat", fifo], stdout=subprocess.PIPE)
    claim("one right after the first does not", s.end() == 128 + signal.SIGTERM, s.all)
    claim("... and the report is written", b'"interrupted"' in report.stdout, report)

# ---- time ----

with shell() as s:
    before, start = s.cpu_seconds(), time.monotonic()
    while time.monotonic() < start + 3:
        s.listen()
    used = s.cpu_seconds() - before
    claim("a shell at its prompt costs next to nothing", used < 0.3, used)
    start = time.monotonic()
    s.type("sleep 2\r")
    s.expect("a sleep of the guest's ends", r"sleep 2.*" + PROMPT)
    took = time.monotonic() - start
    claim("... after as many seconds on the wall", 1.8 < took < 20, took)
    s.type("\x01x")
    claim("the end", s.end() == 0)
finish()
PY
