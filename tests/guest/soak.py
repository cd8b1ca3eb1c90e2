#!/usr/bin/env python3
"""soak.py BUILD INSNS [SEED] - see soak.sh.

A seed makes a script, a layout, a number of harts and a fetch mode. The script is rounds of random
deeds with load behind them; after each round everything is put back and what is left is looked at.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

LAYOUTS = ("mcount", "pfe8", "callops", "pfe16", "atomic")
NAMES = ("__kmalloc", "kfree", "schedule", "__schedule", "fib", "even", "ackermann", "tree_insert",
         "do_exit", "mutex_lock", "vfs_read", "'*lock*'", "'tree_*'", "'sched*'", "'*_fair'", "'k*'",
         "'__*'", "'*fault*'", "'sample_*'", "'*:mod:trace_sample'", "':mod:sample_user'", "17",
         "nothing_of_that_name", "'f?b'", "'*'")
OPTIONS = ("annotate", "context-info", "disable_on_free", "event-fork", "func_stack_trace", "funcgraph-irqs",
           "function-fork", "graph-time", "irq-info", "latency-format", "markers", "overwrite",
           "pause-on-trace", "record-cmd", "sleep-time", "funcgraph-retval", "verbose")
ROUND_INSNS = 30_000_000  # more or less
# One reader that waits, at most: two whose own reading is traced wake each other for ever, and on
# one hart leave little to anybody else.
PRELUDE = """
cd /sys/kernel/tracing
free() { grep MemFree /proc/meminfo | cut -c 18-24; }
no_reader() {
    [ -z "$reader" ] || kill $reader
    reader=
}
put_back() {
    echo 0 > tracing_on
    # A trace_pipe that has given nothing yet waits for tracing to be on again.
    no_reader
    wait
    echo nop > current_tracer
    for f in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace \\
        set_ftrace_pid set_ftrace_notrace_pid; do echo > $f; done
    echo 0 > max_graph_depth; echo 0 > function_profile_enabled
    echo f > tracing_cpumask; echo local > trace_clock; echo 128 > saved_cmdlines_size
    for o in options/*; do read was < /soak.options/${o#options/}; echo $was > $o; done
    rmmod sample_user; rmmod trace_sample
    echo 16 > buffer_size_kb; echo > trace; echo 1 > tracing_on
}
left() {
    usleep 50000 # who has said that he is done may still be on his way out
    [ -z "$(lsmod | grep -v Module)" ] || echo "LEFT modules"
    [ $(wc -l < enabled_functions) -eq 0 ] || echo "LEFT sites on: $(head -n 3 enabled_functions)"
    ps > /soak.tasks
    [ $(wc -l < /soak.tasks) -eq $tasks ] || { echo "LEFT tasks"; cat /soak.tasks; }
}
# What is made once and kept.
echo 1 > function_profile_enabled
echo function_graph > current_tracer
mkdir /soak.options
for o in options/*; do cat $o > /soak.options/${o#options/}; done
ps > /soak.tasks
tasks=$(wc -l < /soak.tasks)
"""


class Script:
    """Rounds of deeds that the seed has chosen."""

    def __init__(self, chance, harts):
        self.chance, self.harts = chance, harts

    def one_of(self, *of):
        return self.chance.choice(of)

    def tracer(self):
        return f"echo {self.one_of('function', 'function', 'function_graph', 'function_graph', 'nop')} > current_tracer"

    def filter(self):
        file = self.one_of("set_ftrace_filter", "set_ftrace_filter", "set_ftrace_notrace")
        bang, name = self.one_of("", "", "!"), self.chance.choice(NAMES)
        word = f"'{bang}{name.strip(chr(39))}'"
        return self.one_of(f"echo {word} {self.one_of('>', '>>')} {file}", f"echo > {file}")

    def graph(self):
        file = self.one_of("set_graph_function", "set_graph_notrace")
        return self.one_of(f"echo {self.chance.choice(NAMES)} {self.one_of('>', '>>')} {file}",
                           f"echo > {file}", f"echo {self.chance.randrange(7)} > max_graph_depth")

    def pids(self):
        file = self.one_of("set_ftrace_pid", "set_ftrace_notrace_pid")
        return self.one_of(f"echo {self.one_of(1, 2, 5)} {self.one_of('>', '>>')} {file}",
                           f"echo > {file}")

    def option(self):
        return f"echo {self.chance.randrange(2)} > options/{self.chance.choice(OPTIONS)}"

    def buffer(self):
        cpu = self.chance.randrange(self.harts)
        size = self.one_of(4, 8, 16, 64, 400)
        return self.one_of(f"echo {size} > buffer_size_kb", f"echo {size} > per_cpu/cpu{cpu}/buffer_size_kb",
                           "echo > trace", f"echo > per_cpu/cpu{cpu}/trace", "echo > free_buffer")

    def switch(self):
        return self.one_of("echo 0 > tracing_on", "echo 1 > tracing_on", "echo 1 > tracing_on",
                           f"echo {self.one_of(1, 2, 'f')} > tracing_cpumask",
                           f"echo {self.one_of('local', 'global', 'counter')} > trace_clock",
                           f"echo {self.chance.randrange(2)} > function_profile_enabled",
                           f"echo {self.one_of(1, 20, 200)} > saved_cmdlines_size")

    def read(self):
        cpu = self.chance.randrange(self.harts)
        return self.one_of("cat trace > /dev/null", f"cat per_cpu/cpu{cpu}/trace > /dev/null",
                           f"cat per_cpu/cpu{cpu}/stats > /dev/null", "no_reader; cat trace_pipe > /dev/null & reader=$!",
                           f"no_reader; cat per_cpu/cpu{cpu}/trace_pipe_raw > /dev/null & reader=$!",
                           f"no_reader; head -n 20 per_cpu/cpu{cpu}/trace_pipe > /dev/null & reader=$!",
                           "cat enabled_functions > /dev/null", f"cat trace_stat/function{cpu} > /dev/null",
                           "cat set_ftrace_filter > /dev/null", "echo a mark > trace_marker")

    def module(self):
        return self.one_of("insmod /lib/modules/trace_sample.ko depth=2", "insmod /lib/modules/sample_user.ko",
                           "rmmod trace_sample", "rmmod sample_user", "cat /proc/trace_sample > /dev/null")

    def load(self):
        what = self.one_of("work threads 1", "work tree 1", "work calls 3", "work sort 1", "forktest",
                           "sysbench pipe 20", "fptest", "hello | cat", "ps")
        return f"{what} > /soak.said 2>&1" + self.one_of("", " &", " &")

    def round(self, number, deeds):
        kinds = (self.tracer, self.tracer, self.filter, self.filter, self.graph, self.pids, self.option,
                 self.buffer, self.switch, self.read, self.module, self.load, self.load)
        # Sizes and readers that wait come to an end in put_back; what is refused is refused.
        lines = [self.chance.choice(kinds)() for _ in range(deeds)]
        return "\n".join([f"echo ROUND {number}", *lines, "put_back", "left",
                          f"echo FREE {number} $(free)"])


class Soak:
    """One run, and what is to be said against it."""

    def __init__(self, build, seed, insns, layout=None):
        chance = random.Random(seed)
        self.build, self.seed, self.insns = build, seed, insns
        self.layout, self.harts = layout or LAYOUTS[seed % len(LAYOUTS)], 1 + seed // 2 % 4
        self.modules = self.layout.split("-")[0]
        self.fetch = ("stale", f"random:{seed}", "coherent")[seed % 3]
        self.script = Script(chance, self.harts)
        self.work = tempfile.TemporaryDirectory()

    def initrd(self, rounds):
        """Programs, modules, and the script."""
        lines = ["exec 2> /dev/null", PRELUDE, "put_back"]
        lines += [self.script.round(number, 30) for number in range(rounds)] + ["echo THE END"]
        with open(os.path.join(self.work.name, "soak.sh"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        own = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=b"soak.sh\n", check=True,
                             cwd=self.work.name, stdout=subprocess.PIPE).stdout
        path, images = os.path.join(self.work.name, "initrd"), f"{self.build}/guest-kernel"
        with open(path, "wb") as f:
            for part in (f"{images}/initrd.cpio", f"{images}/{self.modules}/modules.cpio"):
                with open(part, "rb") as g:
                    f.write(g.read())
            f.write(own)
        return path

    def run(self, rounds):
        report = os.path.join(self.work.name, "report")
        self.command = [f"{self.build}/rvftrace", "run", "--quiet", "--audit", "fail", "--harts",
                        str(self.harts), "--memory", "128M", "--seed", str(self.seed), "--fetch",
                        self.fetch, "--report", report, "--max-insns", str(20 * self.insns + 10**9),
                        "--initrd", self.initrd(rounds), "--append", 'script="sh /soak.sh"',
                        f"{self.build}/guest-kernel/{self.layout}/kernel.elf"]
        done = subprocess.run(self.command, stdin=subprocess.DEVNULL, capture_output=True)
        self.status, self.errors = done.returncode, done.stderr.decode(errors="replace")
        self.said = done.stdout.decode(errors="replace").replace("\r", "")
        with open(report, encoding="utf-8") as f:
            self.done = sum(h["instructions"] for h in json.load(f)["harts"])

    def free(self):
        """kB that were free after each round."""
        return [int(n) for n in re.findall(r"^FREE \d+ +(\d+)", self.said, re.M)]

    def complaints(self, rounds):
        free, wrong = self.free(), []
        if self.status:
            wrong.append(f"status {self.status}: {self.errors[-1500:]}")
        if not self.said.endswith("THE END\n"):
            wrong.append("it did not come to its end: ..." + self.said[-1500:])
        wrong += re.findall(r"^.*(?:WARNING|BUG|panic|Oops|FAILED|failed to|faulted|LEFT|Bad frame|"
                            r"graph return stack).*$", self.said, re.M)[:5]
        # The first rounds fill caches and slabs; from then on nothing may go, however many there are.
        settled = min(3, len(free) - 1)
        if len(free) == rounds and free[settled] - min(free[settled:]) > 128:
            wrong.append(f"memory goes: {free}")
        return wrong


def soak(build, seed, insns):
    """How many instructions that was; -1: something is to be said against it."""
    rounds = 2 + insns // ROUND_INSNS
    run = Soak(build, seed, insns)
    run.run(rounds)
    wrong = run.complaints(rounds)
    print(f"{'not ok' if wrong else 'ok'} - {run.layout}, {run.harts} harts, {run.fetch} fetch, seed "
          f"{seed}: {rounds} rounds, {run.done / 1e6:.0f} million instructions", flush=True)
    for line in wrong:
        print("# " + line.replace("\n", "\n# "))
    return -1 if wrong else run.done


def broken_kernel_is_found(build):
    """Or else all of this would mean nothing: one that forgets its remote fences, on four harts."""
    run = Soak(build, 6, 10_000_000, "mcount-no-remote-fence")
    run.run(2)
    found = run.status == 80 and "missing-remote-fence" in run.errors
    print(f"{'ok' if found else 'not ok'} - a kernel without remote fences does not get through")
    return found


def main():
    build, insns = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) > 3:
        return soak(build, int(sys.argv[3]), insns) < 0
    seed = done = 0
    failed = not broken_kernel_is_found(build)
    while done < insns or seed < 3:  # no family of layouts is left out
        one = soak(build, seed, min(insns // 3, 150_000_000))
        failed |= one < 0
        done += abs(one) if one > 0 else insns // 3
        seed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
