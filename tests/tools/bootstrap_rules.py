#!/usr/bin/env python3
"""bootstrap_rules.py - no rule runs a package's program before the package is installed.

On a fresh machine `make -j` starts every rule whose prerequisites are met. So each
file and each target of make's own database that has a recipe has to come, directly or through
its prerequisites, after a bootstrap stamp; and after that of the tests, if it runs one of
their programs. Nothing is built: make -n -p is used. Prints `ok - claim` or
`not ok - claim`; status 0 when all hold.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOALS = ['test', 'check-format', 'check-linux', 'check-long', 'tidy', 'workloads', 'fuzz', 'run', 'debug', 'install',
         'format']
NEEDS_NOTHING = {'help', 'clean', 'uninstall'}
TEST_PROGRAMS = re.compile(r'FUZZ_CC\b|\bclang|\bpython3 (?!mk/)|\bqemu-system|\btests/run\b|\btests/fuzz/')
STAMPS = ('.bootstrap-build', '.bootstrap-test', '.bootstrap-linux', '.bootstrap-view')


def database(build):
    """make's targets: name -> (prerequisites, recipe)."""
    made = subprocess.run(['make', '-n', '-p', 'V=1', f'BUILD={build}', *GOALS], cwd=ROOT, check=True,
                          capture_output=True, text=True, env={**os.environ, 'MAKEFLAGS': ''})
    targets, name, files = {}, None, False
    for line in made.stdout.splitlines():
        if line == '# Files':
            files = True
        elif line.startswith('# Make data base'): # of another make, which a recipe calls
            files, name = False, None
        elif line.startswith('#  recipe to execute (built-in)'):
            name = None
        elif not files or line.startswith('#'):
            continue
        elif line.startswith('\t'):
            if name:
                targets[name][1].append(line.strip())
        elif match := re.match(r'([^\s:=#][^:=]*):\s*(.*)$', line):
            name = match[1]
            targets.setdefault(name, (set(), []))[0].update(match[2].replace('|', ' ').split())
        elif not line:
            name = None
    return targets


def stamps_before(name, targets, known):
    """The stamps that make waits for before it makes the target."""
    if name not in known:
        known[name] = set()
        base = os.path.basename(name)
        found = {base} if base in STAMPS else set()
        for other in targets.get(name, ((), ()))[0]:
            found |= stamps_before(other, targets, known)
        known[name] = found
    return known[name]


def claim(bad, sentence):
    print(f'{"not ok" if bad else "ok"} - {sentence}')
    for line in sorted(bad)[:20]:
        print(f'# {line}')
    return bool(bad)


def main():
    sys.setrecursionlimit(10000)
    with tempfile.TemporaryDirectory() as work:
        targets = database(f'{work}/build')
    known = {}
    early, early_test, seen = [], [], 0
    for name, (_, recipe) in targets.items():
        if not recipe or name in NEEDS_NOTHING or os.path.basename(name) in STAMPS:
            continue
        seen += 1
        stamps = stamps_before(name, targets, known)
        if not stamps:
            early.append(name)
        elif TEST_PROGRAMS.search(' '.join(recipe)) and not stamps & {'.bootstrap-test', '.bootstrap-linux'}:
            early_test.append(name)
    order = [f'{a} and {b} install at the same time' for a, b in zip(STAMPS, STAMPS[1:3])
             if a not in stamps_before(next((n for n in targets if n.endswith(b)), b), targets, {})]
    failed = claim([] if seen > 1000 else [f'only {seen} targets'], 'make says what it would build')
    failed |= claim(early, 'every recipe comes after the installation of what building needs')
    failed |= claim(early_test, 'every recipe that runs a program of the tests comes after their installation')
    failed |= claim(order, 'no two installations run at once')
    return failed


if __name__ == '__main__':
    sys.exit(main())
