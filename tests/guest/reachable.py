#!/usr/bin/env python3
"""reachable.py CROSS KERNEL-DIRECTORY - checks that each function with a site is named by other code or data of its kernel.

A function that GCC has inlined everywhere is in available_filter_functions, too, but nothing calls it: its trace stays
empty. Prints the names of such functions; exit status 1 if there are some. A name that several files have counts as one.
"""
import bisect
import pathlib
import re
import subprocess
import sys

cross, kernel = sys.argv[1], pathlib.Path(sys.argv[2])
ONLY_DATA = re.compile(r"^Relocation section '\.rela\S*(?:debug|mcount_loc|patchable|eh_frame)")

objects = [str(p) for d in (kernel, kernel.parent / "shared") for p in sorted(d.rglob("*.o")) if "samples" not in p.parts]
named, counts = set(), True
for line in subprocess.run([f"{cross}readelf", "-rW", *objects], check=True, capture_output=True, text=True).stdout.splitlines():
    if line.startswith("Relocation"):
        counts = not ONLY_DATA.match(line)
    elif counts and len(words := line.split()) > 4:
        named.add(words[4])

places = {name: int(address, 16) for address, _, name in (l.split() for l in open(kernel / "kernel.map"))}
code = sorted((int(address, 16), name) for address, kind, name in (l.split() for l in open(kernel / "kernel.map")) if kind in "tT")
text = subprocess.run([f"{cross}objdump", "-s", f"--start-address={places['__start_mcount_loc']:#x}",
                       f"--stop-address={places['__stop_mcount_loc']:#x}", str(kernel / "kernel.elf")],
                      check=True, capture_output=True, text=True).stdout
table = b"".join(bytes.fromhex(m[1].replace(" ", "")) for m in re.finditer(r"^ [0-9a-f]{8,16} ((?:[0-9a-f]{2,8} ){1,4})", text, re.M))
sites = [int.from_bytes(table[i:i + 8], "little") for i in range(0, len(table), 8)]
traced = {code[bisect.bisect_right(code, (site, "~")) - 1][1] for site in sites}
assert len(traced) > 1000, len(traced)
lost = sorted(traced - named)
print(*lost, sep="\n")
sys.exit(bool(lost))
