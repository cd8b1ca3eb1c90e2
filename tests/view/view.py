#!/usr/bin/env python3
"""view.py - the viewer: pictures without a window, damaged logs, and a real window under Xvfb with
real keys, clicks and wheels (xdotool). Pictures are compared by what they must show: colours in
regions, not the pixels of letters.

BUILD is where the programs are. Prints `ok - claim` or `not ok - claim`; status 0 when all hold.
DAMAGED: how many damaged logs are tried (100). Arguments: only these parts: pictures, errors, ...
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
RVFTRACE = BUILD / "rvftrace"
DAMAGED = int(os.environ.get("DAMAGED", "100"))
WITHOUT_DISPLAY = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
failed = 0

# Colours of tools/view/theme.c, and the places of tools/view/draw.c.
BACK, DARK, TASK, STALE, FINDING = 0xffffff, 0x14171c, 0xb4bec9, 0xf2a900, 0xc8102e
FENCE, STORE, ACCENT, TRACER, PANEL, SITE_ON, STRIPE, TRAP = 0x007a5a, 0x1f2328, 0x0a5fc4, 0x0072b2, 0xeff2f5, 0x0072b2, 0xf6f8fa, 0x6b3fa0
LABELS, TOP, RULER, PANE, LEGEND = 168, 34 + 54 + 26, 26, 420, 28


def claim(good, sentence, *why):
    global failed
    print(f"{'ok' if good else 'not ok'} - {sentence}")
    if not good:
        failed = 1
        for line in why:
            print(f"# {line}")
    return good


class Picture:
    """rows of 0xrrggbb"""

    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    def region(self, name):
        w, h = self.width, self.height
        return {"overview": (LABELS, 34, w - PANE, 34 + 54), "ruler": (LABELS, TOP - RULER, w - PANE, TOP),
                "lanes": (LABELS, TOP, w - PANE, h - LEGEND), "pane": (w - PANE, 34, w, h - LEGEND),
                "labels": (0, TOP, LABELS, h - LEGEND), "all": (0, 0, w, h)}[name]

    def count(self, region, colour):
        x0, y0, x1, y1 = self.region(region) if isinstance(region, str) else region
        return sum(row[x0:x1].count(colour) for row in self.rows[y0:y1])

    def columns(self, region, colour, least):
        """The columns that have this number of pixels of the colour."""
        x0, y0, x1, y1 = self.region(region)
        return [x for x in range(x0, x1) if sum(self.rows[y][x] == colour for y in range(y0, y1)) >= least]


def read_png(path):
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert (depth, colour) == (8, 2)
        elif kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += size + 12
    body, rows, last, stride = zlib.decompress(body), [], bytes(width * 3), width * 3
    for y in range(height):
        line = bytearray(body[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(body[y * (stride + 1)], line, last)
        rows.append([line[i] << 16 | line[i + 1] << 8 | line[i + 2] for i in range(0, stride, 3)])
        last = line
    return Picture(width, height, rows)


def unfilter(kind, line, last):
    for i in range(len(line)):
        left = line[i - 3] if i >= 3 else 0
        above, corner = last[i], last[i - 3] if i >= 3 else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + above) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + above) // 2) & 255
        elif kind == 4:
            guess = left + above - corner
            best = min((abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner))
            line[i] = (line[i] + best[2]) & 255


def run(*arguments, timeout=300):
    return subprocess.run([RVFTRACE, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, env=WITHOUT_DISPLAY)


def picture(work, *arguments):
    path = work / "picture.png"
    path.unlink(missing_ok=True)
    made = run("view", "--screenshot", path, "--size", "1200x700", *arguments)
    if made.returncode or made.stderr:
        claim(False, "a picture is made without a message", made.stderr, f"status {made.returncode}")
    return read_png(path)


def make_logs(work):
    script = ("echo function > /sys/kernel/tracing/current_tracer; work threads 1; "
              "echo nop > /sys/kernel/tracing/current_tracer; poweroff")
    for name, image, more in (("good", "guest-kernel/pfe8/kernel.elf", ["--append", f'script="{script}"']),
                              ("uncounted", "guest-kernel/pfe8/kernel.elf", ["--append", f'script="{script}"', "--account", "off"]),
                              ("bad", "guest/crosspatch.elf", [])):
        made = run("run", "--quiet", "--harts", "2", "--log", work / f"{name}.log", *more, BUILD / image)
        if not (work / f"{name}.log").exists():
            sys.exit(f"no log: {made.stderr}")


def times(work, log):
    """The cycles of the first store of the second update, and of its last one."""
    lines = run("log", work / log).stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("updates of code"))
    words = lines[at + 2].split("cycles ")[1].split(",")[0].split(" to ")
    return int(words[0]), int(words[1])


def check_pictures(work):
    good, bad = work / "good.log", work / "bad.log"
    first, last = times(work, "good.log")
    all_of_it = picture(work, good)
    claim(all_of_it.count("lanes", TASK) > 2000 and all_of_it.count("overview", TASK) > 1000,
          "the whole run has bars of tasks, above and in the lanes")
    claim(len({c for row in all_of_it.rows[TOP:600] for c in row[LABELS:700]}) > 40, "... and calls in many colours")
    claim(len(all_of_it.columns("overview", ACCENT, 54)) == 2, "... with a frame around all of it above")
    claim(all_of_it.count("lanes", FINDING) == 0 and all_of_it.count("pane", FINDING) == 0,
          "a run without findings shows none")

    near = picture(work, "--at", f"{first}..{first + 4000}", good)
    claim(near.count("lanes", STALE) > 200, "a store to code begins a window in which harts may run old code")
    claim(near.count("lanes", FENCE) >= 20 and near.count("lanes", STORE) > 100,
          "... and it has marks for stores and fences")
    frame = near.columns("overview", ACCENT, 54)
    claim(2 <= len(frame) <= 4 and frame[-1] - frame[0] < 8, "... and a small frame above")
    claim(abs((frame[0] - LABELS) / (1200 - PANE - LABELS) - first / cycles(work)) < 0.02, "... at its place")
    traced = picture(work, "--at", f"{last + 1000}..{last + 40000}", good)
    claim(traced.count("lanes", TRACER) > 500, "after it functions call the tracer")
    claim(all_of_it.rows == picture(work, good).rows, "the same options make the same picture")

    found = picture(work, "--go", "finding:1", bad)
    claim(found.count("lanes", FINDING) > 20, "a finding is a red mark")
    claim(found.count("pane", FINDING) > 30, "... and its rule is in the details")

    claim(picture(work, "--at", "1500K..2500K", good).rows == picture(work, "--at", "1.5M..2.5M", good).rows,
          "cycles may have decimals")
    dark = picture(work, "--theme", "dark", good)
    claim(dark.count("lanes", DARK) > 10000 and dark.count("all", BACK) == 0, "dark is dark")
    sites = picture(work, "--pane", "sites", good)
    claim(sites.count("pane", SITE_ON) > 1000 and all_of_it.count("pane", SITE_ON) < 100,
          "the sites have their states over time")
    chosen = picture(work, "--select", f"{first}..{last}", good)
    edges = chosen.columns("lanes", ACCENT, 500)
    claim(len(edges) == 2 and edges[1] > edges[0], "a range has its two edges", edges)
    other = picture(work, "--select", f"{first}..{last}", work / "uncounted.log")
    differ = [y for y in range(TOP, 672) if chosen.rows[y][1200 - PANE:] != other.rows[y][1200 - PANE:]]
    claim(differ and differ[-1] - differ[0] < 20, "... and only the row of disabled cost depends on what the sites cost", differ)
    step = picture(work, "--go", "update:2", "--step", "2", good)
    claim(step.count("pane", STALE) > 100, "in an update each hart is shown that may run old code")
    none = picture(work, "--pane", "none", good)
    claim(none.count((1200 - PANE, TOP, 1200, 672), PANEL) == 0, "the pane can be left out")
    steps = [picture(work, "--go", "update:2", "--step", n, good).count("pane", FENCE) for n in range(1, 6)]
    claim(min(steps) < 100 < max(steps), "... and after its fence.i that it does not any more", steps)
    both = picture(work, good, bad)
    claim(both.count("overview", FINDING) > 0, "two logs are in one picture")
    same = picture(work, "--select", f"{first}..{last}", good, good)
    other = picture(work, "--select", f"{first}..{last}", good, bad)
    pane = 1200 - PANE + 14
    numbers = [(pane + 392 * left // 100, 140, pane + 392 * right // 100, 400) for left, right in ((41, 62), (63, 84))]
    inks = [[p.count(place, colour) for place, colour in zip(numbers, (ACCENT, TRAP))] for p in (same, other)]
    x0, y0, x1, y1 = numbers[1]
    claim(min(inks[0] + inks[1]) >= 3 and any(same.rows[y][x0:x1] != other.rows[y][x0:x1] for y in range(y0, y1)),
          "... and a range has numbers in the colours of both", inks)
    found = [picture(work, "--search", "tree_", *logs) for logs in ((good, good), (good, bad), (bad, good))]
    rows = [(left, 172, right, 300) for left, _, right, _ in numbers]
    inks = [[p.count(place, colour) for place, colour in zip(rows, (ACCENT, TRAP))] for p in found]
    claim(min(inks[0]) >= 8, "... and the functions of both have their numbers", inks)
    claim(inks[1][0] >= 8 and inks[2][1] >= 8, "... also those that only one of them has, either one", inks)
    claim(inks[1][1] < 3 > inks[2][0], "... with 0 for the other", inks)
    sites = [picture(work, "--pane", "sites", good, log).count("pane", SITE_ON) for log in (good, bad)]
    claim(sites[0] > sites[1] * 3 / 2, "... and the table of sites has the states of both", sites)
    large = picture(work, "--scale", "2", good)
    claim(large.count((0, 0, 1200, 60), PANEL) > 50000, "everything can be larger")


def differing(one, other, region):
    x0, y0, x1, y1 = one.region(region)
    return sum(a != b for y in range(y0, y1) for a, b in zip(one.rows[y][x0:x1], other.rows[y][x0:x1]))


def check_parts(work):
    """Arrows, markers, filters, and what is saved of a range."""
    good, bad = work / "good.log", work / "bad.log"
    first, last = times(work, "good.log")
    near = ("--at", f"{first - 500}..{first + 4000}")
    plain = picture(work, *near, good)
    bare = picture(work, *near, "--hide", "arrows", good)
    claim(differing(plain, bare, "lanes") > 100, "stores have arrows to the fences of other harts")
    claim(differing(plain, bare, "pane") == 0 and bare.count("lanes", STORE) > 100, "... which can be hidden, alone")
    claim(differing(picture(work, "--go", "finding:1", bad), picture(work, "--go", "finding:1", "--hide", "arrows", bad),
                    "lanes") > 10, "... also to a fetch of old code")
    claim(picture(work, *near, "--hide", "store", good).count("lanes", STORE) < plain.count("lanes", STORE) / 4 and
          picture(work, *near, "--hide", "fence", good).count("lanes", FENCE) < plain.count("lanes", FENCE) / 4,
          "each kind of marks can be hidden")
    marked = picture(work, *near, "--markers", f"{first}..{first + 3000}", good)
    columns = marked.columns("lanes", TRAP, 400)
    claim(len(columns) == 4 and 400 < columns[2] - columns[0] < 416, "the markers A and B are where they should be", columns)
    claim(marked.count("ruler", TRAP) > plain.count("ruler", TRAP) + 200, "... with their names in the ruler")
    tasks = [picture(work, *more, good) for more in ((), ("--task", "sh"), ("--task", "nobody"))]
    inks = [len({tuple(row[20:LABELS]) for row in p.rows[TOP:672]}) for p in tasks]
    claim(min(inks[:2]) > inks[2], "--task leaves the lanes of the others out", inks)
    listed = ("--from", first - 1000000, "--until", first, "--task", "sh", good)
    for name, form in (("part.csv", ("--to", "csv")), ("part.txt", ("--list",)), ("part.json", ("--to", "chrome"))):
        saved = run("view", "--select", f"{first - 1000000}..{first}", "--task", "sh", "--save", work / name, good)
        expected = run("log", *form, *listed).stdout
        claim(saved.returncode == 0 and len(expected) > 1000 and (work / name).read_text() == expected,
              f"{name}: what is saved is what `rvftrace log' writes", saved.stderr)
    script = "echo function > /sys/kernel/tracing/current_tracer; work calls 1; echo nop > /sys/kernel/tracing/current_tracer"
    image = BUILD / "guest-kernel/pfe8/kernel.elf"
    run("run", "--quiet", "--append", f'script="{script}"', "--save", work / "on.snap", "--save-at", "11M", image)
    run("run", "--quiet", "--restore", work / "on.snap", "--log", work / "on.log", image)
    claim(picture(work, "--pane", "sites", "--at", "11M..11100K", work / "on.log").count("pane", SITE_ON) > 10000,
          "sites that are on when the log begins later are shown as on")
    refused = [run("view", *what, good) for what in (("--hide", "x"), ("--markers", "5"), ("--task", ""))]
    claim(all(r.returncode == 64 and len(r.stderr.splitlines()) == 1 for r in refused), "wrong values are refused")


def cycles(work):
    return int(run("log", work / "good.log").stdout.split("at cycle ")[1].split()[0].replace(",", ""))


def check_errors(work):
    for arguments, status, words in (((), 64, "no log"), (("--at", "5..3", "x"), 64, "--at: invalid value"),
                                     (("--size", "9x9", "x"), 64, "--size: invalid value"),
                                     (("--go", "finding:0", "x"), 64, "--go: invalid value"),
                                     (("a", "b", "c"), 64, "more than two logs"),
                                     ((work / "no.log",), 66, "No such file"), ((RVFTRACE,), 65, "not"),
                                     (("--screenshot", "/none/x.png", work / "good.log"), 74, "/none/x.png"),
                                     (("--screenshot", work / "f.png", "--font", RVFTRACE, work / "good.log"), 65, "rvftrace")):
        made = run("view", *arguments)
        claim(made.returncode == status and len(made.stderr.splitlines()) == 1 and words in made.stderr,
              f"view {' '.join(pathlib.Path(a).name for a in map(str, arguments))}: one line, status {status}",
              made.stderr, f"status {made.returncode}")
    made = run("view", work / "good.log")
    claim(made.returncode == 74 and len(made.stderr.splitlines()) == 1, "without a display: one line, status 74", made.stderr)
    claim("--screenshot" in run("view", "--help").stdout, "--help lists the options")


def check_input(work):
    made = subprocess.run([BUILD / "tests/view/test_input", work / "good.log"], capture_output=True, text=True, timeout=300)
    print(made.stdout, end="")
    claim(made.returncode == 0, "fine wheels, touchpads and touch screens", made.stdout, made.stderr)


def damage(dice, whole, n):
    """Bytes that differ, are missing, or too many; a log that ends too early; numbers that are too large."""
    data = bytearray(whole)
    for _ in range(dice.choice((1, 1, 3, 30))):
        where = dice.randrange(len(data))
        data[where:where + dice.choice((0, 1, 1, 8))] = dice.randbytes(dice.choice((0, 1, 1, 8)))
    if n % 5 == 0:
        data = data[:dice.randrange(len(data))]
    if n % 7 == 0:
        where = dice.randrange(max(1, len(data) - 8))
        data[where:where + 8] = dice.choice((b"\xff" * 8, b"\0" * 8, b"\xff" * 7 + b"\x7f", b"\0\0\0\x80" * 2))
    return data


def forge(dice, frames):
    """A log whose frames have checksums as they should, but not what should be in them."""
    made = []
    for head, packed in frames:
        raw = bytearray(zstd("-d", packed))
        for _ in range(dice.choice((0, 0, 1, 4))):
            if raw:
                raw[dice.randrange(len(raw))] = dice.choice((0, 1, 0x7f, 0x80, 0xff, dice.randrange(256)))
        made.append((head, raw))
    return made


def zstd(option, data):
    return subprocess.run(["zstd", "-q", option, "-c"], input=data, capture_output=True, check=True).stdout


def fnv1a(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return h


HEAD = struct.Struct("<IIIIQQII")  # emu/log/log_format.h: what a frame begins with, before its checksum


def read_frames(whole):
    at, frames = 16, []
    while at + 48 <= len(whole):
        head = list(HEAD.unpack_from(whole, at))
        if fnv1a(whole[at:at + 40]) != struct.unpack_from("<Q", whole, at + 40)[0]:
            break
        frames.append((head, whole[at + 48:at + 48 + head[2]]))
        at += 48 + head[2]
    return whole[:16], frames


def write_frames(start, frames):
    data = bytearray(start)
    for head, raw in frames:
        packed = zstd("-1", bytes(raw))
        head = HEAD.pack(*head[:2], len(packed), len(raw), *head[4:])
        data += head + struct.pack("<Q", fnv1a(head)) + packed
    return data


def check_damage(work):
    """With the sanitizers: what they find is a status of its own."""
    whole = (work / "bad.log").read_bytes()
    cut, made_png = work / "cut.log", work / "cut.png"
    larger = (work / "good.log").read_bytes()
    cut.write_bytes(larger[:len(larger) * 2 // 3])
    made = run("view", "--screenshot", made_png, cut)
    claim(made.returncode == 0 and made_png.exists() and len(made.stderr.splitlines()) == 1,
          "a log that was cut is shown up to there, with one line", made.stderr)
    dice, wrong, shown = random.Random(20), [], 0
    start, frames = read_frames(whole)
    claim(len(frames) > 4, "the test can read the frames of a log", len(frames))
    for n in range(DAMAGED):
        cut.write_bytes(write_frames(start, forge(dice, frames)) if n % 2 else damage(dice, whole, n))
        options = dice.choice((["--at", f"{dice.randrange(10**5)}"], ["--go", "store:1"], ["--go", "finding:1"], ["--go", "update:1"],
                               ["--select", "1K..1M"], ["--pane", "sites"], ["--pane", "functions"], ["--at", "1G..900G"]))
        try:
            made = subprocess.run([BUILD / "asan/rvftrace-view", "--screenshot", made_png, "--size", "600x400", *options, cut],
                                  capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
                                  env={**WITHOUT_DISPLAY, "ASAN_OPTIONS": "exitcode=99"})
        except subprocess.TimeoutExpired:
            wrong.append(f"log {n}: takes too long")
            continue
        lines = [line for line in made.stderr.splitlines() if "--go" not in line]
        shown += made.returncode == 0
        if made.returncode not in (0, 65) or len(lines) > 1 or (made.returncode == 65 and not lines):
            wrong.append(f"log {n}: status {made.returncode}: {made.stderr[-600:]}")
            (work.parent / f"view-damaged-{n}.log").write_bytes(cut.read_bytes())
    claim(not wrong, f"{DAMAGED} damaged logs: a picture or one clear line", *wrong[:5])
    claim(shown > DAMAGED // 20, "some of them are shown in part", shown)


def check_cache(work):
    """A log of a million events is kept as it is shown; what is kept is only for speed."""
    log, kept = work / "large.log", work / "large.log.view"
    run("run", "--quiet", "--harts", "2", "--log", log, "--append", 'script="work threads 60; poweroff"',
        BUILD / "guest-kernel/pfe8/kernel.elf")
    where = ("--at", "3M..3300K", "--pane", "functions", log)
    plain = picture(work, "--no-cache", *where)
    claim(not kept.exists(), "--no-cache keeps nothing")
    first = picture(work, *where)
    claim(kept.exists() and first.rows == plain.rows, "a large log is kept beside itself as it is shown")
    began = kept.stat().st_mtime_ns
    claim(picture(work, *where).rows == plain.rows and kept.stat().st_mtime_ns == began, "... and shown from there")
    made = run("view", "--bench", log)
    claim("from LOG.view" in made.stdout, "... which --bench tells", made.stdout, made.stderr)
    frames = float(made.stdout.split(" frames a second")[0].split()[-1])
    claim(frames > 60, "60 frames a second while it zooms and moves, in CPU time", made.stdout)
    kept.write_bytes(kept.read_bytes()[:-9])
    claim(picture(work, *where).rows == plain.rows and kept.stat().st_mtime_ns > began,
          "a damaged one is not used, but replaced, without a message")
    claim(sorted(work.glob("large*")) == [log, kept], "nothing else is left there")
    kept.unlink()
    (work / "fb-cache").mkdir()
    w = Window(work / "fb-cache", "view", "--size", "1200x700", log)
    try:
        claim(w.wait(lambda _: kept.exists()), "a window keeps it, too")
        claim(w.wait(lambda _: not children(w.viewer.pid)), "... and the process that has written it leaves no zombie")
    finally:
        w.close()
    varied = work / "varied.log"
    subprocess.run([BUILD / "tests/view/varied", varied, "1000000"], check=True, timeout=300)
    made = [run("view", "--bench", varied).stdout for _ in range(2)]
    claim("one by one" in made[0] and "from LOG.view" in made[1],
          "so is one of 400 tasks and 20,000 functions, with harts whose stores and fences are in another order by their clocks", *made)
    frames = float(made[1].split(" frames a second")[0].split()[-1])
    claim(frames > 60, "... with 60 frames a second", made[1])


class Window:
    """A viewer in a display of its own."""

    def __init__(self, work, *arguments, stdin=subprocess.DEVNULL):
        read, write = os.pipe()
        self.fb = work
        self.x = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1200x700x24", "-fbdir", work],
                                  pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.environment = {**os.environ, "DISPLAY": ":" + number.readline().strip()}
        self.viewer = subprocess.Popen([RVFTRACE, *map(str, arguments)], env=self.environment, text=True,
                                       stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.do("search", "--sync", "--name", "rvftrace view")
        self.id = self.do("search", "--name", "rvftrace view").split()[0]
        self.do("windowmove", self.id, "0", "0")
        self.do("windowfocus", "--sync", self.id)

    def do(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True,
                              timeout=30).stdout

    def picture(self):
        """What is on the screen, from Xvfb's memory, which is in the format of xwd."""
        data = (self.fb / "Xvfb_screen0").read_bytes()
        head = struct.unpack(">25I", data[:100])
        width, height, stride, colours = head[4], head[5], head[12], head[19]
        at, rows = head[0] + colours * 12, []
        for y in range(height):
            line = struct.unpack_from(f"<{width}I", data, at + y * stride)
            rows.append([pixel & 0xffffff for pixel in line])
        return Picture(width, height, rows)

    def wait(self, holds):
        """The picture when it holds; at last the one for which it does not."""
        for _ in range(100):
            shown = self.picture()
            if holds(shown):
                return True
            time.sleep(0.1)
        return False

    def close(self):
        self.viewer.kill()
        self.viewer.wait()
        self.x.terminate()
        self.x.wait()


def check_window(work):
    (work / "fb").mkdir()
    w = Window(work / "fb", "view", "--size", "1200x700", work / "good.log")
    try:
        check_keys(w)
    finally:
        w.close()


def check_live(work):
    """A window that shows a run while it goes on; it stays when the run has ended, until q."""
    log = work / "live.log"
    (work / "fb2").mkdir()
    w = Window(work / "fb2", "run", "--view", "--log", log, "--quiet", "--append",
               'script="work threads 200; poweroff"', BUILD / "guest-kernel/pfe8/kernel.elf")
    try:
        pid = int(w.do("getwindowpid", w.id) or 0)
        claim(w.wait(lambda p: p.count("overview", TASK) > 300), "run --view shows what is logged")
        claim(w.viewer.wait(60) == 0 and log.exists(), "... and the run ends as always")
        claim(w.wait(lambda p: not p.count((600, 0, 1190, 34), FINDING)) and is_running(pid),
              "... and its window stays")
        try:
            w.viewer.communicate(timeout=5)
            left = True
        except subprocess.TimeoutExpired:
            left = False
        claim(left and is_running(pid), "... without holding the pipe to which the run has written")
        w.do("key", "--window", w.id, "q")
        claim(pid and ends(pid), "... until q")
    finally:
        w.close()
    check_live_prompt(work)
    made = run("run", "--view", "--log", "-", "--console", "none", BUILD / "guest/hello.elf")
    claim(made.returncode == 64 and "--log" in made.stderr, "--view needs a log that is a file")


def children(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue  # it has ended
        if int(text.rsplit(")", 1)[1].split()[1]) == pid:
            found.append(text)
    return found


def is_running(pid):
    """It is there, and no zombie."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ends(pid):
    for _ in range(50):
        if not is_running(pid):
            return True
        time.sleep(0.1)
    return False


def check_live_prompt(work):
    """A guest that waits at its prompt: what it does is shown within a second. Either may end first."""
    for name, end in ("by", "the window is closed"), ("killed", "the run is killed"):
        log = work / f"{name}.log"
        (work / f"fb-{name}").mkdir()
        w = Window(work / f"fb-{name}", "run", "--view", "--log", log, "--quiet", BUILD / "guest-kernel/pfe8/kernel.elf",
                   stdin=subprocess.PIPE)

        def shown():
            return [row[100:700] for row in w.picture().rows[:34]]  # how many events

        try:
            pid = int(w.do("getwindowpid", w.id) or 0)
            w.wait(lambda p: p.count("labels", STRIPE) > 10000)
            times = []
            for _ in range(3):
                time.sleep(1.5)
                before, began = shown(), time.monotonic()
                w.viewer.stdin.write("work tree 1\n")
                w.viewer.stdin.flush()
                while shown() == before and time.monotonic() - began < 10:
                    time.sleep(0.05)
                times.append(time.monotonic() - began)
            claim(min(times) < 1, "what a guest at its prompt does is shown within a second", times)
            if name == "by":
                w.do("key", "--window", w.id, "q")
                claim(ends(pid) and not children(w.viewer.pid), f"{end}: the viewer ends, and is no zombie of the run")
                w.viewer.stdin.write("poweroff\n")
                w.viewer.stdin.flush()
                claim(w.viewer.wait(20) == 0 and log.exists(), "... and the run goes on to its end")
            else:
                w.viewer.kill()
                time.sleep(1)
                claim(is_running(pid) and w.picture().count("labels", STRIPE) > 10000, f"{end}: what it has logged stays in sight")
                w.do("key", "--window", w.id, "q")
                claim(ends(pid), "... until q")
        finally:
            w.close()


def frame_width(shown):
    columns = shown.columns("overview", ACCENT, 54)
    return columns[-1] - columns[0] if len(columns) > 1 else None


def check_keys(w):
    def press(key, holds, sentence):
        w.do("key", "--window", w.id, key) if key else None
        claim(w.wait(holds), sentence)

    all_width = 1200 - PANE - LABELS
    press(None, lambda p: p.count("lanes", TASK) > 2000, "a window shows the run")
    press("t", lambda p: p.count("lanes", DARK) > 10000, "t makes it dark")
    press("t", lambda p: p.count("lanes", BACK) > 10000, "... and light again")
    w.do("mousemove", LABELS + 300, 400)
    for _ in range(6):
        w.do("click", 4)
    claim(w.wait(lambda p: 0 < (frame_width(p) or 0) < all_width * 0.5), "the wheel zooms in")
    before = w.picture().columns("overview", ACCENT, 54)
    w.do("mousemove", LABELS + 500, 400, "mousedown", 1)
    for x in range(LABELS + 480, LABELS + 300, -20):
        w.do("mousemove", x, 400)
    w.do("mouseup", 1)
    claim(w.wait(lambda p: (p.columns("overview", ACCENT, 54) or before)[0] > before[0]), "dragging moves")
    press("0", lambda p: (frame_width(p) or 0) > all_width * 0.9, "0 shows the whole run")
    w.do("mousemove", LABELS + 100, TOP - 10, "mousedown", 1)
    for x in range(LABELS + 100, LABELS + 320, 20):
        w.do("mousemove", x, TOP - 10)
    w.do("mouseup", 1)
    claim(w.wait(lambda p: [x - LABELS for x in p.columns("lanes", ACCENT, 500)] in ([100, 300], [99, 299])),
          "dragging in the ruler selects a range", w.picture().columns("lanes", ACCENT, 500))
    claim(w.wait(lambda p: len({c for row in p.rows[350:600] for c in row[-PANE:]}) > 150),
          "... and its functions are listed, with bars")
    press("r", lambda p: (frame_width(p) or 9999) < all_width * 0.5, "r zooms to it")
    press("Escape", lambda p: not p.columns("lanes", ACCENT, 500), "Escape drops it")
    press("0", lambda p: (frame_width(p) or 0) > all_width * 0.9, "0 shows all again")
    w.do("mousemove", 1200 - PANE + 230, 34 + 18, "click", 1)
    claim(w.wait(lambda p: p.count("pane", SITE_ON) > 1000), "a click on a tab shows the sites")
    press("i", lambda p: p.count("pane", SITE_ON) < 200, "i hides the pane")
    press("i", lambda p: p.count("pane", SITE_ON) > 1000, "... and shows it again")
    press("p", lambda p: len(p.columns("lanes", STORE, 500)) == 1, "p goes to the first store to code")
    press("u", lambda p: p.count("pane", STALE) > 50, "u follows the update")
    w.do("key", "--window", w.id, "Escape")
    w.do("key", "--window", w.id, "slash")
    w.do("type", "--window", w.id, "fib")
    at = w.picture().columns("lanes", STORE, 500)
    w.do("key", "--window", w.id, "Return")
    claim(w.wait(lambda p: p.columns("lanes", STORE, 500) not in ([], at)), "/ searches a function, Enter goes to its call")
    press("question", lambda p: p.count((400, 200, 800, 500), BACK) > 30000 and p.count("labels", STRIPE) == 0,
          "? shows the keys")
    press("question", lambda p: p.count("labels", STRIPE) > 10000, "... and hides them")
    w.do("windowsize", w.id, "900", "600")
    claim(w.wait(lambda p: p.count((0, 572, 900, 600), PANEL) > 10000), "the window can be made smaller")
    w.do("key", "--window", w.id, "q")
    try:
        status = w.viewer.wait(10)
    except subprocess.TimeoutExpired:
        status = None
    claim(status == 0 and w.viewer.stderr.read() == "", "q ends it", status)


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        make_logs(work)
        for check in check_pictures, check_parts, check_errors, check_input, check_damage, check_cache, check_window, check_live:
            if not sys.argv[1:] or check.__name__[len("check_"):] in sys.argv[1:]:
                check(work)
    return failed


if __name__ == "__main__":
    sys.exit(main())
