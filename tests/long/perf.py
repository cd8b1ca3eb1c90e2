#!/usr/bin/env python3
"""perf.py - what the guest's `perf record` writes is read by the host's perf.

A command is sampled by a counter with the callers, and by a tracepoint. The host's `perf script` must name
functions of the kernel and of compiled programs in BPF, show chains to the system call, print the tracepoint's entries,
and count as many as the program has made. PERF names another perf than the one in PATH.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from claims import FAILED, claim

BUILD = os.environ.get("BUILD", "build")
CALLS = 500
PROGRAM = f"{BUILD}/guest-kernel/user/bin/sysbench"


def record(work, layout, options, command=f"sysbench getpid {CALLS}", before=""):
    data, symbols = os.path.join(work, "perf.data"), os.path.join(work, "kallsyms")
    script = f"{before} perf record {options} -o /dev/vport0p1 {command}; cat /proc/kallsyms > /dev/vport0p2"
    done = subprocess.run([f"{BUILD}/rvftrace", "run", "--quiet", "--audit=fail", "--harts", "2", "--memory", "128M",
                           "--timeout", "60", "--port", f"data={data}", "--port", f"syms={symbols}",
                           "--initrd", f"{BUILD}/guest-kernel/initrd.cpio", "--append", f'script="{script}"',
                           f"{BUILD}/guest-kernel/{layout}/kernel.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    claim(f"{layout}: perf record {options}: the audit has no finding", done.returncode == 0, done.stderr.decode())
    return data, symbols


def perf(*command):
    done = subprocess.run([PERF, *command], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    claim(f"perf {command[0]} reads it", done.returncode == 0, done.stderr)
    return done.stdout.decode(errors="replace")


def main():
    with tempfile.TemporaryDirectory() as work:
        for layout in "pfe8", "mcount", "atomic":
            data, symbols = record(work, layout, "-e cycles,syscalls:sys_exit_getpid -c 1000 -g")
            text = perf("script", "-f", "-i", data, "--kallsyms", symbols, "-F", "comm,pid,cpu,event,ip,sym")
            claim(f"{layout}: chains lead to the system call",
                  re.search(r"cycles:.*\n.* (\w+)\n(.*\n)*?.* do_trap_exception\n", text), text)
            claim(f"{layout}: samples are of the command", re.search(r"^sysbench +\d+ \[00[01]\]", text, re.M), text)
            data, symbols = record(work, layout, "-e syscalls:sys_enter_getpid,syscalls:sys_exit_getpid -c 1")
            text = perf("script", "-f", "-i", data, "--kallsyms", symbols)
            claim(f"{layout}: each call is a sample", text.count("syscalls:sys_enter_getpid:") == CALLS + 1, text)
            claim(f"{layout}: its entry is printed by the format",
                  len(re.findall(r"syscalls:sys_exit_getpid: 0x[0-9a-f]+$", text, re.M)) == CALLS + 1, text)
            text = perf("report", "-f", "--stdio", "-i", data, "--kallsyms", symbols, "-n")
            claim(f"{layout}: perf report counts them", re.search(rf"Samples: {CALLS + 1} +of event", text), text)
        jit = "echo 1 > /proc/sys/net/core/bpf_jit_enable;"
        data, symbols = record(work, "pfe8", "-e cycles -c 500", "bpfjit detach 1", jit)
        text = perf("script", "-f", "-i", data, "--kallsyms", symbols, "-F", "ip,sym")
        claim("samples in a compiled program have its name", re.search(r" bpf_prog_[0-9a-f]{16}_random$", text, re.M), text)
    return bool(FAILED)


PERF = shutil.which(os.environ.get("PERF", "perf"))
if not PERF:
    claim("there is perf", False, "install it, or name it by PERF")
    sys.exit(1)
sys.exit(main())
