#!/usr/bin/env python3
"""html.py - Chromium draws the page of `rvftrace report --html`.

A run with tracing and one with a missing fence are in the page; what Chromium has after the page's
script is compared with the reports, and the picture must have the colours of the plots, light and
dark. CHROMIUM names another program than the one in PATH.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from claims import FAILED, claim

T = "/sys/kernel/tracing"


def run(build, layout, script, *options):
    kernel = f"{build}/guest-kernel/{layout}/kernel.elf"
    subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--console", "none", "--harts", "2", *options, "--append",
                    f'script="{script}"', kernel], check=True, stdin=subprocess.DEVNULL, capture_output=True)


def colours(path):
    """How often each colour is in a PNG of 8 bits a channel."""
    data, at, packed, count = open(path, "rb").read(), 8, b"", {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, form = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    channels = {2: 3, 6: 4}[form]
    assert depth == 8
    raw, above = zlib.decompress(packed), bytes(width * channels)
    for y in range(height):
        start = y * (width * channels + 1)
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + width * channels])
        for i in range(len(line) if how else 0):
            left = line[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            guess = left + above[i] - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]), (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, above[i], (left + above[i]) // 2, paeth)[how]) & 255
        for x in range(0, len(line), channels):
            colour = bytes(line[x:x + 3]).hex()
            count[colour] = count.get(colour, 0) + 1
        above = line
    return count


def main():
    build, chromium = os.environ.get("BUILD", "build"), shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if not chromium:
        claim("there is chromium", False, "install it, or name it by CHROMIUM")
        return 1
    with tempfile.TemporaryDirectory() as work:
        run(build, "pfe8", f"work tree 1; echo function > {T}/current_tracer; work calls 2; echo nop > {T}/current_tracer",
            "--report", f"{work}/on.json", "--log", f"{work}/on.log")
        run(build, "mcount-no-remote-fence", f"work calls 10000 & sleep 0.01; echo fib > {T}/set_ftrace_filter; "
            f"echo function > {T}/current_tracer; wait", "--report", f"{work}/bad.json")
        for name in "on", "bad":
            subprocess.run([f"{build}/rvftrace", "report", "--html", f"{work}/{name}.html", "--log", f"{work}/on.log",
                            f"{work}/{name}.json"], check=True)
        run(build, "pfe8", "work tree 1", "--html", f"{work}/run.html", "--log", f"{work}/run.log")

        def browse(name, *options):
            size = [] if any(o.startswith("--window-size") for o in options) else ["--window-size=1280,2600"]
            command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={work}/profile",
                       "--virtual-time-budget=3000", *size, *options, f"file://{work}/{name}.html"]
            return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300).stdout

        page, report = browse("on", "--dump-dom"), json.load(open(f"{work}/on.json"))
        ran = [s for s in report["sites"] if s["kind"] == "function" and any(s[x]["entries"] for x in ("init", "off", "on"))]
        claim("the page has the run's image as its heading", f'<h1 id="title">{report["run"]["image"]}</h1>' in page, page[:300])
        claim("... how many sites were executed", f"{len(ran):,} of {len(report['sites']):,} sites were executed" in page)
        most = max(ran, key=lambda s: s["init"]["cycles"] + s["off"]["cycles"] + s["on"]["through_cycles"])
        first = re.search(r'id="sites".*?<tbody><tr><td[^>]*>([^<]*)', page, re.S)
        claim("... the site that took most first", first and first.group(1) == most["function"], first)
        claim("... a row for each update", page.count("<td class=\"name\">announced</td>") == len(report["updates"]), report["updates"])
        claim("... no findings, and a flame graph with the tracer", "no findings" in page and "<title>ftrace_caller: " in page)
        claim("... and one of the sites that are off", "Cycles in sites that are off" in page)
        claim("... which can be searched", 'id="flame-find"' in page and ">Find a function<" not in page)
        labels = re.findall(r'<text x="[\d.]+" y="\d+">([^<]*)</text>', page[page.index('id="flame"'):])
        names = set(re.findall(r"<title>([^:<]*): ", page))
        claim("... whose names are whole, or say that they are not", labels and all(x in names or x.endswith("…") for x in labels), labels[:9])
        page = browse("run", "--dump-dom")
        claim("run --html makes such a page, too", "<title>ftrace_caller: " not in page and "<title>tree_insert: " in page, page[:300])
        run(build, "pfe8", "work calls 1", "--html", f"{work}/bare.html")
        claim("without a log it says how to get a flame graph", "A flame graph is drawn here if" in browse("bare", "--dump-dom"))
        # Plots are drawn for the width that there is: their text is not made smaller.
        widths = [[int(w) for w in re.findall(r'viewBox="0 0 (\d+) ', browse("on", "--dump-dom", f"--window-size={n},900"))]
                  for n in (520, 1280)]
        claim("plots are as wide as the window", len(widths[0]) == len(widths[1]) >= 4 and max(widths[0]) <= 520 < 1100 < min(widths[1]), widths)
        page, report = browse("bad", "--dump-dom"), json.load(open(f"{work}/bad.json"))
        late = sum(bool(h["stale_cycles"]) and u["writer"].get("hart") != i for u in report["updates"] for i, h in enumerate(u["harts"]))
        claim("an arrow from an update to the fence of each other hart that was late", late and page.count('class="flow"') == late, late)
        stale = sum(m["what"] == "stale" for u in report["updates"] for m in u["timeline"])
        claim("... and a mark for each fetch of what was there before", stale and page.count('class="stale"') == stale, stale)
        evidence = report["findings"][0]["facts"]
        facts = [f["text"] for f in evidence if "frames" not in f]
        claim("a finding is shown with all of its evidence",
              facts and all(f.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in page for f in facts), facts)
        frames = [x for f in evidence for x in f.get("frames", [])]
        claim("... and each frame of its call stacks with the source line",
              len(frames) > 10 and all(f"<div>{x['symbol']}" in page and f"({x['file']}:{x['line']})</div>" in page for x in frames), frames)
        for scheme, number, back, plots in ("light", 1, "ffffff", ("0072b2", "d55e00")), ("dark", 0, "14171b", ("4aa8e0", "f08a3c")):
            browse("on", f"--blink-settings=preferredColorScheme={number}", f"--screenshot={work}/{scheme}.png")
            seen = colours(f"{work}/{scheme}.png")
            claim(f"the {scheme} page is drawn, with its plots", seen.get(back, 0) > 500000 and all(seen.get(c, 0) > 2000 for c in plots),
                  sorted(seen.items(), key=lambda item: -item[1])[:8])
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
