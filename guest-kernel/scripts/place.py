#!/usr/bin/env python3
"""place.py SEED SCRIPT - from `readelf -SW OBJECTS` a linker script that puts the functions in an order of its own.

SCRIPT is the kernel's linker script. Where it takes all functions as they come, the new one names the section of each. Their
order is that of a hash of name and seed: kernels of two layouts have the functions that they share in one order. At each
sixteenth function there is a gap of up to 62 bytes, which is a tenth of a percent of the code in all.
"""
import hashlib
import re
import sys

EVERY_FUNCTION = "*(.text .text.*)"
FUNCTIONS_A_GAP, GAP_MAX = 16, 62


def number(seed, name):
    """A number that looks random, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "big")


def main():
    seed, path = sys.argv[1:]
    names = set(re.findall(r"\s(\.text\.\S+)\s+PROGBITS", sys.stdin.read()))
    if not names:
        sys.exit("place.py: no function has a section of its own: the objects are of an older tree; make clean")
    places = []
    for count, name in enumerate(sorted(names, key=lambda name: number(seed, name))):
        if count % FUNCTIONS_A_GAP == 0:
            places.append(f". += {number(seed, f'gap {count}') % (GAP_MAX // 2 + 1) * 2};")
        places.append(f"*({name})")
    with open(path, encoding="utf-8") as f:
        script = f.read()
    if script.count(EVERY_FUNCTION) != 1:
        sys.exit(f"place.py: {path}: {EVERY_FUNCTION} is not there once")
    print(script.replace(EVERY_FUNCTION, "\n        ".join([*places, EVERY_FUNCTION])), end="")


main()
