#!/bin/sh
# looks.sh - what a user at a terminal sees: colours, the line of progress, the short report.
set -eu
exec python3 - "${BUILD:-build}" "$(dirname "$0")" <<'PY'
import os, signal, sys, time

sys.path.insert(0, sys.argv[2])
from terminal import *

RVFTRACE = sys.argv[1] + "/rvftrace"
KERNEL = sys.argv[1] + "/guest-kernel/mcount/kernel.elf"
BROKEN = sys.argv[1] + "/guest-kernel/mcount-no-local-fence/kernel.elf"
LOOP = sys.argv[1] + "/guest/loop.elf"
RED = "\x1b[1;31m"


def output_of(*command, **env):
    """What is on the terminal at the end."""
    with Session([RVFTRACE, *command], env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **env}) as s:
        s.end()
        return s.all


claim("errors are coloured", RED + "error: " in output_of("run", "nosuch"))
claim("... but not with NO_COLOR", "\x1b" not in output_of("run", "nosuch", NO_COLOR="1"))
claim("... nor at a terminal that has no colours", "\x1b" not in output_of("run", "nosuch", TERM="dumb"))
find = ["run", "--quiet", "--console", "none", "--append", "ftrace=function script=\"work calls 9\"", BROKEN]
found = output_of(*find)
claim("findings are coloured as other errors are", RED + "error:\x1b[0m " in found, found)
found = output_of(*find, NO_COLOR="1")
claim("... but not with NO_COLOR", "error: " in found and "\x1b" not in found, found)

with Session([RVFTRACE, "run", "--console", "none", "--timeout", "20", LOOP]) as s:
    wait_for(lambda: s.cpu_seconds() > 0.05)
    claim("a run of less than two seconds shows no progress", "instructions" not in s.all, s.all)
    s.signal(signal.SIGSTOP) # the time goes on, and costs nothing
    time.sleep(2)
    s.signal(signal.SIGCONT)
    s.expect("one of more shows how far it is", r"\r\x1b\[Krvftrace: \d+ s, [\d,]+ M instructions, cycle [\d,]+ M")
    s.signal(signal.SIGTERM)
    s.end()
    claim("... in a line that is cleared", "\r\x1b[Kmodes:" in s.seen, s.seen)

with Session([RVFTRACE, "run", KERNEL]) as s:
    s.until(r"\n# $")
    s.type("poweroff\r")
    s.end()
    lines = s.seen.replace("\r", "").split("\n")
    at = [i for i, line in enumerate(lines) if line.startswith("disabled: ")]
    claim("after a shell at a terminal there are some sums", at and any(l.startswith("audit: ") for l in lines), lines)
    claim("... and no table", max(map(len, lines[at[0]:at[0] + 3])) < 90 and not any(l.startswith("site ") for l in lines), lines)
with Session([RVFTRACE, "run", "--rows", "3", KERNEL]) as s:
    s.until(r"\n# $")
    s.type("poweroff\r")
    s.end()
    claim("... unless --rows asks for it", "\nsite " in s.seen, s.seen)
finish()
PY
