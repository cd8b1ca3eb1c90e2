#!/usr/bin/env python3
"""blktrace.py - what the block tracer records is what the disk did: as text, as events, and as the records of blkparse.

One run of the guest copies a file on an ext2 three times: with the block events on, with the tracer `blk`, and under
the program blktrace, which uses the ioctls. The records come out of the guest on the disk. They are held against the
disk's own counters in /sys/block/vda/stat, and the text against the records. The host's blkparse (BLKPARSE, or in
PATH) must read the records as the guest prints them; without one, that part is skipped.
"""
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

os.environ["PATH"] += ":/sbin:/usr/sbin"
T = "/sys/kernel/tracing"
COPY = "wc -l /mnt/numbers; cp /mnt/numbers /mnt/copy{0}; umount /mnt"
SCRIPT = f"""cd {T}
cat available_tracers
cat /sys/block/vda/trace/enable; cat /sys/block/vda/trace/act_mask
echo 1 > events/block/enable; mount -t ext2 /dev/vda /mnt; {COPY.format(1)}; echo 0 > events/block/enable
cat trace > /events; echo > trace; mount -t ext2 /dev/vda /mnt
echo blk > current_tracer; echo read,nosuch > /sys/block/vda/trace/act_mask; echo 1 > /sys/block/vda/trace/enable
cat /sys/block/vda/trace/act_mask; cat /sys/block/vda/trace/end_lba; cat /sys/block/vda/trace/pid
cat /sys/block/vda/stat; {COPY.format(2)}; cat /sys/block/vda/stat; echo 0 > /sys/block/vda/trace/enable; cat trace > /text
echo verbose > trace_options; cat trace > /verbose; echo noverbose > trace_options
echo blk_classic > trace_options; cat trace > /classic; echo noblk_classic > trace_options
echo nocontext-info > trace_options; echo bin > trace_options; echo 0 > tracing_on; cat trace_pipe > /bin.blktrace.0
echo nobin > trace_options; echo context-info > trace_options; echo 1 > tracing_on; echo > trace
mount -t ext2 /dev/vda /mnt; echo complete,READ > /sys/block/vda/trace/act_mask; cat /sys/block/vda/trace/enable
cat /sys/block/vda/trace/act_mask; echo 256 > /sys/block/vda/trace/act_mask; cat /sys/block/vda/trace/act_mask
echo write > /sys/block/vda/trace/act_mask; echo 100 > /sys/block/vda/trace/start_lba; echo 2000 > /sys/block/vda/trace/end_lba
cp /mnt/numbers /mnt/copy3; umount /mnt; cat trace > /masked; echo 0 > /sys/block/vda/trace/enable; echo nop > current_tracer
mount -t ext2 /dev/vda /mnt; cat /sys/block/vda/stat; blktrace /dev/vda /vda '{COPY.format(4)}'; cat /sys/block/vda/stat
ls /sys/kernel/debug/block; mount -t ext2 /dev/vda /mnt; echo 1 > /sys/block/vda/trace/enable; blktrace /dev/vda /no 'echo not run'
echo 0 > /sys/block/vda/trace/enable
for f in events text verbose classic masked bin.blktrace.0 vda.blktrace.0 vda.blktrace.1; do cp /$f /mnt/$f; done; umount /mnt
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
    """Returns the console and the files that the guest has left on the disk."""
    disk, root = os.path.join(work, "disk"), os.path.join(work, "root")
    os.mkdir(root)
    with open(os.path.join(root, "numbers"), "w", encoding="utf-8") as file:
        file.write("".join(f"{n}\n" for n in range(1, 12001)))
    subprocess.run(["mke2fs", "-q", "-t", "ext2", "-b", "1024", "-d", root, disk, "3M"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    script = SCRIPT.replace("\n", "; ")
    done = subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--audit", "fail", "--harts", "2", "--memory", "128M",
                           "--drive", disk, "--initrd", f"{build}/guest-kernel/initrd.cpio",
                           "--append", f'trace_buf_size=256k script="{script}"',
                           f"{build}/guest-kernel/{layout}/kernel.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    files = {}
    for name in "events text verbose classic masked bin.blktrace.0 vda.blktrace.0 vda.blktrace.1".split():
        path = os.path.join(work, name)
        subprocess.run(["debugfs", "-R", f"dump {name} {path}", disk], check=False, capture_output=True)
        with open(path, "rb") as file:
            files[name] = file.read()
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
    text = files["text"].decode().splitlines()
    lines = [re.sub(r"^.*\[\d+\] .{5} +[0-9.]+: ", "", line) for line in text if line[0] != "#"]
    comms = [re.match(r" *(.*)-\d+ +\[", line).group(1) for line in text if line[0] != "#"]
    expected = [line_of(record, comm) for record, comm in zip(found, comms)]
    check(f"blk prints its {len(found)} records", lines == expected,
          *(f"{a!r}, the record is {b!r}" for a, b in zip(lines, expected) if a != b))
    classic = files["classic"].decode().splitlines()
    check("... in the classic form with hart, time and pid", classic[2:4] == [
        "# DEV   CPU TIMESTAMP     PID ACT FLG", "#  |     |     |           |   |   |"] and classic[4:] == [
            re.sub(r"^(.{7} )", lambda m, r=r: f"{m.group(1)}{r.cpu:2d} {r.time // 10**9:5d}.{r.time % 10**9:09d} {r.pid:5d} ", line)
            for line, r in zip(expected, found)], *classic[:6])
    verbose = [line for line in files["verbose"].decode().splitlines() if line[0] != "#"]
    check("... verbose by name", [line.split(": ")[1].split()[1] for line in verbose] == [NAMES[letter(r)] for r in found],
          *verbose[:3])
    done = [b - a for a, b in zip(stats(console)[0], stats(console)[1])]
    check("what is completed is what the disk counts", transfers(found, "C") == tuple(done) and min(done) > 0,
          transfers(found, "C"), done)
    check("... and was issued before", transfers(found, "D") == tuple(done), transfers(found, "D"))
    queued, completed = transfers(found, "Q"), transfers(found, "C")
    check("... as much as was queued, in fewer requests", (queued[1], queued[3]) == (completed[1], completed[3]) and
          queued[2] > completed[2], queued, completed)
    masked = [line.split(": ")[1] for line in files["masked"].decode().splitlines() if line[0] != "#"]
    check("act_mask, start_lba and end_lba limit it", len(masked) > 5 and
          all(re.match(r"254,0 +\S+ +F", line) or 100 <= int(re.match(r"254,0 +\S+ +W\S* (\d+) ", line).group(1)) <= 2000
              for line in masked), *masked[:5])


def check_events(files):
    seen = collections.Counter(re.findall(r"[0-9]: (block_\w+): ", files["events"].decode()))
    check("there are events of each step", all(seen[name] for name in EVENTS if name != "block_bio_frontmerge") and
          seen["block_touch_buffer"] and seen["block_dirty_buffer"], seen)
    check("each request that is issued is completed", seen["block_rq_issue"] == seen["block_rq_complete"] == seen["block_getrq"],
          seen)
    check("each bio gets a request or is merged", seen["block_bio_queue"] == seen["block_getrq"] + seen["block_bio_backmerge"] +
          seen["block_bio_frontmerge"], seen)


def check_ioctl(console, files):
    harts = [records(files[f"vda.blktrace.{cpu}"]) for cpu in (0, 1)]
    check("the records of a program are numbered on each hart", all(
        [r.sequence for r in hart] == list(range(1, len(hart) + 1)) for hart in harts))
    check("... and are of that hart", all(r.cpu == cpu for cpu, hart in enumerate(harts) for r in hart))
    both = sorted((r for hart in harts for r in hart), key=lambda r: r.time)
    done = tuple(b - a for a, b in zip(stats(console)[2], stats(console)[3]))
    actions = [r for r in both if not r.action >> 16 & 0x400]
    check("... complete what the disk counts", transfers(actions, "C") == done and min(done) > 0, transfers(actions, "C"), done)
    names = {r.pid: r.pdu.rstrip(b"\0").decode() for r in both if r.action == 0x04000000}
    check("... and name each task", {"wc", "umount"} <= set(names.values()) and {r.pid for r in actions} <= set(names), names)
    woken = re.search(r"^blktrace: woken (\d+) times, 0 times without a record$", console, re.M)
    check("... and wake who polls", woken and int(woken[1]) > 0, *re.findall("^blktrace: woken.*", console, re.M))
    check("the files of a trace end with it", re.search(r"# ls /sys/kernel/debug/block\n# ", console))
    check("a disk has one trace", "blktrace: /dev/vda: error 16" in console and "\nnot run\n" not in console)
    return both


def check_blkparse(files, both, work):
    blkparse = os.environ.get("BLKPARSE") or shutil.which("blkparse")
    if not blkparse:
        print("ok - SKIP: no blkparse")
        return

    def lines(arguments, data=None):
        done = subprocess.run([blkparse, *arguments, "-f", "%D %2c %T.%t %p %a %d %S %n %e\n"], input=data, cwd=work,
                              capture_output=True, check=False)
        return [line.split() for line in done.stdout.decode().splitlines() if re.match(r" *254,0 ", line)]

    def expected(found):
        start = found[0].time
        for r in found:
            fields = line_of(r, "").split()
            since = r.time - start
            yield ["254,0", str(r.cpu), f"{since // 10**9}.{since % 10**9:09d}", str(r.pid), fields[1], fields[2], str(r.sector),
                   str(r.bytes // 512), str(r.error)]
    for name, found, said in (("the trace", records(files["bin.blktrace.0"]), lines(["-i", "-"], files["bin.blktrace.0"])),
                              ("the program", [r for r in both if not r.action >> 16 & 0x400], lines(["-i", "vda"]))):
        wanted = list(expected(found))
        check(f"blkparse reads the {len(found)} records of {name}", said == wanted,
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
        found = records(files["bin.blktrace.0"])
        check_text(console, files, found)
        both = check_ioctl(console, files)
        check_blkparse(files, both, work)
    sys.exit(failed)


if __name__ == "__main__":
    main()
