"""benchboot - the measurements of tools/bench-speed that take whole runs.

Start-up, the guest kernel's demonstration, and Debian's kernel from power-on to
power-off, if `make check-linux` has fetched it.
"""
import dataclasses
import os
import re
import statistics

import benchguest
import benchlib
import benchruns
from benchlib import SOFTWARE, BenchError

STOPPED = 75  # rvftrace's exit status for --max-insns


@dataclasses.dataclass(frozen=True)
class Boot:
    """A run, and the console output that shows that it is complete."""

    name: str
    what: str
    memory: str
    boot_line: str
    harts: int = 1
    ours: tuple = ()        # options for rvftrace only
    says: str = ""
    status: int = 0         # of rvftrace
    alone: bool = False     # not for other emulators
    aim: float | None = None  # seconds of wall-clock time
    linux: tuple = ()       # image and initrd, in the cache of `make check-linux`; otherwise the guest kernel

    def command(self, emulator, files):
        image, *initrd = files
        return (emulator, "run", "--quiet", "--harts", str(self.harts), "--memory", self.memory,
                *self.ours, *(("--initrd", *initrd) if initrd else ()),
                "--append", self.boot_line, image)

    def qemu_command(self, qemu, files):
        image, *initrd = files
        return (qemu, *benchruns.qemu_board(self.harts, self.memory),
                *(("-initrd", *initrd) if initrd else ()),
                "-append", self.boot_line, "-kernel", image)


def demonstration():
    """The kernel command line of `make run`."""
    text = (benchlib.ROOT / "guest-kernel/scripts/demo.txt").read_text(encoding="utf-8")
    commands = (line.strip() for line in text.splitlines())
    return 'script="' + ";".join(c for c in commands if c and not c.startswith("#")) + '"'


BOOTS = {b.name: b for b in (
    Boot("startup", "from the command to the first instruction, with 1 GiB, and the end", "1G", "",
         ours=("--max-insns", "1"), status=STOPPED, alone=True, aim=0.02),
    Boot("demo", "what `make run` does", "128M", demonstration(), harts=2,
         ours=("--audit", "fail"), says=r"(?s).*^work tree: .*$", aim=0.5),
    Boot("linux", "Debian's kernel, from power-on to power-off", "512M",
         "console=ttyS0 rdinit=/bin/busybox -- poweroff -f", says=r"reboot: Power down$",
         linux=("debian-13/Image", "initramfs.cpio")),
)}


def files_of(boot, options, progress):
    """Image and initrd; None: the cached Linux is not there."""
    if not boot.linux:
        return (benchguest.build_images(["mcount"], options.build, progress)["mcount"],)
    files = tuple(os.path.join(options.linux, name) for name in boot.linux)
    return files if all(map(os.path.isfile, files)) else None


def commands_of(boot, files, emulator, qemu):
    """Runner name -> argv and the expected exit status."""
    commands = {benchruns.OURS: (boot.command(emulator, files), boot.status)}
    if qemu and not boot.alone:
        commands[benchruns.QEMU] = (boot.qemu_command(qemu, files), 0)
    return commands


def run_once(name, argv, status, says, progress):
    """Runs a boot; returns its outcome, or fails if it is not complete."""
    done = benchlib.run_process(argv, progress)
    if done.status != status or not re.search(says, done.out, re.M):
        raise BenchError(SOFTWARE, f"{name} ({argv[0]}): status {done.status}, and no end on the "
                                   f"console: {done.last_words()}")
    return done


def spread(seconds):
    return {"min": min(seconds), "median": statistics.median(seconds), "max": max(seconds)}


def measure(boot, files, emulator, qemu, runs, progress):
    """One boot's part of the JSON."""
    commands = commands_of(boot, files, emulator, qemu)
    done = {name: [] for name in commands}
    for i in range(runs):
        for name, (argv, status) in commands.items():
            progress.begin(f"{boot.name}, round {i + 1} of {runs}: {name}")
            done[name].append(run_once(f"{boot.name}, {name}", argv, status, boot.says, progress))
    times = {name: {"seconds": [one.seconds for one in all_of], **spread([one.seconds for one in all_of]),
                    "user_seconds": [one.user_seconds for one in all_of]}
             for name, all_of in done.items()}
    return {"aim": boot.aim, "times": times, "ratio": ratio(times)}


def ratio(times):
    """QEMU's user time divided by rvftrace's: above 1 rvftrace is faster. None without QEMU."""
    if benchruns.QEMU not in times:
        return None
    ours, other = (times[name]["user_seconds"] for name in (benchruns.OURS, benchruns.QEMU))
    rounds = [b / a for a, b in zip(ours, other)]
    return {"median": statistics.median(other) / statistics.median(ours),
            "min": min(rounds), "max": max(rounds)}


def print_figures(boots, style):
    """One table for all: seconds of wall-clock time."""
    rows = [("", "seconds min", "median", "max", "user", "ratio", "side by side", "aim")]
    for name, one in boots.items():
        aim = f"{one['aim']:.2f}" if one["aim"] else ""
        for runner, took in one["times"].items():
            versus = one["ratio"] if runner != benchruns.OURS else None
            rows.append((f"  {name}, {runner}", *(f"{took[key]:.3f}" for key in ("min", "median", "max")),
                         f"{statistics.median(took['user_seconds']):.3f}",
                         *benchruns.ratio_cells(versus), aim if runner == benchruns.OURS else ""))
    print(f"\n{style.bold('boots')}: wall-clock time of the whole command; ratio of user time")
    print(*benchlib.table(rows), sep="\n")
