#!/usr/bin/env python3
"""talk.py SECONDS PROGRAM ARGUMENT... - runs a dialogue with a program on its console.

Reads the conversation from standard input, one step a line:
    wait TEXT   until TEXT has come after what was waited for last
    send TEXT   and a return
    keys TEXT   with its escapes (\\x03) read, and nothing after it
    pause N     for N seconds, for what says nothing when it begins
    kill        ends a program that does not end by itself; the exit status is 0 then
What the program says goes to standard output. Exit status: the program's (128 and the number, if by a signal), or
124 when the time is over (the step it hung at is named on standard error).
"""
import os
import selectors
import subprocess
import sys
import time


def main():
    limit = time.monotonic() + float(sys.argv[1])
    steps = [line.rstrip("\n").partition(" ") for line in sys.stdin if line.strip()]
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    heard, selector = b"", selectors.DefaultSelector()
    selector.register(child.stdout, selectors.EVENT_READ)

    def listen():
        """Reads more of the console; False at its end."""
        nonlocal heard
        left = limit - time.monotonic()
        if left <= 0 or not selector.select(left):
            raise TimeoutError
        more = os.read(child.stdout.fileno(), 65536)
        sys.stdout.buffer.write(more)
        heard += more
        return bool(more)

    step = None
    try:
        for step in steps:
            text = step[2].encode()
            if step[0] == "pause":
                time.sleep(float(step[2]))
                continue
            if step[0] in ("send", "keys"):
                if step[0] == "keys":
                    text = text.decode("unicode_escape").encode("latin-1")
                child.stdin.write(text + b"\r" if step[0] == "send" else text)
                child.stdin.flush()
                continue
            if step[0] == "kill":
                child.kill()
                child.wait()
                return 0
            while text not in heard:
                if not listen():
                    sys.stderr.write(f"talk: the program ended before it said {step[2]!r}\n")
                    return child.wait() or 1
            heard = heard.split(text, 1)[1]
        step = ("at", "", "the end")
        child.stdin.close()
        while listen():
            pass
        return child.wait(max(1, limit - time.monotonic()))
    except (TimeoutError, subprocess.TimeoutExpired):
        sys.stderr.write(f"talk: out of time at: {step[0]} {step[2]}\n")
        child.kill()
        return 124
    except BrokenPipeError:
        return child.wait() or 1
    finally:
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    status = main()
    sys.exit(status if status >= 0 else 128 - status)
