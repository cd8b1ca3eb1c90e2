#!/bin/sh
# terminal.sh - a session at a terminal: completion, history, Ctrl-C at the
# prompt and in a run, Ctrl-D, and the terminal as it was afterwards.
set -eu
exec python3 - "${BUILD:-build}/rvftrace" "${BUILD:-build}/guest-kernel/mcount/kernel.elf" <<'PY'
import fcntl, os, pty, re, select, subprocess, sys, termios, time

main, side = pty.openpty()
before = termios.tcgetattr(side)
session = subprocess.Popen(
    [sys.argv[1], "debug", "--console", "none", sys.argv[2]],
    stdin=side, stdout=side, stderr=side, start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
failed = False
seen = ""


def until(pattern, seconds=20):
    """What the session writes until the pattern comes, or the time is over."""
    global seen
    end = time.time() + seconds
    while not re.search(pattern, seen, re.S) and time.time() < end:
        if not select.select([main], [], [], 0.1)[0]:
            continue
        try:
            seen += os.read(main, 65536).decode(errors="replace")
        except OSError:
            break
    found = re.search(pattern, seen, re.S)
    text, seen = seen, seen[found.end():] if found else ""
    return bool(found), text


def claim(text, holds, shown=""):
    global failed
    failed |= not holds
    print(("ok - " if holds else "not ok - ") + text)
    if not holds:
        print("# " + repr(shown))


def editing():
    return not termios.tcgetattr(side)[3] & termios.ICANON


def types(text, keys, pattern, at_prompt=True):
    """libedit shows its prompt a moment before it takes the terminal; nobody types so fast."""
    end = time.time() + 20
    while editing() != at_prompt and time.time() < end:
        time.sleep(0.01)
    os.write(main, keys.encode())
    claim(text, *until(pattern))


def runs(command):
    """Gives the command, and the machine time to get going."""
    while not editing():
        time.sleep(0.01)
    os.write(main, command)
    while editing():
        time.sleep(0.01)
    time.sleep(0.5)


claim("a session begins with the first instruction", *until(r"<_start>.*\(rvftrace\) "))
types("TAB completes a command and a symbol", "tbr\tftrace_in\t\r",
      r"breakpoint 1 at 0x[0-9a-f]+ <ftrace_init>.*\(rvftrace\) ")
types("Ctrl-C leaves the line", "print junk\x03", r"\(rvftrace\) ")
types("the line that was left is not run", "continue\r",
      r"breakpoint 1, hart 0.*<ftrace_init>:.*\(rvftrace\) ")
types("a command steps", "step\r", r"step, hart 0.*<ftrace_init\+0x2>.*\(rvftrace\) ")
types("an empty line repeats it", "\r", r"step, hart 0.*<ftrace_init\+0x4>.*\(rvftrace\) ")
types("the arrow brings the last line back", "\x1b[A\r",
      r"step, hart 0.*<ftrace_init\+0x6>.*\(rvftrace\) ")
for which in ("a run", "a second one"):
    runs(b"continue\r")
    types("Ctrl-C stops " + which, "\x03", r"interrupted in hart 0.*\(rvftrace\) ", False)
runs(b"continue\r")
claim("a run goes on after a stop", not until(r"interrupted", 2)[0])
types("until it is stopped again", "\x03", r"interrupted in hart 0.*\(rvftrace\) ", False)
while not editing():
    time.sleep(0.01)
os.write(main, b"\x04")
end = time.time() + 20
while session.poll() is None and time.time() < end:
    until("no such text", 0.1)  # who restores a terminal waits until it was read
status = session.poll()
session.kill()
claim("Ctrl-D ends the session with status 0", status == 0, status)
claim("the terminal is as it was", termios.tcgetattr(side)[:6] == before[:6])
sys.exit(failed)
PY
