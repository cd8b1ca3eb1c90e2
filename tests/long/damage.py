#!/usr/bin/env python3
"""damage.py - a thousand damaged event logs, and one clear line about each (make check-long).

Logs are cut, and bytes of them changed, zeroed, repeated or moved, by a fixed seed. `rvftrace log' must
end by itself with status 0 or 65 and say exactly one line; or none, if it shows the same as for the whole log.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

COUNT = 1000
T = "/sys/kernel/tracing"
SCRIPT = f"echo fib > {T}/set_ftrace_filter; echo function > {T}/current_tracer; work calls 1; echo nop > {T}/current_tracer"


def cut(data, rng):
    return data[:rng.randrange(len(data))]


def change(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8, 100))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def zero(data, rng):
    at, size = rng.randrange(len(data)), rng.randrange(1, 5000)
    return data[:at] + bytes(min(size, len(data) - at)) + data[at + size:]


def repeat(data, rng):
    at, size = rng.randrange(len(data)), rng.randrange(1, 5000)
    return data[:at + size] + data[at:]


def remove(data, rng):
    at, size = rng.randrange(len(data)), rng.randrange(1, 5000)
    return data[:at] + data[at + size:]


def move(data, rng):
    a, b = sorted(rng.randrange(len(data)) for _ in range(2))
    return data[:a] + data[b:] + data[a:b]


def main(build):
    rvftrace, rng, wrong = f"{build}/rvftrace", random.Random(20), 0
    ways, said = (cut, change, zero, repeat, remove, move), {}
    with tempfile.TemporaryDirectory() as work:
        path = f"{work}/damaged.log"
        subprocess.run([rvftrace, "run", "--quiet", "--console", "none", "--log", path, "--trace-calls", "on", "--append",
                        f'script="{SCRIPT}"', f"{build}/guest-kernel/mcount/kernel.elf"],
                       check=True, stdin=subprocess.DEVNULL)

        def read(*options):
            return subprocess.run([rvftrace, "log", *options, path], stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=20, check=False)

        with open(path, "rb") as file:
            whole = file.read()
        outputs = ([], ["--to", "csv"], ["--to", "perfetto"])
        good = [read(*options).stdout for options in outputs]
        for number in range(COUNT):
            way, output = ways[number % len(ways)], rng.randrange(len(outputs))
            with open(path, "wb") as file:
                file.write(way(whole, rng))
            done = read(*outputs[output])
            lines = done.stderr.decode(errors="replace").splitlines()
            shape = re.sub(r"\d+", "N", lines[0].split(path + ": ", 1)[-1]) if lines else "nothing"
            said[shape] = said.get(shape, 0) + 1
            same = not lines and done.returncode == 0 and done.stdout == good[output]
            if not same and not (done.returncode in (0, 65) and len(lines) == 1 and path in lines[0]):
                wrong += 1
                print(f"not ok - damaged log {number} ({way.__name__}): status {done.returncode}, {lines[:3]}")
    for shape, count in sorted(said.items(), key=lambda item: -item[1]):
        print(f"# {count:4} {shape}")
    print(f"{'not ok' if wrong else 'ok'} - {COUNT} damaged logs: each is one line, or shows the same as before")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(os.environ.get("BUILD", "build")))
