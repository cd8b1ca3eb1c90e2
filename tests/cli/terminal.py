"""terminal.py - for tests: a program at a terminal of its own (pty).

    with Session([PROGRAM, ...]) as s:
        s.until("prompt")         # waits for output that matches; ends the test if it never comes
        s.type("text\\r")
        s.end() -> exit status; s.is_restored() compares the terminal with what it was before

claim() and finish() are those of tests/claims.py.
"""
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from claims import claim, finish

PATIENCE = 60  # seconds for anything that must come


def wait_for(condition, seconds=PATIENCE):
    """Waits until the condition holds; False: it does not."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Session:
    def __init__(self, command, **more):
        self.main, self.side = pty.openpty()
        self.before = termios.tcgetattr(self.side)
        self.seen = ""
        self.all = ""
        self.child = subprocess.Popen(
            command, start_new_session=True, preexec_fn=self.begin,
            **{**dict(stdin=self.side, stdout=self.side, stderr=self.side), **more})

    def begin(self):
        """In the child: makes the terminal its controlling one, and ignores no signals (as a shell would in the background)."""
        fcntl.ioctl(self.side, termios.TIOCSCTTY, 0)
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
            signal.signal(number, signal.SIG_DFL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        os.close(self.main)
        os.close(self.side)

    def listen(self, seconds=0.05):
        """Reads the available output; False: there was none."""
        if not select.select([self.main], [], [], seconds)[0]:
            return False
        try:
            text = os.read(self.main, 65536).decode(errors="replace")
        except OSError:
            return False
        self.seen += text
        self.all += text
        return True

    def until(self, pattern, seconds=PATIENCE):
        """The output up to the pattern, from the last match on; None: there is no match in time."""
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.seen, re.S)
            if found:
                text, self.seen = self.seen[:found.end()], self.seen[found.end():]
                return text
            if time.monotonic() > end or (not self.listen() and self.child.poll() is not None
                                          and not self.listen(0)):
                return None

    def expect(self, sentence, pattern):
        claim(sentence, self.until(pattern) is not None, self.all)

    def type(self, text):
        os.write(self.main, text.encode())

    def signal(self, number):
        self.child.send_signal(number)

    def end(self, seconds=PATIENCE):
        """The exit status (negative: a signal); None: it does not end."""
        end = time.monotonic() + seconds
        while self.child.poll() is None and time.monotonic() < end:
            self.listen()
        while self.listen():
            pass
        return self.child.poll()

    def flags(self):
        return termios.tcgetattr(self.side)

    def is_raw(self):
        return not self.flags()[3] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def is_restored(self):
        return self.flags() == self.before

    def state(self):
        """The process's state, as ps shows it: R, S, T..."""
        with open(f"/proc/{self.child.pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0]

    def cpu_seconds(self):
        with open(f"/proc/{self.child.pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
