"""benchguest - builds guest images, runs them, reads their cycle counts.

The images come from `make guest`. The guest's command `work NAME N` runs a
workload and prints the hart's counters for it; the emulator's --report has the
counts of every ftrace site.
"""
import contextlib
import dataclasses
import difflib
import functools
import fcntl
import hashlib
import json
import os
import pathlib
import re
import struct
import tempfile

from benchlib import (BAD_DATA, INSTALLED, NO_INPUT, PROCESS_TIMEOUT, ROOT, SOFTWARE, USAGE, BenchError, need_file, need_program,
                      run_process)

WORK_LINE = re.compile(r"^work (\w+): n=(\d+) result=([0-9a-f]+) "
                       r"calls=(\d+) cycles=(\d+) insns=(\d+)$", re.M)

# The instructions at a function's site when tracing is off: `mv a0,ra` and two nops.
SITE_INSTRUCTIONS = 3

# The handler of the timer interrupt: a breakpoint there detects a tick during a measurement.
TIMER_FUNCTION = "riscv_timer_interrupt"

# Upper bound of the instructions between reading the counters and the workload, both ways.
COUNTER_INSTRUCTIONS = 32


# ---- building ----

@dataclasses.dataclass(frozen=True)
class Image:
    """A guest image: its arguments for make."""

    name: str
    layout: str
    subdirectory: str = ""
    overrides: tuple = ()


IMAGES = {
    "none": Image("none", "none"),
    # The same without instrumentation, but compiled with the frame pointer that mcount needs.
    "frame": Image("frame", "none", "bench-frame",
                   ("guest_cflags_none=-fno-omit-frame-pointer",)),
    "mcount": Image("mcount", "mcount"),
}


def run_make(arguments, progress, what):
    """Runs make in the source directory; if it fails, one line of its output is the message."""
    progress.begin(f"building {what}")
    env = {key: value for key, value in os.environ.items()
           if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    with only_make(arguments):
        done = run_process(["make", "-C", str(ROOT), "--no-print-directory", *arguments], progress,
                           env)
    if done.status:
        raise BenchError(SOFTWARE, f"make {' '.join(arguments)}: {first_error(done)}")


@contextlib.contextmanager
def only_make(arguments):
    """Two tools at once do not build in one folder at once."""
    build = next(a.removeprefix("BUILD=") for a in arguments if a.startswith("BUILD="))
    directory = ROOT / build
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / ".bench-make", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def first_error(done):
    """The line with the error in the output of make and the compilers."""
    errors = (line for line in done.err.splitlines() if "error:" in line or "***" in line)
    return next(errors, done.last_words())


def build_argument(build):
    """BUILD= for make, in the form that make itself uses, because dependency files contain it."""
    inside = pathlib.Path(os.path.abspath(ROOT / build))
    return str(inside.relative_to(ROOT)) if inside.is_relative_to(ROOT) else str(inside)


def installed_guest(name):
    """The path of a file of the installed guest kernels."""
    return need_file(str(ROOT / "guests" / name), "of the guest kernels; others are made in a checkout")


def file_of(name, build, what):
    """The path of a file that exists. `guest:NAME' is a guest kernel, or a file beside them, as rvftrace takes it."""
    prefix = "guest:"
    if not name.startswith(prefix):
        return need_file(name, what)
    folder = ROOT / "guests" if INSTALLED else ROOT / build_argument(build) / "guest-kernel"
    inside = name.removeprefix(prefix)
    path = folder / inside if set("./") & set(inside) else folder / inside / "kernel.elf"
    if not path.is_file():
        near = difflib.get_close_matches(inside, [kernel.parent.name for kernel in folder.glob("*/kernel.elf")], 1)
        raise BenchError(NO_INPUT, f"{name}: {folder} has none" + (f"; did you mean `{prefix}{near[0]}'?" if near else ""))
    return str(path)


def build_images(names, build, progress):
    """Builds each of IMAGES, or the kernel of the layout of that name; returns their paths by name."""
    return build_kernels([(name, None) for name in names], build, progress)


def build_placed(most, build, progress):
    """Builds kernels whose functions lie elsewhere. most: name -> N; returns paths by placed_name() of 1 to N."""
    return build_kernels([(name, n) for name, count in most.items() for n in range(1, count + 1)], build,
                         progress)


def placed_name(name, placement):
    """Of a kernel with its functions in the order of this seed."""
    return name if placement is None else f"{name}-place{placement}"


def build_kernels(wanted, build, progress):
    """Builds (name, placement or None) each; returns their paths by placed_name()."""
    paths, targets = {}, {}
    if INSTALLED:
        names = [placed_name(*one) for one in wanted]
        return {name: installed_guest(f"{name}/kernel.elf") for name in names}
    for name, placement in wanted:
        image = IMAGES.get(name, Image(name, name))
        directory = build_argument(os.path.join(build, image.subdirectory))
        kernel = f"guest-kernel/{placed_name(image.layout, placement)}/kernel.elf"
        paths[placed_name(name, placement)] = str(ROOT / directory / kernel)
        built = targets.setdefault((directory, image.overrides), ({}, {}, set()))
        built[0][f"{directory}/{kernel}"] = None
        built[1][name] = None
        built[2].update(() if placement is None else (placement,))
    for (directory, overrides), (kernels, names, placements) in targets.items():
        places = " ".join(map(str, sorted(placements)))
        run_make([f"BUILD={directory}", *kernels, *overrides, *([f"PLACEMENT={places}"] if places else [])],
                 progress, f"the guest kernel ({', '.join(names)})")
    return paths


def build_initrd(build, progress):
    """Builds the archive of the guest's programs; returns its path."""
    if INSTALLED:
        return installed_guest("initrd.cpio")
    directory = build_argument(build)
    run_make([f"BUILD={directory}", "initrd"], progress, "the guest's programs")
    return str(ROOT / directory / "guest-kernel" / "initrd.cpio")


def find_emulator(given, build, progress):
    """The emulator that the user gave, or the one that is built here."""
    if given:
        return need_program(given, "the emulator")
    if INSTALLED:
        return need_program(str(ROOT.parent.parent / "bin" / "rvftrace"), "the emulator")
    directory = build_argument(build)
    run_make([f"BUILD={directory}", "emu"], progress, "the emulator")
    return str(ROOT / directory / "rvftrace")


def version_of(emulator, progress):
    """The version that the emulator prints."""
    return run_process((emulator, "--version"), progress).out.split()[1]


# ---- the image's text ----

def sha256(path):
    """The SHA-256 of the file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Elf:
    """The sizes of the code and functions of an ELF64 file, and where functions begin."""

    SECTION = struct.Struct("<IIQQQQIIQQ")
    SYMBOL = struct.Struct("<IBBHQQ")
    SHT_PROGBITS, SHT_SYMTAB, SHF_EXECINSTR, STT_FUNC = 1, 2, 4, 2

    def __init__(self, path):
        self.bytes = pathlib.Path(need_file(path, "the guest image")).read_bytes()
        try:
            self.sections = self.read_sections()
            self.function_sizes = self.read_functions()
        except (struct.error, IndexError, ValueError):
            raise BenchError(BAD_DATA, f"{path}: not a whole ELF64 file") from None

    def read_sections(self):
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise ValueError
        offset, = struct.unpack_from("<Q", self.bytes, 40)
        count, = struct.unpack_from("<H", self.bytes, 60)
        return [self.SECTION.unpack_from(self.bytes, offset + i * self.SECTION.size)
                for i in range(count)]

    def read_functions(self):
        """Name -> bytes of all functions of that name. Fills in the addresses, too."""
        sizes, self.addresses = {}, {}
        for section in self.sections:
            if section[1] != self.SHT_SYMTAB:
                continue
            names = self.sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], self.SYMBOL.size):
                name, info, _, _, address, size = self.SYMBOL.unpack_from(self.bytes, at)
                if info & 15 == self.STT_FUNC:
                    end = self.bytes.index(b"\0", names + name)
                    text = self.bytes[names + name:end].decode()
                    sizes[text] = sizes.get(text, 0) + size
                    self.addresses[text] = address
        return sizes

    def text_bytes(self):
        """Bytes of code in all."""
        return sum(s[5] for s in self.sections
                   if s[1] == self.SHT_PROGBITS and s[2] & self.SHF_EXECINSTR)


@functools.lru_cache
def entry(image, function):
    """
    The function's first instruction, for a debugger's command: that of its site, if it has one.
    By its name the debugger stops behind the site and the prologue.
    """
    addresses = Elf(image).addresses
    if function not in addresses:
        raise BenchError(BAD_DATA, f"{image}: has no function {function}")
    return f"*{addresses[function]:#x}"


# ---- running ----

@dataclasses.dataclass(frozen=True)
class Work:
    """The values printed by the guest's command `work`."""

    name: str
    iterations: int
    result: str
    calls: int
    cycles: int
    instructions: int


@dataclasses.dataclass(frozen=True)
class SiteCount:
    """The counts of one function's site in a period of time, tracing off and on."""

    function: str
    off_entries: int
    off_cycles: int
    off_cost: int  # cycles of one entry
    on_entries: int
    through_cycles: int


@dataclasses.dataclass(frozen=True)
class Window:
    """The machine's counts between the entry of a workload's function and its return."""

    instructions: int
    cycles: int
    sites: tuple  # of SiteCount


@dataclasses.dataclass(frozen=True)
class Machine:
    """An emulator and the options of its runs."""

    emulator: str
    harts: int
    timing: str
    seed: int

    def options(self):
        return ["--harts", str(self.harts), "--timing", self.timing, "--seed", str(self.seed),
                "--quiet"]


def parse_work(console, who):
    """The one `work` line of a console."""
    lines = WORK_LINE.findall(console)
    if len(lines) != 1:
        raise BenchError(SOFTWARE, f"{who}: the guest printed {len(lines)} results instead of one")
    name, n, result, calls, cycles, insns = lines[0]
    return Work(name, int(n), result, int(calls), int(cycles), int(insns))


def work_script(workload, iterations, tracer=None):
    """
    The kernel command line that measures a workload.

    The guest kernel begins the measured pass right after a tick of the timer, so
    that a whole period is left before the next one.
    """
    trace = f"echo {tracer} > /sys/kernel/tracing/current_tracer; " if tracer else ""
    return f'script="{trace}work {workload} {iterations}"'


def run_emulator(machine, arguments, image, script, progress, timeout=PROCESS_TIMEOUT):
    """Runs the emulator; returns the outcome, or fails if the exit status is not 0. timeout: in seconds."""
    argv = [machine.emulator, *arguments, *machine.options(), "--append", script, image]
    done = run_process(argv, progress, timeout=timeout)
    if done.status == USAGE:
        raise BenchError(USAGE, done.last_words().removeprefix("rvftrace: error: "))
    if done.status:
        status = f"signal {-done.status}" if done.status < 0 else f"status {done.status}"
        raise BenchError(SOFTWARE, f"{machine.emulator} {arguments[0]} {image}: {status}: "
                                   f"{done.last_words()}")
    return done


def read_report(path, machine):
    """A --report of the emulator, version 3."""
    try:
        report = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchError(SOFTWARE, f"{machine.emulator}: unreadable --report: {error}") from None
    if report.get("version") != 3:
        raise BenchError(SOFTWARE, f"{machine.emulator}: --report has version "
                                   f"{report.get('version')}, not 3")
    return report


def measure(machine, image, script, progress):
    """Boots the image, which runs the workload and powers off; returns its output and the report."""
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        report = os.path.join(scratch, "report.json")
        done = run_emulator(machine, ["run", "--report", report], image, script, progress)
        return parse_work(done.out, image), read_report(report, machine)


def debug_to(machine, image, script, commands, progress):
    """Runs debugger commands; returns the report of the machine at that point."""
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        report, file = os.path.join(scratch, "report.json"), os.path.join(scratch, "commands")
        pathlib.Path(file).write_text("\n".join([*commands, "quit", ""]), encoding="ascii")
        run_emulator(machine, ["debug", "--commands", file, "--report", report], image, script,
                     progress)
        return read_report(report, machine)


def debug_console(machine, image, script, commands, progress):
    """Runs debugger commands; returns the output."""
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        file = os.path.join(scratch, "commands")
        pathlib.Path(file).write_text("\n".join([*commands, "quit", ""]), encoding="ascii")
        return run_emulator(machine, ["debug", "--console", "none", "--commands", file], image,
                            script, progress).out


def measure_window(machine, image, script, work, progress):
    """
    The Window of a workload.

    The debugger stops the machine at the entry of NAME_run, and in a second, identical
    run after its return; the difference of the two reports is the workload alone
    (with the site counts of other harts in that time). A breakpoint on the timer
    stops the second run early if there is a tick in between: then instructions are
    missing.
    """
    start = [f"break {entry(image, work.name + '_run')}", "continue"]
    before = debug_to(machine, image, script, start, progress)
    hart = 0
    if machine.harts > 1:
        hart = working_hart(before, debug_to(machine, image, script, [*start, "finish"], progress),
                            work)
    after = debug_to(machine, image, script,
                     [*start, f"break {entry(image, TIMER_FUNCTION)} hart {hart}", "finish"], progress)
    window = window_between(before, after, hart)
    if not is_whole(window, work):
        raise BenchError(SOFTWARE, f"{work.name}, {work.iterations} iterations: the machine saw "
                         f"{window.instructions} instructions up to the next tick of the guest's "
                         f"timer, the guest counted {work.instructions}: fewer --iterations fit "
                         "between two ticks")
    return window


def is_whole(window, work):
    """Whether the window has all instructions that the guest counted, except those that read counters."""
    return 0 <= work.instructions - window.instructions <= COUNTER_INSTRUCTIONS


def working_hart(before, after, work):
    """The hart that ran the workload: the one with the number of instructions that the guest counted."""
    for hart in range(len(before["harts"])):
        if is_whole(window_between(before, after, hart), work):
            return hart
    raise BenchError(SOFTWARE, f"{work.name}: no hart executed the {work.instructions} "
                               "instructions that the guest counted")


def window_between(before, after, hart):
    """The difference of two reports, for one hart."""
    first, last = before["harts"][hart], after["harts"][hart]
    sites = zip(before.get("sites", []), after.get("sites", []), strict=True)
    return Window(last["instructions"] - first["instructions"], last["cycles"] - first["cycles"],
                  tuple(site_between(a, b) for a, b in sites if b["kind"] == "function"))


def site_between(before, after):
    def more(state, what):
        return after[state][what] - before[state][what]

    return SiteCount(after["function"], more("off", "entries"), more("off", "cycles"),
                     sum(after["off"]["per_entry"].values()), more("on", "entries"),
                     more("on", "through_cycles"))
