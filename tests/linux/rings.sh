#!/bin/sh
# shellcheck disable=SC2154 # common.inc and linux.inc set the names
# rings.sh - `run --rings' has the ring buffers of Linux, and of its instances, as Linux shows them: in 6.1, whose members
# are found by DWARF, and in Debian's kernel, of which there is only an Image, by its BTF.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

cat >"$work/lines" <<'LINES'
mount -t tracefs t /sys/kernel/tracing; cd /sys/kernel/tracing
mkdir instances/one; echo 1 > instances/one/events/sched/sched_switch/enable; echo 16 > buffer_size_kb
echo 1 > events/sched/enable; ls / | cat; ps | cat; head -n 3 trace_pipe | cat; sleep 1
echo 0 > tracing_on; echo 0 > instances/one/tracing_on; echo BEGIN; cat trace; echo END
echo BEGIN; cat instances/one/trace; echo END
cat events/sched/sched_switch/format events/syscalls/sys_enter_write/format events/ftrace/funcgraph_exit/format
LINES

cat >"$work/check.py" <<'PY'
"""check.py DAT CONSOLE: the events of the file are those that the guest has shown."""
import collections, re, struct, sys
sys.path.insert(0, sys.argv[3])
from rings import Dat

def events(dat, pages):
    """(hart, name, pid, microseconds) of each."""
    names = {int(re.search(rb"ID: (\d+)", text).group(1)): name.split("/")[1] for name, text in dat.formats.items()}
    for hart, ring in enumerate(pages):
        for base in range(0, len(ring), 4096):
            time, commit = struct.unpack_from("<QQ", ring, base)
            at, end = base + 16, base + 16 + (commit & 0xfffff)
            while at < end:
                word, first = struct.unpack_from("<II", ring, at)
                kind, size = word & 31, 4
                time += word >> 5 if kind not in (29, 31) else 0
                if kind == 30:
                    time += first << 27
                    at += 8
                elif kind == 31:
                    time = first << 27 | word >> 5
                    at += 8
                elif kind == 29:
                    at += 4 + first if word >> 5 else 4096
                else:
                    size, data = (first, at + 8) if not kind else (kind * 4, at + 4)
                    number, _, pid = struct.unpack_from("<HHi", ring, data)
                    yield hart, names[number], pid, (time + 500) // 1000
                    at += 4 + size

dat = Dat(open(sys.argv[1], "rb").read())
console = open(sys.argv[2], errors="replace").read().replace("\r", "")
line = re.compile(r"(?m)^ +\S.*-(\d+) +\[(\d+)\] +\S+ +(\d+)\.(\d{6}): (\w+): ")
shown = [[(int(hart), name, int(pid), int(s) * 1000000 + int(us)) for pid, hart, s, us, name in line.findall(part)]
         for part in re.findall(r"(?ms)^BEGIN\n(.*?)^END", console)]
assert len(shown) == 2 and min(map(len, shown)) > 50, shown
assert list(dat.instances) == ["one"]
for guest, pages in zip(shown, (dat.pages, dat.instances["one"])):
    own = collections.Counter(events(dat, pages))
    assert own == collections.Counter(guest), (own - collections.Counter(guest), collections.Counter(guest) - own)
for event in "sched/sched_switch", "syscalls/sys_enter_write", "ftrace/funcgraph_exit":
    assert dat.formats[event].decode() in console or event not in dat.formats, dat.formats[event]
assert len(dat.formats) > 500 and b" sh\n" in dat.cmdlines and b' : "' in dat.printk
PY

same() { python3 "$work/check.py" "$work/guest.dat" "$out" "$(dirname "$0")/../guest"; }
# shellcheck disable=SC2086 # options are words
linux "$cache/linux-6.1-tracers/Image" --harts 2 --symbols "$cache/linux-6.1-tracers/vmlinux" --rings "$work/guest.dat" \
    $allow_a1 $allow_order
claim 'Linux 6.1 ends' has_status 0
claim '... and the rings in its memory are what it shows' same
linux "$debian" --memory 1G --harts 2 --rings "$work/guest.dat"
claim "Debian's kernel ends" has_status 0
claim '... and the rings in its memory are what it shows' same
finish
