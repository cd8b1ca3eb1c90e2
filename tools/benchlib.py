"""benchlib - the common parts of tools/bench, bench-compare and bench-speed.

Exit statuses, error messages, colour, progress, files, processes. benchguest.py
has the functions about guests.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

USAGE, BAD_DATA, NO_INPUT, SOFTWARE, IO_ERROR = 64, 65, 66, 70, 74

# What tools/bench writes and tools/bench-compare reads; docs/benchmarks.md has the fields.
BENCH_SCHEMA, BENCH_VERSION = "rvftrace-bench", 1

# The checkout, or where the tools were installed: share/rvftrace, which has guest kernels and core models.
ROOT = pathlib.Path(__file__).resolve().parent.parent
INSTALLED = not (ROOT / "Makefile").is_file()


def cache_directory(build):
    """Where results stay, unless the user says where."""
    if not INSTALLED:
        return os.path.join(build, "bench-cache")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "rvftrace-bench")


QUIET_SECONDS = 2      # after this time the progress is shown
PROCESS_TIMEOUT = 600  # seconds; a longer run counts as hanging


class BenchError(Exception):
    """An error that ends a tool: a message of one line, and the exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


# ---- the command line ----

def called():
    """The name by which this program was called: installed, it has another one."""
    return os.path.basename(sys.argv[0])


def bench():
    """The same of the tool bench, for a message of it or of bench-compare."""
    return called().removesuffix("-compare")


class Parser(argparse.ArgumentParser):
    """argparse with the tools' exit status for usage errors, and a message of one line."""

    def error(self, message):
        raise BenchError(USAGE, f"{message} (see --help)")


def positive(text):
    """The value of an option that is an integer of at least 1."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least 1")
    return int(text)


def natural(text):
    """The value of an option that is an integer of at least 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least 0")
    return int(text)


def percentage(text):
    """The value of an option in percent, at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage of at least 0")
    return value


def run_tool(main):
    """Calls main(); an error becomes a message of one line and the exit status."""
    try:
        status = main()
        sys.stdout.flush()
        return status
    except BenchError as error:
        message, status = str(error), error.status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return IO_ERROR
    except OSError as error:
        message, status = os_error_text(error), IO_ERROR
    except KeyboardInterrupt:
        message, status = "interrupted", 130
    print(f"{called()}: error: {message}", file=sys.stderr)
    return status


def os_error_text(error):
    """The system's error message, with the file name."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)


class Style:
    """Colours for terminals."""

    def __init__(self, stream):
        self.on = stream.isatty() and "NO_COLOR" not in os.environ

    def paint(self, code, text):
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def bold(self, text):
        return self.paint("1", text)

    def worse(self, text):
        return self.paint("31", text)

    def better(self, text):
        return self.paint("32", text)


class Progress:
    """Prints on standard error what is being done, once it takes longer than QUIET_SECONDS."""

    def __init__(self):
        self.terminal = sys.stderr.isatty()
        self.said = time.monotonic()
        self.step = ""

    def begin(self, step):
        """Begins a new step."""
        self.step = step
        if time.monotonic() - self.said >= QUIET_SECONDS:
            self.say()

    def say(self):
        """Prints one line; on a terminal it replaces the line before."""
        self.said = time.monotonic()
        start, end = ("\r\x1b[K", "") if self.terminal else ("", "\n")
        print(f"{start}{called()}: {self.step} ...", end=end, file=sys.stderr, flush=True)

    def end(self):
        """Clears the line on a terminal."""
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def table(rows, left=1):
    """Lines of a table: the first columns to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) if i < left else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]


# ---- files ----

def need_file(path, what):
    """The path; an error if it is not a file."""
    if not os.path.isfile(path):
        raise BenchError(NO_INPUT, f"{path}: no such file ({what})")
    return path


def need_program(path, what):
    """The absolute path of a program; an error if it cannot be executed."""
    need_file(path, what)
    if not os.access(path, os.X_OK):
        raise BenchError(BAD_DATA, f"{path}: not executable ({what})")
    return os.path.abspath(path)


def find_program(given, default, what):
    """The program that the user gave, otherwise the default from PATH; None: not installed."""
    if given and os.sep in given:
        return need_program(given, what)
    found = shutil.which(given or default)
    if given and not found:
        raise BenchError(NO_INPUT, f"{given}: not found in PATH ({what})")
    return found


def read_json(path, what):
    """The JSON content of a file; an error names the line."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise BenchError(NO_INPUT, f"{path}: no such file ({what})") from None
    except json.JSONDecodeError as error:
        raise BenchError(BAD_DATA, f"{path}:{error.lineno}: no JSON; give a file {what}") from None
    except (UnicodeDecodeError, RecursionError):
        raise BenchError(BAD_DATA, f"{path}: no JSON; give a file {what}") from None


def check_writable(path):
    """Checks before the measurement that the result can be written."""
    directory = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise BenchError(IO_ERROR, f"{path}: is a directory")
    if not os.path.isdir(directory):
        raise BenchError(NO_INPUT, f"{directory}: no such directory")
    if not os.access(path if os.path.exists(path) else directory, os.W_OK):
        raise BenchError(IO_ERROR, f"{path}: cannot be written")


def write_json(path, content):
    """Writes the file; `-` is standard output."""
    write_text(path, json.dumps(content, indent=1) + "\n")


def write_text(path, text):
    """The same for text."""
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        pathlib.Path(path).write_text(text, encoding="utf-8")
    except OSError as error:  # the error of write() has no file name
        raise BenchError(IO_ERROR, f"{path}: {error.strerror}") from None


def revision():
    """The git description of the sources; None outside of a git checkout."""
    try:
        said = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"],
                              capture_output=True, text=True, check=False)
    except OSError:
        return None
    return said.stdout.strip() or None if said.returncode == 0 else None


# ---- processes ----

@dataclasses.dataclass(frozen=True)
class Outcome:
    """The exit status, output and time of a process."""

    status: int
    out: str
    err: str
    user_seconds: float
    seconds: float  # wall-clock time

    def last_words(self):
        """The last line of its error output, or else of its output."""
        said = (self.err.strip() or self.out.strip()).splitlines()
        return said[-1] if said else "no output"


def run_process(argv, progress, env=None, timeout=PROCESS_TIMEOUT):
    """
    Runs a process to its end, without input; measures its user time and the wall-clock time. timeout: in seconds.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        # pylint: disable-next=consider-using-with # wait_for() reaps it
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env)
        status, user_seconds = wait_for(process, progress, timeout)
        seconds = time.monotonic() - begun
        return Outcome(status, contents(out), contents(err), user_seconds, seconds)


def peak_memory(argv):
    """
    The peak memory of a process in bytes, sampled while it runs. The system's figure for a child
    that has ended would include the parent's memory from before the exec.
    """
    # pylint: disable-next=consider-using-with # reaped below
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    status = pathlib.Path(f"/proc/{process.pid}/status")
    peak = 0
    try:
        while process.poll() is None:
            lines = (line.split() for line in status.read_text(encoding="utf-8").splitlines())
            peak = next((int(line[1]) * 1024 for line in lines if line[0] == "VmHWM:"), peak)
            time.sleep(0.005)
    except OSError:
        pass  # the process has just ended
    finally:
        process.kill()
        process.wait()
    return peak


def wait_for(process, progress, timeout):
    """Waits for a process; returns exit status and user seconds. os.wait4 is about this child only."""
    timers = [threading.Timer(QUIET_SECONDS, progress.say),
              threading.Timer(timeout, os.kill, (process.pid, signal.SIGKILL))]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        os.kill(process.pid, signal.SIGKILL)
        os.wait4(process.pid, 0)
        raise
    finally:
        for timer in timers:
            timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime


def contents(file):
    """The contents of the file as text, without carriage returns."""
    file.seek(0)
    return file.read().decode("utf-8", "replace").replace("\r", "")
