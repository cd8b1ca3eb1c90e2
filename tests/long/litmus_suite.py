#!/usr/bin/env python3
"""litmus_suite.py - holds `rvftrace litmus' against the axioms of RVWMO (tools/rvwmo), on a folder of litmus tests.

usage: litmus_suite.py [--results FOLDER] [--machine OPTION]... [--ztso] [--seconds N] [--list] SUITE...
                                                                        (make check-litmus SUITE=FOLDER)

Each final state that the machine shows must be permitted, and each permitted one be shown, unless tools/rvwmo says that
it needs something that the machine never does (load buffering and so on); those are counted, and with --list named.
Tests that tools/rvwmo does not know are counted with its reasons, and so are those that the machine does not try
completely.

The tests are run in batches. What either of the two programs said of a batch is kept in the folder of results,
build/check-litmus, so a run that was stopped goes on where it was; each is asked again when it has changed.
"""
import argparse
import collections
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys

BATCH = 100
SHAPES = ("MP", "SB", "R", "S", "2+2W", "WRC", "ISA2", "LB")
BUILD = os.environ.get("BUILD", "build")
RVFTRACE, RVWMO = f"{BUILD}/rvftrace", "tools/rvwmo"


def riscv_tests(suites):
    files = []
    for suite in suites:
        path = pathlib.Path(suite)
        found = sorted(path.rglob("*.litmus")) if path.is_dir() else [path]
        if not found:
            sys.exit(f"{suite}: no file *.litmus in this folder")
        files += found
    return [str(f) for f in files if f.read_bytes()[:6] == b"RISCV "]


def tests_of(log):
    """(name, lines) of each test of a log."""
    for part in re.split(r"^(?=Test )", log, flags=re.M)[1:]:
        lines = part.split("\n")
        yield lines[0].split()[1], lines


def parts(text):
    return frozenset(p.strip() for p in text.split(";") if p.strip())


def shown_states(lines):
    """The states that the machine shows; None: the test cannot be run, or is not complete."""
    if any(line.startswith(("Cannot be run", "Not complete")) for line in lines):
        return None
    return {parts(re.sub(r"^\d+\s*[:*]>", "", line)) for line in lines if re.match(r"\d+\s*[:*]>", line)}


def permitted_states(lines):
    """{state: what it needs}, and why there are none."""
    if lines[1] == "States ?":
        return None, lines[2].removeprefix("Beyond rvwmo: ")
    states = {}
    for line in lines[2:2 + int(lines[1].split()[1])]:
        state, _, needs = line.rpartition(";")
        states[parts(state)] = needs.strip(" ()")
    return states, ""


def ask_machine(files, options):
    """What `rvftrace litmus' prints of the tests."""
    run = subprocess.run([RVFTRACE, "litmus", *options, *files], stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode not in (0, 1, 65, 75):
        sys.exit(f"rvftrace litmus has ended with {run.returncode}")
    return run.stdout


def ask_axioms(files, options):
    """The same of tools/rvwmo."""
    return subprocess.run([RVWMO, "--jobs", str(os.cpu_count()), *options, *files], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def kept_answer(folder, program, ask, files, options):
    """What the program says of the tests; it is asked once, until it or they change."""
    digest = hashlib.sha256(repr(options).encode())
    for path in (program, *files):
        digest.update(pathlib.Path(path).read_bytes())
    path = folder / f"{pathlib.Path(program).name}-{digest.hexdigest()[:24]}.log"
    if path.exists():
        return path.read_text()
    answer = ask(files, options)
    folder.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(answer)
    new.rename(path)
    return answer


def logs_of(files, log):
    """The lines of each test."""
    found = [lines for _, lines in tests_of(log)]
    if len(found) != len(files):
        sys.exit(f"of {len(files)} tests, {len(found)} are in the log")
    return found


def compare(name, seen, states):
    """A list of [name, kind, state]; kinds are those of main's counts."""
    results = [[name, "tested", ""]]
    results += [[name, "FORBIDDEN AND SEEN", "; ".join(sorted(s))] for s in seen if s not in states]
    results += [[name, "seen", needs] for s, needs in states.items() if s in seen]
    results += [[name, "not seen, needs " + needs if needs else "NOT SEEN", "; ".join(sorted(s))]
                for s, needs in states.items() if s not in seen]
    return results


def judge(files, args):
    """The results of a batch. Tests whose lr and sc are at two locations are also run with --near."""
    axioms = (["--ztso"] if args.ztso else []) + (["--seconds", args.seconds] if args.seconds else [])
    permitted = [permitted_states(lines) for lines in
                 logs_of(files, kept_answer(args.results, RVWMO, ask_axioms, files, axioms))]
    ask = functools.partial(kept_answer, args.results, RVFTRACE, ask_machine)
    shown = logs_of(files, ask(files, args.machine))
    apart = [i for i, (states, _) in enumerate(permitted) if states and any("sc elsewhere" in n for n in states.values())]
    near = [files[i] for i in apart]
    near_shown = dict(zip(apart, logs_of(near, ask(near, [*args.machine, "--near"])))) if near else {}
    results = []
    for i, (lines, (states, why)) in enumerate(zip(shown, permitted)):
        name, seen = lines[0].split()[1], shown_states(lines)
        if states is None:
            results.append([name, "beyond", why])
        elif seen is None:
            results.append([name, "not tried", next(x for x in lines if x.startswith(("Cannot", "Not complete")))])
        else:
            results += compare(name, seen | (shown_states(near_shown[i]) or set() if i in near_shown else set()), states)
    return results


def shape_of(name):
    return next((s for s in SHAPES if name == s or name.startswith(s + "+")), "others")


def print_shapes(results):
    allowed, seen = collections.Counter(), collections.Counter()
    tests = collections.Counter()
    for name, kind, _ in results:
        shape = shape_of(name)
        tests[shape] += kind == "tested"
        seen[shape] += kind == "seen"
        allowed[shape] += kind == "seen" or kind.lower().startswith("not seen")
    for shape in (*SHAPES, "others"):
        if tests[shape]:
            print(f"  {shape:8} {tests[shape]:5} tests, states permitted {allowed[shape]:6}, of these seen {seen[shape]:6}")


def main():
    parser = argparse.ArgumentParser(description="Holds `rvftrace litmus' against the axioms of RVWMO.")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path(BUILD) / "check-litmus", metavar="FOLDER")
    parser.add_argument("--machine", action="append", default=[], metavar="OPTION", help="for rvftrace litmus, each word")
    parser.add_argument("--ztso", action="store_true", help="the axioms with Ztso")
    parser.add_argument("--seconds", metavar="N", help="that tools/rvwmo may take for a test")
    parser.add_argument("--list", action="store_true", help="name the states that are permitted and not seen")
    parser.add_argument("suites", nargs="+", metavar="SUITE")
    args = parser.parse_args()
    files = riscv_tests(args.suites)
    results = []
    for i in range(0, len(files), BATCH):
        results += judge(files[i:i + BATCH], args)
        if sys.stderr.isatty():
            print(f"\r{min(i + BATCH, len(files))} of {len(files)} tests", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    counts = collections.Counter(kind for _, kind, _ in results)
    for name, kind, text in results:
        if kind.isupper() or kind == "not tried" or args.list and kind.startswith("not seen"):
            print(f"{kind}: {name}: {text}")
    print_shapes(results)
    for why, n in collections.Counter(f"{k}: {t}" for _, k, t in results if k == "beyond").most_common():
        print(f"{n:6} tests {why}")
    for kind, n in sorted(counts.items()):
        if kind not in ("beyond", "tested", "seen"):
            print(f"{n:6} {kind}")
    permitted = counts["seen"] + sum(n for kind, n in counts.items() if kind.lower().startswith("not seen"))
    print(f"tests {counts['tested']}, states permitted {permitted}, seen {counts['seen']}, "
          f"forbidden and seen {counts['FORBIDDEN AND SEEN']}, not seen without a reason {counts['NOT SEEN']}")
    good = counts["tested"] and not counts["FORBIDDEN AND SEEN"] and not counts["NOT SEEN"] and not counts["not tried"]
    print(f"{'ok' if good else 'not ok'} - the machine shows what RVWMO permits, and nothing else")
    sys.exit(not good)


if __name__ == "__main__":
    main()
