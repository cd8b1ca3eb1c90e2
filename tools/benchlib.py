"""benchlib - the manners that tools/bench, bench-compare and bench-speed share.

Exit statuses, errors of one line, colour, progress, files, processes. What is
known of guests stands in benchguest.py.
"""
import argparse
import dataclasses
import json
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

ROOT = pathlib.Path(__file__).resolve().parent.parent

QUIET_SECONDS = 2      # what takes longer says what it is doing
PROCESS_TIMEOUT = 600  # seconds; what takes longer hangs


class BenchError(Exception):
    """What ends a tool: one line for the user, and the exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


# ---- the command line ----

class Parser(argparse.ArgumentParser):
    """argparse with our exit status for wrong usage, and one line of message."""

    def error(self, message):
        raise BenchError(USAGE, f"{message} (--help tells more)")


def positive(text):
    """An option's value that is a whole number from 1."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def natural(text):
    """An option's value that is a whole number from 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def run_tool(name, main):
    """Calls main(), turns what went wrong into one line and the exit status."""
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
    print(f"{name}: error: {message}", file=sys.stderr)
    return status


def os_error_text(error):
    """What the system said, with the file it is about."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)


class Style:
    """Colour, where a person reads."""

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
    """Says on standard error what is being done, once the whole takes long."""

    def __init__(self, tool):
        self.tool = tool
        self.terminal = sys.stderr.isatty()
        self.said = time.monotonic()
        self.step = ""

    def begin(self, step):
        """Something new is being done."""
        self.step = step
        if time.monotonic() - self.said >= QUIET_SECONDS:
            self.say()

    def say(self):
        """One line; on a terminal it stands in for the one before."""
        self.said = time.monotonic()
        start, end = ("\r\x1b[K", "") if self.terminal else ("", "\n")
        print(f"{start}{self.tool}: {self.step} ...", end=end, file=sys.stderr, flush=True)

    def end(self):
        """Leaves a terminal's line clean."""
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
    """The path, if a file is there."""
    if not os.path.isfile(path):
        raise BenchError(NO_INPUT, f"{path}: no such file ({what})")
    return path


def need_program(path, what):
    """The absolute path of a program that is there and may be executed."""
    need_file(path, what)
    if not os.access(path, os.X_OK):
        raise BenchError(BAD_DATA, f"{path}: not executable ({what})")
    return os.path.abspath(path)


def find_program(given, default, what):
    """The program the user named, or else the default from PATH; None: not installed."""
    if given and os.sep in given:
        return need_program(given, what)
    found = shutil.which(given or default)
    if given and not found:
        raise BenchError(NO_INPUT, f"{given}: not found in PATH ({what})")
    return found


def read_json(path, what):
    """The file's content; what cannot be one of ours is an error with its place."""
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
    """Better to hear before the measurement than behind it that the result has no place."""
    directory = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise BenchError(IO_ERROR, f"{path}: is a directory")
    if not os.path.isdir(directory):
        raise BenchError(NO_INPUT, f"{directory}: no such directory")
    if not os.access(path if os.path.exists(path) else directory, os.W_OK):
        raise BenchError(IO_ERROR, f"{path}: may not be written")


def write_json(path, content):
    """Writes the file; `-` is standard output."""
    text = json.dumps(content, indent=1) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        pathlib.Path(path).write_text(text, encoding="utf-8")
    except OSError as error:  # a failing write() does not name its file
        raise BenchError(IO_ERROR, f"{path}: {error.strerror}") from None


def revision():
    """What git calls the present state of the sources; None where it cannot say."""
    try:
        said = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"],
                              capture_output=True, text=True, check=False)
    except OSError:
        return None
    return said.stdout.strip() or None if said.returncode == 0 else None


# ---- processes ----

@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a process ended, and what it cost."""

    status: int
    out: str
    err: str
    user_seconds: float
    seconds: float  # on the clock

    def last_words(self):
        """The last line it said, of errors if there are any."""
        said = (self.err.strip() or self.out.strip()).splitlines()
        return said[-1] if said else "it said nothing"


def run_process(argv, progress, env=None):
    """Runs it to its end, without input, and measures its own user time and that on the clock."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        # pylint: disable-next=consider-using-with # wait_for() reaps it
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env)
        status, user_seconds = wait_for(process, progress)
        seconds = time.monotonic() - begun
        return Outcome(status, contents(out), contents(err), user_seconds, seconds)


def peak_memory(argv):
    """
    Bytes that it has had at most, as seen while it runs. What the system tells of a child that has
    ended is no help: that counts the parent's memory in, from before the exec.
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
        pass  # it has just ended
    finally:
        process.kill()
        process.wait()
    return peak


def wait_for(process, progress):
    """Its exit status and user seconds. os.wait4 tells of this one child only."""
    timers = [threading.Timer(QUIET_SECONDS, progress.say),
              threading.Timer(PROCESS_TIMEOUT, os.kill, (process.pid, signal.SIGKILL))]
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
    """All that a process wrote into it, the console's carriage returns left out."""
    file.seek(0)
    return file.read().decode("utf-8", "replace").replace("\r", "")
