#!/usr/bin/env python3
"""blktrace.py - what the block tracer records is what the disk did: as text, as events, and as the records of blkparse.

One run of the guest reads and writes a disk three times: with the block events on, with the tracer `blk`, and with a
mask. The records come out of the guest through ports. They are held against the disk's own counters in
/sys/block/vda/stat, and the text against the records. The host's blkparse (BLKPARSE, or in PATH) must read the records
as the guest prints them; without one, that part is skipped.
"""
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

T = "/sys/kernel/tracing"
TEXTS = "events text verbose classic masked"
# What was read is in the page cache afterwards: each time from another place.
COPY = "dd if=/dev/vda of=/copy bs=4096 count=40 skip={0}; dd if=/copy of=/dev/vda bs=4096 seek=600"
SCRIPT = f"""cd {T}
cat available_tracers
cat /sys/block/vda/trace/enable; cat /sys/block/vda/trace/act_mask
echo 1 > events/block/enable; {COPY.format(0)}; echo 0 > events/block/enable
cat trace > /events; echo > trace
echo blk > current_tracer; echo read,nosuch > /sys/block/vda/trace/act_mask; echo 1 > /sys/block/vda/trace/enable
cat /sys/block/vda/trace/act_mask; cat /sys/block/vda/trace/end_lba; cat /sys/block/vda/trace/pid
cat /sys/block/vda/stat; {COPY.format(100)}; cat /sys/block/vda/stat; echo 0 > /sys/block/vda/trace/enable; cat trace > /text
echo verbose > trace_options; cat trace > /verbose; echo noverbose > trace_options
echo blk_classic > trace_options; cat trace > /classic; echo noblk_classic > trace_options
echo nocontext-info > trace_options; echo bin > trace_options; echo 0 > tracing_on; cat trace_pipe > /bin.blktrace.0
echo nobin > trace_options; echo context-info > trace_options; echo 1 > tracing_on; echo > trace
echo complete,READ > /sys/block/vda/trace/act_mask; cat /sys/block/vda/trace/enable
cat /sys/block/vda/trace/act_mask; echo 256 > /sys/block/vda/trace/act_mask; cat /sys/block/vda/trace/act_mask
echo write > /sys/block/vda/trace/act_mask; echo 4900 > /sys/block/vda/trace/start_lba; echo 5000 > /sys/block/vda/trace/end_lba
dd if=/copy of=/dev/vda bs=4096 seek=600; dd if=/copy of=/dev/vda bs=4096 seek=560; dd if=/copy of=/dev/vda bs=4096 seek=620
cat trace > /masked; echo 0 > /sys/block/vda/trace/enable; echo nop > current_tracer
for f in {TEXTS}; do echo == $f; cat /$f; done > /dev/vport1p1; cat /bin.blktrace.0 > /dev/vport1p2
echo the end"""
ACTIONS = [None, "Q", "M", "F", "G", "S", "R", "D", "C", "P", "U", "UT", "I", "X", "B", "A"]
NAMES = {"Q": "queue", "M": "backmerge", "F": "frontmerge", "G": "getrq", "D": "issue", "C": "complete", "P": "plug",
         "U": "unplug_io", "UT": "unplug_timer", "I": "insert", "X": "split"}
EVENTS = {"block_bio_queue": "Q", "block_bio_backmerge": "M", "block_bio_frontmerge": "F", "block_getrq": "G",
          "block_rq_insert": "I", "block_rq_issue": "D", "block_rq_complete": "C", "block_plug": "P", "block_unplug": "U"}
Record = collections.namedtuple("Record", "sequence time sector bytes action pid device cpu error pdu")
failed = False


def check(sentence, fine, *why):
    global failed
    print(("ok - " if fine else "not ok - ") + sentence)
    for line in why[:6] if not fine else ():
        print(f"# {line}"[:300])
    failed |= not fine


def run_guest(build, layout, work):
    """Returns the console and the files that the guest has written."""
    disk = os.path.join(work, "disk")
    with open(disk, "wb") as file:
        file.write(bytes(n * n & 255 for n in range(1024)) * 3072)
    texts, binary = os.path.join(work, "texts"), os.path.join(work, "binary")
    script = SCRIPT.replace("\n", "; ")
    done = subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--audit", "fail", "--harts", "2", "--memory", "128M",
                           "--drive", disk, "--port", f"texts={texts}", "--port", f"binary={binary}", "--append", f'trace_buf_size=256k script="{script}"',
                           f"{build}/guest-kernel/{layout}/kernel.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    with open(texts, encoding="utf-8") as file:
        parts = re.split(r"^== (\w+)\n", file.read(), flags=re.M)
    files = dict(zip(parts[1::2], parts[2::2]))
    with open(binary, "rb") as file:
        files["binary"] = file.read()
    return done.stdout.decode().replace("\r", ""), done.returncode, files


def records(data):
    found, at = [], 0
    while at < len(data):
        magic, *fields, error, length = struct.unpack_from("<IIQQIIIIIHH", data, at)
        assert magic == 0x65617407, f"{magic:x} at {at}"
        found.append(Record(*fields, error, data[at + 48:at + 48 + length]))
        at += 48 + length
    return found


def letter(record):
    return ACTIONS[record.action & 0xffff]


def line_of(record, comm):
    """The record as blk prints it after its columns: action, operation, place."""
    tc, what = record.action >> 16, letter(record)
    rwbs = ("F" if tc & 4 else "") + ("W" if tc & 2 else "R" if record.bytes else "N") + ("F" if tc & 0x8000 else "") + \
        ("A" if tc & 0x800 else "") + ("S" if tc & 8 else "") + ("M" if tc & 0x1000 else "")
    place = f"{record.sector} + {record.bytes // 512} " if record.bytes >= 512 else ""
    if what == "C":
        place = (place or f"{record.sector} ") + f"[{record.error}]"
    elif what in ("U", "UT"):
        place = f"[{comm}] {int.from_bytes(record.pdu, 'big')}"
    elif what == "X":
        place = f"{record.sector} / {int.from_bytes(record.pdu, 'big')} [{comm}]"
    else:
        place += f"[{comm}]"
    return f"{record.device >> 20:3d},{record.device & 0xfffff:<3d} {what:>2} {rwbs:>3} {place}"


def stats(console):
    """(reads, sectors read, writes, sectors written) for each `cat .../stat`."""
    return [tuple(map(int, (n[0], n[2], n[4], n[6]))) for n in
            (line.split() for line in re.findall(r"^ +\d+ +0 +\d+ +\d+ .*$", console, re.M))]


def transfers(found, what):
    """The same four numbers of the records of one action."""
    sums = [0, 0, 0, 0]
    for record in found:
        if letter(record) == what and not record.action >> 16 & 4:
            write = record.action >> 16 & 2
            sums[write] += 1
            sums[write + 1] += record.bytes // 512
    return tuple(sums)


def check_text(console, files, found):
    text = files["text"].splitlines()
    lines = [re.sub(r"^.*\[\d+\] .{5} +[0-9.]+: ", "", line) for line in text if line[0] != "#"]
    comms = [re.match(r" *(.*)-\d+ +\[", line).group(1) for line in text if line[0] != "#"]
    expected = [line_of(record, comm) for record, comm in zip(found, comms)]
    check(f"blk prints its {len(found)} records", lines == expected,
          *(f"{a!r}, the record is {b!r}" for a, b in zip(lines, expected) if a != b))
    classic = files["classic"].splitlines()
    check("... in the classic form with hart, time and pid", classic[2:4] == [
        "# DEV   CPU TIMESTAMP     PID ACT FLG", "#  |     |     |           |   |   |"] and classic[4:] == [
            re.sub(r"^(.{7} )", lambda m, r=r: f"{m.group(1)}{r.cpu:2d} {r.time // 10**9:5d}.{r.time % 10**9:09d} {r.pid:5d} ", line)
            for line, r in zip(expected, found)], *classic[:6])
    verbose = [line for line in files["verbose"].splitlines() if line[0] != "#"]
    check("... verbose by name", [line.split(": ")[1].split()[1] for line in verbose] == [NAMES[letter(r)] for r in found],
          *verbose[:3])
    done = [b - a for a, b in zip(stats(console)[0], stats(console)[1])]
    check("what is completed is what the disk counts", transfers(found, "C") == tuple(done) and min(done) > 0,
          transfers(found, "C"), done)
    check("... and was issued before", transfers(found, "D") == tuple(done), transfers(found, "D"))
    queued, completed = transfers(found, "Q"), transfers(found, "C")
    check("... as much as was queued, in fewer requests", (queued[1], queued[3]) == (completed[1], completed[3]) and
          queued[2] > completed[2], queued, completed)
    masked = [line.split(": ")[1] for line in files["masked"].splitlines() if line[0] != "#"]
    check("act_mask, start_lba and end_lba limit it", len(masked) > 5 and
          all(re.match(r"254,0 +\S+ +F", line) or 4900 <= int(re.match(r"254,0 +\S+ +W\S* (\d+) ", line).group(1)) <= 5000
              for line in masked), *masked[:5])


def check_events(files):
    seen = collections.Counter(re.findall(r"[0-9]: (block_\w+): ", files["events"]))
    check("there are events of each step", all(seen[name] for name in EVENTS if name != "block_bio_frontmerge") and
          seen["block_dirty_buffer"], seen)
    check("each request that is issued is completed", seen["block_rq_issue"] == seen["block_rq_complete"] == seen["block_getrq"],
          seen)
    check("each bio gets a request or is merged", seen["block_bio_queue"] == seen["block_getrq"] + seen["block_bio_backmerge"] +
          seen["block_bio_frontmerge"], seen)


def check_blkparse(data, found):
    blkparse = os.environ.get("BLKPARSE") or shutil.which("blkparse")
    if not blkparse:
        print("ok - SKIP: no blkparse")
        return
    done = subprocess.run([blkparse, "-i", "-", "-f", "%D %2c %T.%t %p %a %d %S %n %e\n"], input=data,
                          capture_output=True, check=False)
    said = [line.split() for line in done.stdout.decode().splitlines() if re.match(r" *254,0 ", line)]
    wanted = []
    for r in found:
        fields = line_of(r, "").split()
        since = r.time - found[0].time
        wanted.append(["254,0", str(r.cpu), f"{since // 10**9}.{since % 10**9:09d}", str(r.pid), fields[1], fields[2],
                       str(r.sector), str(r.bytes // 512), str(r.error)])
    check(f"blkparse reads the {len(found)} records", said == wanted,
          *(f"{a}, should be {b}" for a, b in zip(said, wanted) if a != b), len(said))


def main():
    with tempfile.TemporaryDirectory() as work:
        console, status, files = run_guest(os.environ.get("BUILD", "build"), os.environ.get("LAYOUT", "pfe8"), work)
        check("the auditor finds nothing, and the script ends", status == 0 and "\nthe end\n" in console, console[-600:])
        check("the tracer exists", re.search(r"^blk |\bblk$| blk ", console, re.M))
        check("a disk is not traced at first", "\n0\n# cat /sys/block/vda/trace/act_mask\ndisabled\n" in console)
        check("... then of all, to its end, by all tasks", "\nread,write,flush,sync,queue,requeue,issue,complete,fs,pc,notify,"
              "ahead,meta,discard,drv_data,fua\n# cat /sys/block/vda/trace/end_lba\n6144\n# cat /sys/block/vda/trace/pid\n0\n" in console)
        check("a mask has known names", "Invalid argument" in console)
        check("... and turns tracing on", "trace/enable\n1\n# cat /sys/block/vda/trace/act_mask\nread,complete\n" in console)
        check("... or is a number", "\nfs\n" in console)
        check_events(files)
        found = records(files["binary"])
        check_text(console, files, found)
        check_blkparse(files["binary"], found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
