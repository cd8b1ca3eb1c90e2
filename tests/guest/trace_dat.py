#!/usr/bin/env python3
"""trace_dat.py - trace-cmd reads what the guest recorded as the guest itself prints it.

One run of the guest turns events on, prints `trace`, their format files, and the pages of each hart.
Of these and the kernel's symbols a trace.dat (version 6) is made, and `trace-cmd report` must print
the same entries: task, hart, time, event, and text. An event of a system call is compared by its
numbers, because libtraceevent prints it by its format and the kernel as a call; of a pointer, 0x is
ignored, and the size of a function after an offset, which the symbols do not have. TRACE_CMD is the program; without one, the test is skipped.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

T = "/sys/kernel/tracing"
HARTS = 2
EVENTS = ["sched/sched_switch", "sched/sched_waking", "sched/sched_process_fork",
          "task/task_newtask", "task/task_rename", "raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
          "syscalls/sys_enter_openat", "syscalls/sys_exit_openat",
          "syscalls/sys_enter_write", "syscalls/sys_exit_write", "workqueue/workqueue_queue_work",
          "workqueue/workqueue_execute_start", "workqueue/workqueue_execute_end",
          "signal/signal_generate", "rcu/rcu_utilization", "ipi/ipi_raise", "ipi/ipi_entry",
          "timer/hrtimer_start", "kmem/kmalloc", "exceptions/page_fault_user"]


def run_guest(build, layout):
    """Returns what each command printed, in order, as (command, bytes)."""
    script = ["cd " + T, "echo > trace"]
    script += [f"echo 1 > events/{event}/enable" for event in EVENTS]
    script += ["selftest workqueue", "ls /bin", "echo 0 > tracing_on", "echo 0 > events/enable",
               "cat events/header_page", "cat events/header_event"]
    script += [f"cat events/{event}/format" for event in EVENTS]
    script += ["cat printk_formats", "cat saved_cmdlines", "cat trace"]
    script += [f"cat per_cpu/cpu{cpu}/trace_pipe_raw" for cpu in range(HARTS)] + ["echo END"]
    done = subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--audit", "fail", "--harts", str(HARTS), "--memory",
                           "128M", "--append", 'trace_buf_size=256k script="' + "; ".join(script) + '"',
                           f"{build}/guest-kernel/{layout}/kernel.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=True)
    said = done.stdout.replace(b"\r\n", b"\n")
    at, output = 0, {}
    for command, following in zip(script, script[1:]):
        begin = said.index(b"# " + command.encode() + b"\n", at) + len(command) + 3
        at = said.index(b"# " + following.encode() + b"\n", begin)
        output[command] = said[begin:at]
    return output


def sized(data, form="<Q"):
    return struct.pack(form, len(data)) + data


def trace_dat(output, symbols):
    """The file: formats, symbols, names of tasks, then the pages of each hart."""
    head = b"\x17\x08\x44tracing6\0" + b"\0\x08" + struct.pack("<I", 4096)
    head += b"header_page\0" + sized(output["cat events/header_page"])
    head += b"header_event\0" + sized(output["cat events/header_event"])
    systems = {}
    for event in EVENTS:
        systems.setdefault(event.split("/")[0], []).append(output[f"cat events/{event}/format"])
    head += struct.pack("<II", 0, len(systems))
    for name, formats in systems.items():
        head += name.encode() + b"\0" + struct.pack("<I", len(formats)) + b"".join(map(sized, formats))
    head += sized(symbols, "<I") + sized(output["cat printk_formats"], "<I") + sized(output["cat saved_cmdlines"])
    head += struct.pack("<I", HARTS) + b"options  \0" + struct.pack("<H", 0) + b"flyrecord\0"
    pages = [output[f"cat per_cpu/cpu{cpu}/trace_pipe_raw"] for cpu in range(HARTS)]
    at = -(-(len(head) + 16 * HARTS) // 4096) * 4096
    table, body = b"", b""
    for raw in pages:
        table += struct.pack("<QQ", at + len(body), len(raw))
        body += raw
    return (head + table).ljust(at, b"\0") + body


def numbers(text):
    return [int(number, 16) for number in re.findall(r"(?::|->|^) ?(?:0x)?([0-9a-f]+)(?=[,)]|$)", text)]


def entries_of_guest(trace):
    """(task, hart, time, event, text) of each line; of a system call the event is None."""
    found = []
    for line in trace.decode().splitlines():
        if line.startswith("#"):
            continue
        task, cpu, time, rest = re.match(r" *(\S.*-\d+) +\[(\d+)\] \S+ +([\d.]+): (.*)", line).groups()
        call = re.match(r"sys_(\w+)(\(.*\)| -> 0x[0-9a-f]+)$", rest)
        if call:
            which = "enter" if call.group(2)[0] == "(" else "exit"
            found.append((task, cpu, time, f"sys_{which}_{call.group(1)}", numbers(call.group(2))))
        else:
            event, text = rest.split(": ", 1)
            found.append((task, cpu, time, event, text.strip().replace("0x", "")))
    return found


def entries_of_trace_cmd(report):
    found = []
    for line in report.splitlines():
        match = re.match(r" *(\S.*-\d+) +\[(\d+)\] +(?:\S+ )? *([\d.]+): (\w+): *(.*)", line)
        if not match:
            continue
        task, cpu, time, event, text = match.groups()
        is_call = re.match("sys_(enter|exit)_", event)
        found.append((task, cpu, time, event, numbers(text.strip()) if is_call else text.strip().replace("0x", "")))
    return found


def main(build, layout):
    program = shutil.which(os.environ.get("TRACE_CMD", "trace-cmd"))
    if not program:
        print("not ok - there is no trace-cmd")
        return 1
    output = run_guest(build, layout)
    symbols = subprocess.run([os.environ.get("CROSS", "riscv64-unknown-elf-") + "nm",
                              f"{build}/guest-kernel/{layout}/kernel.elf"], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "trace.dat")
        with open(path, "wb") as file:
            file.write(trace_dat(output, symbols))
        done = subprocess.run([program, "report", "-N", "-i", path], capture_output=True, text=True, check=False)
    guest, host = entries_of_guest(output["cat trace"]), entries_of_trace_cmd(done.stdout)
    guest = [entry[:4] + (re.sub(r"(\+[0-9a-f]+)/[0-9a-f]+", r"\1", entry[4]) if isinstance(entry[4], str) else entry[4],)
             for entry in guest]
    differ = [(g, h) for g, h in zip(guest, host) if g != h]
    kinds = {entry[3] for entry in host}
    missing = [event for event in EVENTS if event.split("/")[1] not in kinds]
    good = len(guest) == len(host) > 100 and not differ and not missing
    print(f"{'ok' if good else 'not ok'} - trace-cmd reads the {len(host)} entries of the guest as it prints them")
    if not good:
        print(f"# {len(guest)} in the guest, {len(differ)} differ; no entry of {missing}; {done.stderr[:300]}")
        for pair in differ[:6]:
            print("# guest %s\n# host  %s" % pair)
    return not good


if __name__ == "__main__":
    sys.exit(main(os.environ.get("BUILD", "build"), os.environ.get("LAYOUT", "mcount")))
