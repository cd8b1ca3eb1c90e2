#!/usr/bin/env python3
"""rings.py - `run --rings` has the guest's ring buffers as the guest itself gives them.

Two runs of the same script: one is stopped by --max-cycles after recording, while the guest sleeps, and
its rings are read out of memory; in the other the guest goes on, and prints trace_pipe_raw, formats,
printk_formats and saved_cmdlines. A small ring, so that events were lost; one page of it was read in part.
"""
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from claims import FAILED, claim

T = "/sys/kernel/tracing"
EVENTS = ["sched/sched_switch", "syscalls/sys_enter_write", "syscalls/sys_exit_write", "raw_syscalls/sys_enter",
          "timer/hrtimer_start", "kmem/kmalloc", "ftrace/function", "ftrace/funcgraph_exit", "ftrace/bprint",
          "kprobes/mine"]
INSTANCES = ["first", "second"]
FACTS = ["trace_clock", "per_cpu/cpu0/stats", "per_cpu/cpu1/stats"]
FILES = FACTS + [f"events/{event}/format" for event in EVENTS] + ["printk_formats", "saved_cmdlines"] + \
        [f"{where}per_cpu/cpu{hart}/trace_pipe_raw" for where in ["", *(f"instances/{i}/" for i in INSTANCES)] for hart in (0, 1)]
RECORD = [f"cd {T}", "echo counter > trace_clock", "echo 'p:mine file_write size=$arg3' > kprobe_events", "echo 16 > buffer_size_kb",
          "mkdir instances/first instances/second", "echo 1 > instances/first/events/sched/sched_switch/enable",
          "echo 1 > events/sched/enable", "echo 1 > events/kprobes/mine/enable", "echo function > current_tracer",
          "ps | cat", "echo 0 > tracing_on", "head -n 3 trace_pipe", "echo 1 > tracing_on", "work calls 50",
          "echo 0 > tracing_on", "echo 0 > events/enable",
          *(f"echo 0 > instances/{i}/tracing_on" for i in INSTANCES)]


class Dat:
    """A trace.dat of version 6."""

    def __init__(self, data):
        self.data, self.at, self.formats = data, 10, {}
        assert data[:10] == b"\x17\x08\x44tracing"
        assert self.text() == b"6"
        self.at += 6
        for name in b"header_page", b"header_event":
            assert self.text() == name
            self.sized()
        self.read_formats("ftrace")
        for _ in range(self.number(4)):
            self.read_formats(self.text().decode())
        self.symbols, self.printk, self.cmdlines = self.sized(4), self.sized(4), self.sized()
        harts = self.number(4)
        assert self.text() == b"options  "
        self.instances, self.facts = {}, []
        while option := self.number(2):
            size = self.number(4)
            if option != 3:
                self.facts.append((option, data[self.at:self.at + size]))
                self.at += size
                continue
            place = self.number(8)
            self.instances[self.text().decode()] = place
            assert size >= 9
        self.pages = self.rings(harts)
        for name, self.at in self.instances.items():
            self.instances[name] = self.rings(harts)

    def text(self):
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at:end], end + 1
        return text

    def rings(self, harts):
        assert self.text() == b"flyrecord"
        places = [(self.number(8), self.number(8)) for _ in range(harts)]
        return [self.data[at:at + size] for at, size in places]

    def number(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "little")

    def sized(self, size=8):
        length = self.number(size)
        self.at += length
        return self.data[self.at - length:self.at]

    def read_formats(self, system):
        for _ in range(self.number(4)):
            text = self.sized()
            self.formats[f"{system}/{re.match(rb'name: (.*)', text).group(1).decode()}"] = text


def run(build, layout, *options):
    script = "; ".join(RECORD + ["sleep 1"] + [f"cat {file}" for file in FILES] + ["echo END"])
    return subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--harts", "2", *options, "--append",
                           f'script="{script}"', f"{build}/guest-kernel/{layout}/kernel.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)


def said_by_guest(said):
    found = {}
    for file, after in zip(FILES, FILES[1:] + [None]):
        begin = said.index(f"# cat {file}\n".encode()) + len(f"# cat {file}\n")
        found[file] = said[begin:said.index(f"# cat {after}\n".encode() if after else b"# echo END\n", begin)]
    return found


HART = "global_trace.array_buffer.buffer->cpu[1]"
# What a guest that means harm, or one that has lost its memory, may leave there: each line one damage.
DAMAGES = ["global_trace.next = &global_trace; global_trace.name = (char *)init_task.comm",
           f"{HART}->pages = (struct buffer_page *){HART}->slots",
           f"{HART}->nr_pages = 1 << 60; {HART}->tail = 1 << 62",
           f"{HART}->tail = {HART}->tail + 1000000000; {HART}->commit = {HART}->tail",
           f"{HART}->buffer->cpu[0] = {HART}",
           f"{HART}->slots = (unsigned long *)-4",
           f"{HART}->commit_page->page = {HART}->pages->page; {HART}->head = -1"]


def debug(build, work, commands, *options):
    with open(f"{work}/commands", "w", encoding="utf-8") as file:
        file.write("\n".join(commands) + "\nquit\n")
    return subprocess.run([f"{build}/rvftrace", "debug", "--quiet", "--console", "none", "-x", f"{work}/commands", *options],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)


def damaged_rings_end(build, layout, work):
    """Each damage ends --rings at once: the file is whole, or there is none and a line says why."""
    script = "; ".join([f"cd {T}", "echo 16 > buffer_size_kb", "mkdir instances/first", "echo 1 > events/sched/enable", "ps | cat", "poweroff"])
    debug(build, work, ["continue", f"save {work}/good.rvs"], "--harts", "2", "--append", f'script="{script}"',
          f"{build}/guest-kernel/{layout}/kernel.elf")
    for damage in [None] + DAMAGES:
        name = f"{work}/{'good' if not damage else 'damaged'}.rvs"
        if damage:
            said = debug(build, work, [f"set var {one}" for one in damage.split("; ")] + [f"save {name}"], "--restore", f"{work}/good.rvs").stdout
            claim(f"a guest with {damage}", b"saved in" in said and b"error" not in said and b"no member" not in said, said)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--console", "none", "--restore", name,
                               "--rings", f"{work}/d.dat"], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        whole = os.path.exists(f"{work}/d.dat")
        claim("... its rings are there, or refused with a line, within a second", taken < 1 and not os.path.exists(f"{work}/d.dat.part") and
              (whole if done.returncode == 0 else done.returncode == 74 and done.stderr.startswith(b"rvftrace: error: --rings: ")) and
              (whole or damage), (done, taken))
        if whole:
            os.unlink(f"{work}/d.dat")


def main(build, layout):
    with tempfile.TemporaryDirectory() as work:
        whole = run(build, layout, "--report", f"{work}/r.json")
        claim("the guest records and prints", whole.returncode == 0, whole.stderr)
        with open(f"{work}/r.json", encoding="utf-8") as file:
            cycles = int(re.search(r'"cycles": *(\d+)', file.read()).group(1))
        stopped = run(build, layout, "--max-cycles", str(cycles - 500000000), "--rings", f"{work}/guest.dat")
        claim("--rings says nothing", stopped.returncode == 75 and b"ring" not in stopped.stderr, stopped.stderr)
        with open(f"{work}/guest.dat", "rb") as file:
            dat = Dat(file.read())
        other = subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--rings", f"{work}/none.dat",
                                f"{build}/guest-kernel/none/kernel.elf", "--append", 'script="true"'],
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        claim("a kernel without rings is one line", other.returncode == 74 and not os.path.exists(f"{work}/none.dat") and
              b"--rings: found no ring buffers" in other.stderr, other)
        damaged_rings_end(build, layout, work)
    guest = said_by_guest(whole.stdout.replace(b"\r\n", b"\n"))
    for event in EVENTS:
        claim(f"the format of {event}", dat.formats.get(event) == guest[f"events/{event}/format"],
              (dat.formats.get(event), guest[f"events/{event}/format"]))
    facts = {option: [text for number, text in dat.facts if number == option] for option, _ in dat.facts}
    counts = [[line for line in guest[name].decode().splitlines() if line.split(":")[0] in
               ("entries", "overrun", "commit overrun", "dropped events", "read events")] for name in FACTS[1:]]
    claim("the clock", facts.get(4) == [guest["trace_clock"] + b"\0"] and b"[counter]" in guest["trace_clock"],
          (facts.get(4), guest["trace_clock"]))
    claim("what the rings have counted", [text.rstrip(b"\0").decode().splitlines()[1:] for text in facts.get(2, [])] == counts and
          any(not line.endswith(" 0") for line in counts[0][1:]), (facts.get(2), counts))
    claim("the kernel's name", len(facts.get(5, [])) == 1 and re.fullmatch(rb"Linux \S+ \S+ riscv64\0", facts[5][0]), facts.get(5))
    claim("printk_formats", dat.printk == guest["printk_formats"], (dat.printk[-300:], guest["printk_formats"][-300:]))
    claim("saved_cmdlines", dat.cmdlines == guest["saved_cmdlines"] and b" ps\n" in dat.cmdlines, dat.cmdlines)
    for hart in 0, 1:
        pages = guest[f"per_cpu/cpu{hart}/trace_pipe_raw"]
        claim(f"the pages of hart {hart}", dat.pages[hart] == pages and len(pages) % 4096 == 0,
              (len(dat.pages[hart]), len(pages)))
        for instance in INSTANCES:
            pages, own = guest[f"instances/{instance}/per_cpu/cpu{hart}/trace_pipe_raw"], dat.instances.get(instance)
            claim(f"... and of the instance {instance}", own and own[hart] == pages and (len(pages) > 0) == (instance == "first"),
                  (own and len(own[hart]), len(pages)))
    claim("no other instances", set(dat.instances) == set(INSTANCES), dat.instances.keys())
    commits = [struct.unpack_from("<Q", pages, at + 8)[0] for pages in dat.pages for at in range(0, len(pages), 4096)]
    claim("some are full, and events were lost before one", len(commits) > 4 and max(c & 0xfffff for c in commits) > 4000 and
          any(c >> 31 & 1 for c in commits), commits)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main(os.environ.get("BUILD", "build"), os.environ.get("LAYOUT", "mcount")))
