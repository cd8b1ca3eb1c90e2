#!/bin/sh
# replay.sh - the replay of a recorded run is the same to the last cycle, whatever was typed
# and however it ended; other recordings are refused.
set -eu
exec python3 - "${BUILD:-build}" "$(dirname "$0")" <<'PY'
import re, signal, subprocess, sys, tempfile

sys.path.insert(0, sys.argv[2])
from terminal import *

RVFTRACE = sys.argv[1] + "/rvftrace"
KERNEL = sys.argv[1] + "/guest-kernel/mcount/kernel.elf"
PROMPT = r"\n# $"
DEBUGGER = r"\(rvftrace\) $"
work = tempfile.mkdtemp()
tape, first, second = (work + "/" + name for name in ("tape", "first", "second"))


def text_of(path):
    with open(path) as f:
        return f.read()


def report_of(path):
    """A report without its member "replay", which names the recording that was replayed."""
    return re.sub(r'"replay":\s*("[^"]*"|null)', '"replay":null', text_of(path))


def quietly(*arguments, data=b"", command="run"):
    """Status, console and messages of a run without a terminal."""
    done = subprocess.run([RVFTRACE, command, "--quiet", *arguments, KERNEL], input=data,
                          capture_output=True, timeout=PATIENCE)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode()


def replayed(sentence, status, *options):
    """Replays the tape and compares the reports to the byte, but for the name of the recording."""
    got, _, errors = quietly("--replay", tape, "--report", second, *options)
    claim(sentence, got == status and report_of(first) == report_of(second), (got, errors))


def person(*options):
    """A run at a terminal that is recorded: at its prompt, with some work done."""
    s = Session([RVFTRACE, "run", "--quiet", "--record", tape, "--report", first, *options, KERNEL])
    claim("a run is recorded", s.until(PROMPT) is not None, s.all)
    s.type("work tree 1\r")
    claim("... with somebody who types", s.until(r"work tree: .*" + PROMPT) is not None, s.all)
    return s


def poweroff(s):
    s.type("poweroff\r")
    return 0


def quit_key(s):
    s.type("\x01x")
    return 0


def sigterm(s):
    s.signal(signal.SIGTERM)
    return 128 + signal.SIGTERM


def debugger(s):
    s.type("\x01c")
    claim("... and stops it", s.until(DEBUGGER) is not None, s.all)
    s.type("step 1234\r")
    s.until(r"step, hart.*" + DEBUGGER)
    s.type("continue\r")
    wait_for(s.is_raw)
    s.type("ps; sleep 1\r")
    s.until(r"\nsleep 1.*" + PROMPT, 1)
    s.type("\x01c")
    s.until(r"interrupted.*" + DEBUGGER)
    s.type("step 77\r")
    s.until(r"step, hart.*" + DEBUGGER)
    s.type("quit\r")
    return 0


for ending in (poweroff, quit_key, sigterm, debugger):
    for options in ([], ["--harts", "3", "--seed", "5", "--append", "ftrace=function"]):
        with person(*options) as s:
            expected = ending(s)
            claim("... ends", s.end() == expected, s.all)
        replayed(f"the replay is the same run to the last cycle ({ending.__name__}, {options})",
                 expected, *options)

# The last recording with stops of the debugger: they do not change the run.
commands = work + "/commands"
with open(commands, "w") as f:
    f.write("tbreak ftrace_make_call\ncontinue\nstep 1000\nnext 50\ncontinue\n")
quietly("--replay", tape, "--report", second, "--commands", commands, *options, command="debug")
claim("so is a replay in the debugger", report_of(first) == report_of(second), report_of(second)[:600])

with person("--timeout", "3") as s:
    claim("a timeout ends it", s.end() == 75, s.all)
replayed("and the replay where it did", 75)
with open(work + "/script", "w") as f:
    f.write("continue\n")
_, told, _ = quietly("--replay", tape, "--commands", work + "/script", command="debug")
claim("... which a session says", re.search(r"the recorded run was stopped here \(\S+\)", told) and
      "interrupted" not in told, told)

former = text_of(tape)
with person() as s:
    s.type("echo 'not | lost'\r")
    s.until(r"\nnot \| lost\r+\n# $")
    s.child.kill()
    s.child.wait()
claim("a killed run leaves the former recording", text_of(tape) == former)
os.rename(tape + ".part", tape)
claim("... and what it had recorded, beside it", "stop" not in text_of(tape) and
      text_of(tape).endswith("0x0d\n"), text_of(tape)[-200:])
with Session([RVFTRACE, "run", "--quiet", "--replay", tape, "--record", work + "/more", "--report", first,
              KERNEL]) as s:
    s.expect("... which is replayed", r"\nnot \| lost\r+\n# $")
    s.type("echo 'and | more'\r")
    s.expect("... and then goes on by hand", r"\nand \| more\r+\n# $")
    s.type("poweroff\r")
    claim("... to its end", s.end() == 0, s.all)
claim("... recorded once more", text_of(work + "/more").startswith(text_of(tape)))
os.rename(work + "/more", tape)
replayed("which is replayed as a whole", 0)

typed = b"work calls 1\necho " + bytes(range(128, 256)) + b"\n" + b"echo line\n" * 50 + b"poweroff\n"
status, console, errors = quietly("--record", tape, "--report", first, data=typed)
claim("input from a pipe is recorded", status == 0 and console.count("\nline") == 50, (console, errors))
replayed("... and replayed", 0)
status, again, _ = quietly("--replay", tape)
claim("... with the same console", again == console)
good = text_of(tape)

# A guest that asks the firmware for each byte, as often as it can, until it gets a `q`.
source, program = work + "/getchar.S", work + "/getchar.elf"
with open(source, "w") as f:
    f.write("""
.globl _start
_start: li   s0, 'q'
1:      li   a7, 2      # legacy console getchar, putchar, shutdown
        ecall
        bltz a0, 1b
        mv   s1, a0
        li   a7, 1
        ecall
        bne  s0, s1, 1b
        li   a7, 8
        ecall
""")
subprocess.run([os.environ.get("CROSS", "riscv64-unknown-elf-") + "gcc", "-march=rv64i", "-mabi=lp64",
                "-nostdlib", "-Ttext=0x80200000", "-o", program, source], check=True)
for harts in "1", "2":
    guest = subprocess.Popen([RVFTRACE, "run", "--quiet", "--harts", harts, "--record", tape, "--report", first,
                              program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for byte in b"asked for one by one, q":
        guest.stdin.write(bytes([byte]))
        guest.stdin.flush()
        time.sleep(0.005)
    console, _ = guest.communicate(timeout=PATIENCE)
    claim("a guest that asks the firmware is recorded", console.endswith(b", q") and " guest 0x" in text_of(tape), console)
    again = subprocess.run([RVFTRACE, "run", "--quiet", "--harts", harts, "--replay", tape, "--report", second, program],
                           capture_output=True, timeout=PATIENCE)
    claim("... and replayed", again.stdout == console and report_of(first) == report_of(second), again.stderr)

# ---- files that are not recordings of this run ----


def refused(sentence, text, pattern, *options):
    with open(tape, "w") as f:
        f.write(text)
    status, _, errors = quietly("--replay", tape, *options)
    claim(sentence, status == 65 and errors.count("\n") == 1 and re.search(pattern, errors), errors)


lines = good.splitlines(True)
first_input = next(n for n, line in enumerate(lines) if line.startswith("input"))
refused("another number of harts is refused", good, "tape:[0-9]+: recorded with `run harts 1'.*harts 2", "--harts", "2")
refused("another seed is refused", good, "tape:[0-9]+: .*run seed 1", "--seed", "9")
refused("another boot line is refused", good, "tape:[0-9]+: .*run append word", "--append", "word")
refused("another image is refused", re.sub("run image 0x.", "run image 0xg", good), "tape:3: .*run image")
refused("an empty file is refused", "", "tape: not a recording")
refused("what is no recording is refused", "\x7fELF", "tape: not a recording")
refused("another version is refused", good.replace(" 1\n", " 2\n", 1), "tape:1: .*version")
refused("a line that is cut off is refused", good[:-3], f"tape:{len(lines)}: is truncated")
for damage in ("inptu 1 2 idle 0x6c\n", "input -1 2 idle 0x6c\n", "input 1 2 idle 0x6c \n", "input 1 2 never 0x6c\n",
               "input 1 2 idle 0x6\n", "input 99999999999999999999 2 idle 0x6c\n", "\n", "run harts 1\n"):
    refused(f"a damaged line is refused: {damage!r}",
            "".join(lines[:first_input + 1] + [damage] + lines[first_input + 1:]),
            f"tape:{first_input + 2}: is not a line")
refused("lines in the wrong order are refused", "".join(lines[:-2] + [lines[first_input]] + lines[-1:]),
        f"tape:{len(lines) - 1}: goes back")
refused("what comes after the end is refused", good + lines[first_input], f"tape:{len(lines) + 1}: comes after")
number = int(lines[first_input].split()[1])
refused("a byte at an instruction where none was asked for is noticed",
        good.replace(f"input {number} ", f"input {number - 1} ", 1),
        f"tape:{first_input + 1}: the run differs from the recorded one at instruction")
refused("so is a byte that was another one",
        good.replace("0x77", "0x78", 1), "tape:[0-9]+: the run differs from the recorded one at instruction")
status, _, errors = quietly("--replay", work + "/none")
claim("a missing recording is status 66", status == 66 and "no such file" in errors, errors)
status, _, errors = quietly("--record", work + "/no/where")
claim("one that cannot be created is refused", status in (66, 74) and "cannot be created" in errors, errors)
status, _, errors = quietly("--record", "/dev/full", data=typed)
claim("one that cannot be written ends the run with status 74", status == 74 and
      re.search("/dev/full: No space left", errors), errors)
finish()
PY
