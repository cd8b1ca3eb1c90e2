#!/usr/bin/env python3
"""kernelshark.py - KernelShark opens what `rvftrace log --to trace-dat` and `run --rings` write.

Under Xvfb it shows each file: the lane of each hart must have bars of tasks, in colours, where that hart
has run them. A file that is cut must show none. KERNELSHARK names another program than that in PATH.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from claims import FAILED, claim

T = "/sys/kernel/tracing"
SCRIPT = f"echo function > {T}/current_tracer; echo 1 > {T}/events/sched/enable; ps | cat; work threads 2; " \
         f"echo 0 > {T}/tracing_on"
SCREEN = (1500, 900)
# Without a window manager the window is at the upper left: the lanes of both harts in it.
LANES = {0: (90, 150, 710, 185), 1: (90, 205, 710, 240)}
# The button of its message that it runs as root.
CLOSE = (868, 459)


def coloured(screen, box):
    """Pixels that are no grey, in Xvfb's memory, which is in the format of xwd."""
    data = screen.read_bytes()
    head = int.from_bytes(data[:4], "big") + 12 * int.from_bytes(data[76:80], "big")
    stride = int.from_bytes(data[48:52], "big")
    x0, y0, x1, y1 = box
    pixels = [data[at:at + 3] for y in range(y0, y1) for at in range(head + y * stride + 4 * x0, head + y * stride + 4 * x1, 4)]
    return sum(max(p) - min(p) > 80 for p in pixels)


def show(tool, path, work):
    """Coloured pixels of each lane, once they stay the same."""
    frames = pathlib.Path(tempfile.mkdtemp(dir=work))
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-fbdir",
                               frames], pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        display = ":" + number.readline().strip()
    env = dict(os.environ, DISPLAY=display, HOME=str(frames), XDG_RUNTIME_DIR=str(frames), LIBGL_ALWAYS_SOFTWARE="1",
               QT_QPA_PLATFORM="xcb")
    with open(frames / "said", "wb") as said:
        program = subprocess.Popen([tool, "-i", path], env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    counts, said = {}, ""
    for _ in range(30):
        time.sleep(0.5)
        if os.geteuid() == 0:
            subprocess.run(["xdotool", "mousemove", *map(str, CLOSE), "click", "1"], env=env, check=False, capture_output=True)
        before, counts = counts, {hart: coloured(frames / "Xvfb_screen0", box) for hart, box in LANES.items()}
        said = (frames / "said").read_text(errors="replace")
        if (counts == before and all(counts.values())) or "ERROR" in said:
            break
    alive = program.poll() is None
    program.kill()
    program.wait()
    server.terminate()
    server.wait()
    return alive, counts, said


def main():
    build = os.environ.get("BUILD", "build")
    tool = shutil.which(os.environ.get("KERNELSHARK", "kernelshark"))
    claim("there is kernelshark", tool, "install it, or name it by KERNELSHARK")
    if not tool:
        return True
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "run.log")
        subprocess.run([f"{build}/rvftrace", "run", "--quiet", "--console", "none", "--harts", "2", "--log", log, "--rings",
                        f"{work}/rings.dat", "--append", f'script="{SCRIPT}"', f"{build}/guest-kernel/mcount/kernel.elf"],
                       check=True, stdin=subprocess.DEVNULL)
        for form in "trace-dat", "trace-dat-7", "trace-dat-function":
            subprocess.run([f"{build}/rvftrace", "log", "--to", form, "-o", f"{work}/{form}.dat", log], check=True)
        for name in "trace-dat", "trace-dat-7", "trace-dat-function", "rings":
            alive, counts, said = show(tool, f"{work}/{name}.dat", work)
            claim(f"it shows {name}, with tasks on both harts", alive and min(counts.values()) > 300, (counts, said))
        pathlib.Path(work, "cut.dat").write_bytes(pathlib.Path(work, "trace-dat.dat").read_bytes()[:3000])
        alive, counts, said = show(tool, f"{work}/cut.dat", work)
        claim("... and nothing of one that is cut", not counts[1] and "while opening" in said, (counts, said))
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
