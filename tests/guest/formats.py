#!/usr/bin/env python3
"""formats.py - the guest's events have the fields and the text of Linux 6.1's.

linux61_formats.txt has what a real Linux 6.1 for RISC-V says of the events that both have: a line
with the event and the text of its print format, then a line for each field with its type, name,
offset, size and sign. An event of these systems that the list does not have is a mistake, too.

    formats.py --make FILE     makes the list of a transcript of Linux's format files (`== PATH` before each)
"""
import os
import re
import subprocess
import sys

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linux61_formats.txt")
# What Linux 6.1 has on other machines than RISC-V only.
ELSEWHERE = {"ipi", "exceptions"}
FIELD = re.compile(r"\tfield:(.*?)(\w+)(\[\d+\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:([01]);")


def parse(text):
    """{SYSTEM/EVENT: (format, [field, ...])} of format files, each after a line `== .../EVENT/format`."""
    events = {}
    for path, body in re.findall(r"^== (?:.*/)?(\w+/\w+)/format\n(.*?)(?=^== |\Z)", text, re.M | re.S):
        fields = [f"{kind.strip()} {name}{array} {offset} {size} {sign}"
                  for kind, name, array, offset, size, sign in FIELD.findall(body) if not name.startswith("common_")]
        match = re.search(r'^print fmt: "((?:[^"\\]|\\.)*)"', body, re.M)
        events[path] = (match.group(1) if match else "", fields)
    return events


def read_list():
    events = {}
    with open(LIST, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("\t"):
                fields.append(line[1:])
            elif line and line[0] != "#":
                name, text = line.split(" ", 1)
                fields = []
                events[name] = (text.strip('"'), fields)
    return events


def of_guest(build, layout, systems):
    script = "cd /sys/kernel/tracing/events; for f in " + " ".join(f"{s}/*/format" for s in systems) + \
        "; do echo == $f; cat $f; done; echo == END"
    done = subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--audit", "fail", "--append", f'script="{script}"',
                           f"{build}/guest-kernel/{layout}/kernel.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=True, text=True)
    return parse(done.stdout.replace("\r", ""))


def main():
    if sys.argv[1:2] == ["--make"]:
        with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
            linux = parse(file.read().replace("\r", ""))
        names = [line.strip() for line in sys.stdin if line.strip()]
        for name in sorted(set(names) & set(linux)):
            text, fields = linux[name]
            print(f'{name} "{text}"' + "".join("\n\t" + field for field in fields))
        return
    linux = read_list()
    systems = sorted({name.split("/")[0] for name in linux} | ELSEWHERE)
    guest = of_guest(os.environ.get("BUILD", "build"), os.environ.get("LAYOUT", "pfe8"), systems)
    failed = False

    def check(sentence, wrong):
        nonlocal failed
        print(("not ok - " if wrong else "ok - ") + sentence)
        for line in wrong:
            print("# " + line)
        failed |= bool(wrong)

    check(f"each of the {len(linux)} events of the list exists", sorted(set(linux) - set(guest)))
    check("there is no other in these systems",
          sorted(name for name in set(guest) - set(linux) if name.split("/")[0] not in ELSEWHERE))
    both = sorted(set(linux) & set(guest))
    check("they have Linux's fields, at the same offsets",
          [f"{name}: {guest[name][1]}, Linux has {linux[name][1]}" for name in both if guest[name][1] != linux[name][1]])
    check("they are printed by the same text",
          [f"{name}: {guest[name][0]}, Linux has {linux[name][0]}" for name in both if guest[name][0] != linux[name][0]])
    sys.exit(failed)


if __name__ == "__main__":
    main()
