#!/bin/sh
# terminal.sh - a session at a terminal: completion, history, Ctrl-C at the
# prompt and in a run, Ctrl-D, and the terminal restored afterwards.
set -eu
exec python3 - "${BUILD:-build}" "$(dirname "$0")/../cli" <<'PY'
import sys, time

sys.path.insert(0, sys.argv[2])
from terminal import *

PROMPT = r"\(rvftrace\) "


def is_editing():
    return not s.flags()[3] & termios.ICANON


def types(sentence, keys, pattern):
    """libedit shows its prompt a moment before it is ready for keys."""
    wait_for(is_editing)
    s.type(keys)
    s.expect(sentence, pattern)


def runs():
    """Lets the machine get going; the guest has no console, so the terminal stays as it was found."""
    wait_for(is_editing)
    s.type("continue\r")
    wait_for(lambda: not is_editing())
    time.sleep(0.5)


with Session([sys.argv[1] + "/rvftrace", "debug", "--console", "none",
              sys.argv[1] + "/guest-kernel/mcount/kernel.elf"]) as s:
    s.expect("a session begins with the first instruction", "<_start>.*" + PROMPT)
    types("TAB completes a command and a symbol", "tbr\tftrace_in\t\r",
          "breakpoint 1 at 0x[0-9a-f]+ <ftrace_init>.*" + PROMPT)
    types("Ctrl-C leaves the line", "print junk\x03", PROMPT)
    types("Ctrl-C on an empty line gives a new prompt", "\x03", r"\n" + PROMPT)
    types("... again and again", "\x03", r"\n" + PROMPT)
    types("the line that was left is not run", "continue\r",
          "breakpoint 1, hart 0.*<ftrace_init>:.*" + PROMPT)
    types("a command steps", "stepi\r", r"stepi, hart 0.*<ftrace_init\+0x2>.*" + PROMPT)
    types("an empty line repeats it", "\r", r"stepi, hart 0.*<ftrace_init\+0x4>.*" + PROMPT)
    types("the arrow brings the last line back", "\x1b[A\r",
          r"stepi, hart 0.*<ftrace_init\+0x6>.*" + PROMPT)
    types("what is typed need not be ASCII", "echo h\u00e9 \u4e16\r", "\nh\u00e9 \u4e16" + PROMPT)
    for which in ("a run", "a second one"):
        runs()
        s.type("\x03")
        s.expect("Ctrl-C stops " + which, "interrupted in hart 0.*" + PROMPT)
    runs()
    claim("a run goes on after a stop", s.until("interrupted", 2) is None, s.all)
    s.type("\x03")
    s.expect("until it is stopped again", "interrupted in hart 0.*" + PROMPT)
    types("a loop of commands begins", "while 1\r", ">")
    types("... has a line", "set $i = 1\r", ">")
    wait_for(is_editing)
    s.type("end\r")
    wait_for(lambda: not is_editing())
    time.sleep(0.3)
    claim("... and does not end by itself", s.until(PROMPT, 0.2) is None, s.all)
    s.type("\x03")
    s.expect("Ctrl-C ends it", r"Quit\r\n.*" + PROMPT)
    types("the session goes on", "print $i\r", r"\$1 = 1\r\n.*" + PROMPT)
    runs()
    s.type("\x03")
    s.expect("... and a run is stopped as before", "interrupted in hart 0.*" + PROMPT)
    wait_for(is_editing)
    s.type("\x04")
    claim("Ctrl-D ends the session with status 0", s.end() == 0, s.all)
    claim("the terminal is as it was", s.is_restored())
finish()
PY
