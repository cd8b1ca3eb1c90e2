#!/bin/sh
# snapshots.sh - a run that is continued from a file is the uninterrupted run, to the last cycle and
# the last byte of its report; files that are damaged, or of another run or rvftrace, are refused.
set -eu
exec python3 - "${BUILD:-build}" "$(dirname "$0")" <<'PY'
import json, os, random, re, resource, shutil, signal, struct, subprocess, sys, tempfile

sys.path.insert(0, sys.argv[2])
from terminal import *

RVFTRACE = sys.argv[1] + "/rvftrace"
KERNEL = sys.argv[1] + "/guest-kernel/mcount/kernel.elf"
GUEST = sys.argv[1] + "/guest/"
PROMPT = r"\n# $"
DEBUGGER = r"\(rvftrace\) $"
T = "/sys/kernel/tracing"
SCRIPT = f'script="echo function_graph > {T}/current_tracer; work tree 1; echo nop > {T}/current_tracer"'
work = tempfile.mkdtemp(prefix="snapshots ")  # with a blank, as paths have
file, whole, pieces, restored = (work + "/" + name for name in ("file.rvs", "whole", "pieces", "restored"))


def text_of(path, mode="r"):
    with open(path, mode) as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def rvftrace(*arguments, command="run", **more):
    """Status, console and messages."""
    done = subprocess.run([RVFTRACE, command, "--quiet", *arguments], capture_output=True, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode()


def outputs(name):
    return ["--report", name + ".json", "--trace", name + ".trace"]


# ---- the same run ----

def calls(trace, from_cycle):
    """The begins and ends of calls that began at this cycle or later; tracks are numbered anew, as they come."""
    opened, tracks, events = {}, {}, []
    for e in trace:
        stack = opened.setdefault(e["tid"], [])
        if e["ph"] == "B":
            stack.append(e["args"]["cycle"] >= from_cycle)
        if e["ph"] == "B" and stack[-1] or e["ph"] == "E" and stack.pop():
            events.append({**e, "tid": tracks.setdefault(e["tid"], len(tracks))})
    return events


def is_continued(sentence, cycle, *options):
    begin = [*options, "--append", SCRIPT]
    a = rvftrace(*begin, *outputs(whole), KERNEL)
    b = rvftrace(*begin, *outputs(pieces), "--save-at", str(cycle), "--save", file, KERNEL)
    c = rvftrace("--restore", file, *outputs(restored))
    reports = [text_of(name + ".json", "rb") for name in (whole, pieces, restored)]
    traces = [json.loads(text_of(name + ".trace")) for name in (whole, pieces, restored)]
    claim(f"saving changes nothing: {sentence}", a == b and reports[0] == reports[1] and traces[0] == traces[1], (a, b))
    claim("... a restored run has the same report, to the byte", reports[0] == reports[2], reports[2][:500])
    claim("... the rest of the console, and the same messages", (a[0], a[2]) == (c[0], c[2]) and c[1] and
          a[1].endswith(c[1]) and a[1] != c[1], (a, c))
    # No call of this kernel lasts for a million cycles before the first one that both have.
    later = calls(traces[0], cycle + 1000000)
    claim("... and the calls from then on", len(later) > 500 and later == calls(traces[2], cycle + 1000000),
          (len(later), len(traces[2])))


is_continued("two harts, a model of a core", 8000000, "--harts", "2", "--timing", sys.argv[2] + "/../../cores/c906.core")
is_continued("three harts", 7000000, "--harts", "3", "--seed", "5")
size, files = os.path.getsize(file), os.listdir(work)
claim("256 MiB of memory take less than 2 MiB", size < 2 << 20, size)
claim("... in one file", [f for f in files if f.startswith("file")] == ["file.rvs"], files)

again = work + "/again.rvs"
status, _, said = rvftrace("--restore", file, "--save-at", "12M", "--save", again, "--max-cycles", "13M")
claim("a restored run can be saved, too", status == 75 and os.path.getsize(again) > 100000, said)
rvftrace("--restore", again, "--report", restored + ".json")
claim("... and ends as the first one", text_of(whole + ".json") == text_of(restored + ".json"))
rvftrace("--restore", again, "--report", restored + ".json", "--audit=fail", "--findings", "full", "--rows", "3", KERNEL)
def without_command(name):
    report = json.loads(text_of(name + ".json"))
    del report["run"]["command"]
    return report


claim("options that only report may differ, and the image may be named", without_command(whole) == without_command(restored))
rvftrace("--restore", again, "--report", restored + ".json", "--harts", "3", "--seed", "5")
claim("... and options be repeated", text_of(whole + ".json") == text_of(restored + ".json"))

# ---- when the file is written ----

status, _, said = rvftrace("--append", SCRIPT, "--max-cycles", "6M", "--save", again, KERNEL)
claim("without --save-at a limit's end is saved", status == 75 and os.path.exists(again), said)
os.remove(again)
status, _, said = rvftrace("--save", again, GUEST + "hello.elf")
claim("the guest's own end is not", status == 74 and "the guest has ended the run" in said and
      not os.path.exists(again), (status, said))
status, _, said = rvftrace("--save", again, "--save-at", "1G", GUEST + "hello.elf")
claim("a cycle that the run does not reach is told", status == 74 and
      re.search(r"again.rvs: was not saved: the run has ended at cycle \d+, before", said), (status, said))
status, _, said = rvftrace("--append", SCRIPT, "--max-cycles", "6M", "--save", again, "--save-at", "6M", KERNEL)
claim("the same limit ends the run where it is saved", status == 75 and os.path.exists(again), said)
os.remove(again)
status, _, said = rvftrace("--save", "/dev/full", "--save-at", "1", KERNEL)
claim("a full disk ends the run, with a message", status == 74 and "/dev/full: No space left" in said, (status, said))


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))


status, _, said = rvftrace("--save", again, "--save-at", "6M", KERNEL, preexec_fn=small_files)
claim("... and leaves no part of a file", status == 74 and "no snapshot was written" in said and
      not [f for f in os.listdir(work) if f.startswith("again")], (status, said, os.listdir(work)))

# ---- other files ----

small = work + "/small.rvs"
rvftrace("--max-insns", "100", "--save", small, GUEST + "hello.elf")
good = text_of(small, "rb")


def refused(sentence, data, status, words, *options, path=small):
    if data is not None:
        write(path, data)
    got, out, said = rvftrace("--restore", path, *options)
    ok = got == status and out == "" and len(said.splitlines()) == 1 and path in said and re.search(words, said)
    if not ok:
        claim(sentence, False, (got, out, said))
    return ok


def fnv1a(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = (h ^ b) * 0x100000001b3 & (1 << 64) - 1
    return h


def with_head(change):
    """The file with other lines at its beginning, and a hash that is right for them."""
    frames, _, _, _, head, _ = struct.unpack("<6Q", good[-56:-8])
    index = len(good) - 56 - 16 * frames
    lines = change(good[:head])
    trailer = good[index:-24] + struct.pack("<Q", len(lines))
    return lines + good[head:index] + trailer + struct.pack("<Q", fnv1a(lines + trailer)) + good[-8:]


claim("the form of the file is as this test knows it", with_head(lambda head: head) == good)
claim("no such file", refused("no such file", None, 66, "No such file", path=work + "/none.rvs"))
claim("a directory, an ELF, an empty file are no snapshots", all([
    refused("a directory is no snapshot", None, 65, "is not a snapshot", path=work),
    refused("an ELF is no snapshot", text_of(KERNEL, "rb"), 65, "is not a snapshot"),
    refused("an empty file is no snapshot", b"", 65, "is not a snapshot")]))
random.seed(1)
claim("files that are cut off are refused", all(
    refused(f"cut off at {n}", good[:n], 65, "is truncated|is not a snapshot|was altered")
    for n in [17, 18, 30, len(good) - 1, len(good) - 56, *random.sample(range(40, len(good)), 6)]))
claim("... and longer ones", refused("longer", good + b"x", 65, "is truncated"))
places = [0, len(good) - 1, len(good) - 20, *random.sample(range(len(good)), 20)]
claim("files with another bit anywhere are refused", all(
    refused(f"bit at {n}", good[:n] + bytes([good[n] ^ 1 << n % 8]) + good[n + 1:], 65, r"; (save it again|give a file)")
    for n in places))
claim("so is one in a newer format", refused("newer format", with_head(
    lambda head: head.replace(b"snapshot 1\n", b"snapshot 2\n")), 65, "in format 2, and this rvftrace reads format 1"))
claim("... one of another rvftrace", refused("another rvftrace", with_head(
    lambda head: re.sub(rb"\nbuild [^\n]*", b"\nbuild 0.0 0123456789ab", head)), 65,
    "saved by another rvftrace .0.0 0123456789ab, and this is [0-9]+[.][0-9]+ "))
claim("... one with an unknown option", refused("an unknown option", with_head(
    lambda head: head.replace(b"\nwatch audit", b"\noption frobnicate 3\nwatch audit")), 65, "is no line of this"))
write(small, good)
claim("options of another run are refused", all([
    refused(o, None, 65, f"was saved with `{theirs}', and this run has `{ours}'; leave out", *o.split())
    for o, theirs, ours in (("--harts 2", "harts 1", "harts 2"), ("--memory 128M", "memory 268435456", "memory 134217728"),
                            ("--seed 7", "seed 1", "seed 7"), ("--timing unit", "timing inorder", "timing unit"),
                            ("--audit off", "audit on", "audit off"), ("--append x", "append ", "append x"),
                            ("--isa rv64gc", "isa .*", "isa .*"), ("--updates-max 5", "updates-max 10000", "updates-max 5"),
                            ("--virtio-console", "virtio-console off", "virtio-console on"))]))
claim("... and another image", refused("another image", None, 65, "`image .*give the same file", GUEST + "ipi.elf"))

# ---- in the debugger ----

def session(*commands):
    """The output of the commands, and the state of the machine at `info machine`."""
    write(work + "/commands", "\n".join(commands).encode())
    _, out, _ = rvftrace("--commands", work + "/commands", "--append", SCRIPT, KERNEL, command="debug")
    return out, re.findall(r"^\d+ instructions, \d+ cycles.*\n(?:modes: .*\n|again: .*\n)*(?:.. hart.*\n)+", out, re.M)


damaged = work + "/damaged.rvs"
out, states = session("tbreak ftrace_make_call", "continue", f"save {file}", "info machine", "checkpoint", "continue",
                      "info machine", f"restore {file}", "info machine", "stepi 100", "info machine", "reverse-stepi 100",
                      "info machine", "continue", "info machine", "restart 1", "info machine", "continue", "info machine")
claim("the debugger saves, and restores even when the guest has ended",
      len(states) == 8 and states[0] == states[2] == states[4] == states[6] != states[3], out)
claim("... and it ends as before, also from an earlier checkpoint", states[1] == states[5] == states[7] != states[0], out)
claim("... and steps back, but not beyond the restore", re.search(r"reverse-stepi, hart 0", out), out)
data = text_of(file, "rb")
middle = len(data) * 2 // 3
write(damaged, data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1:])
write(small, good)
out, states = session("info machine", f"restore {damaged}", "info machine", f"restore {small}", f"restore {work}/none",
                      "restore", "save /none/file", f"restore {damaged}", "info machine", "continue", "info machine")
claim("files that are refused change nothing", len(states) == 4 and states[0] == states[1] == states[2] and
      out.count("checksum of its part") == 2 and "was saved with" in out and "expected a file: restore FILE" in out and
      "/none/file: cannot be created" in out, out)
claim("... and the run ends as it would have", re.findall("(.*) instr", states[3]) ==
      re.findall("(.*) instr", session("continue", "info machine")[1][0]), states)
out, states = session(f"restore {file}", "info machine", "continue", "info machine")
_, plain = session("tbreak ftrace_make_call", "continue", "info machine", "continue", "info machine")
claim("another session restores it, too", states == plain, (states, plain))
_, out, _ = rvftrace("--restore", file, command="debug", preexec_fn=lambda: os.dup2(os.open(
    work + "/commands", os.O_RDONLY), 0))
claim("debug --restore begins there", "ftrace_make_call" in out.splitlines()[0], out[:200])

# ---- input ----

tape, part = work + "/tape", work + "/part"
write(work + "/input", b"echo one\nwork tree 1\necho two\npoweroff\n")
rvftrace("--input", work + "/input", "--record", tape, "--report", whole + ".json", KERNEL)
cycles = [int(line.split()[2]) for line in text_of(tape).splitlines() if line.startswith("input")]
rvftrace("--replay", tape, "--save-at", str(cycles[14]), "--save", file, KERNEL)
lines = text_of(file, "rb").split(b"\n", 4)
claim("a snapshot tells how much input the machine has taken", lines[2].startswith(b"at ") and
      0 < int(lines[2].split()[3]) < len(cycles), lines[2])
status, out, said = rvftrace("--restore", file, "--replay", tape, "--report", restored + ".json")
strip = lambda path: re.sub(r'"replay":\s*("[^"]*"|null)', "", text_of(path))
claim("the recording of the whole run supplies the rest", status == 0 and strip(whole + ".json") == strip(restored + ".json"),
      (status, said))
rest = int(lines[2].split()[3])
write(work + "/rest", text_of(work + "/input", "rb")[rest:])
status, out, _ = rvftrace("--restore", file, "--input", work + "/rest", "--record", part, "--report", restored + ".json")
claim("... as do the bytes after them", status == 0 and strip(whole + ".json") == strip(restored + ".json"), out)
status, again_out, said = rvftrace("--restore", file, "--replay", part, "--report", restored + ".json")
claim("a restored run is recorded and replayed", status == 0 and out == again_out and
      strip(whole + ".json") == strip(restored + ".json"), said)
status, _, said = rvftrace("--replay", part, KERNEL)
claim("... only with its snapshot", status == 65 and "restore" in said, (status, said))

with Session([RVFTRACE, "debug", "--quiet", "--record", tape, "--report", whole + ".json", KERNEL]) as s:
    for command in ("stepi 300000", "continue"):
        s.until(DEBUGGER)
        s.type(command + "\r")
    s.expect("a person types in a session", PROMPT)
    s.type("echo fir''st\r")
    s.expect("... and the guest answers", r"\nfirst\r+\n# $")
    s.type("\x01c")
    s.until(DEBUGGER)
    s.type("goto 300000\r")
    s.expect("... goes back to before that", r"goto, hart.*" + DEBUGGER)
    s.type(f"save {file}\r")
    s.until(DEBUGGER)
    s.type("continue\r")
    wait_for(s.is_raw)
    s.type("echo sec''ond\r")
    s.expect("... and forth, with the same input", r"\nsecond\r+\n# $")
    claim("... which is told once", s.all.count("\nfirst\r") == 1, s.all)
    s.type("poweroff\r")
    s.expect("... until the guest ends", r"has ended.*" + DEBUGGER)
    s.type("quit\r")
    claim("... and it is the run that was recorded", s.end() == 0)
status, out, said = rvftrace("--replay", tape, "--report", restored + ".json", KERNEL)
claim("... as its replay shows", status == 0 and strip(whole + ".json") == strip(restored + ".json") and
      out.count("\nfirst") == out.count("\nsecond") == 1, (out, said))
_, _, said = rvftrace("--restore", file, "--replay", tape, "--report", restored + ".json")
claim("... also from a snapshot that was saved after going back", strip(whole + ".json") == strip(restored + ".json"), said)

# ---- disks ----

disk, copy, program = work + "/disk", work + "/copy", GUEST + "virtio-write.elf"
blank = "".join(f"{n}\n" for n in range(1, 10001)).encode()[:32768]
for mode in ("", ",snapshot"):
    write(disk, blank)
    rvftrace("--drive", disk + mode, "--report", whole + ".json", program)
    final = text_of(disk, "rb")
    write(disk, blank)
    rvftrace("--drive", disk + mode, "--max-insns", "1280000", "--save", file, program)
    shutil.copy(disk, copy)
    status, _, said = rvftrace("--restore", file, "--report", restored + ".json")
    claim(f"the disk is part of it{mode}", status == 0 and text_of(whole + ".json") == text_of(restored + ".json") and
          text_of(disk, "rb") == final, (status, said))
    if mode:
        claim("... or a copy", rvftrace("--restore", file, "--drive", copy + mode)[0] == 0)
        write(disk, blank[:-1] + b"x")
        refused("another disk", None, 65, "give a copy of the disk", path=file)
        write(disk, blank)
        claim("the guest's writes are in the file, and never go to the disk", refused(
            "not as a snapshot", None, 65, "add `,snapshot'", "--drive", disk, path=file))
    else:
        claim("a disk that was written since is refused", refused("a changed disk", None, 65, "give a copy of the disk",
                                                                  path=file))
        shutil.copy(copy, disk)
        status, _, said = rvftrace("--restore", file, "--drive", disk + ",snapshot")
        claim("... the copy of then is not, and need not be written", status == 0 and text_of(disk, "rb") ==
              text_of(copy, "rb"), (status, said))
shutil.rmtree(work)
finish()
PY
