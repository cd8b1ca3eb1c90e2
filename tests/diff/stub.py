"""stub.py - the assembler programs of this folder, which run random cases, and the compiler's tools for them."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CROSS = os.environ.get("CROSS", "riscv64-unknown-elf-")


def tool(name, *arguments):
    """What the tool prints. If it fails, the program ends with its message and status 2."""
    try:
        done = subprocess.run([CROSS + name, *arguments], capture_output=True, text=True, check=False)
        fault = done.stderr.strip() if done.returncode else None
    except OSError as error:
        fault = error.strerror
    if fault is not None:
        print("%s: %s%s: %s" % (os.path.basename(sys.argv[0]), CROSS, name, fault), file=sys.stderr)
        sys.exit(2)
    return done.stdout


def assemble(source, elf, march, *options):
    """The program HERE/source, linked to the start of RAM."""
    tool("gcc", "-march=" + march, "-mabi=lp64d", "-nostdlib", "-static", "-Wl,-Ttext=0x80000000", "-Wl,--build-id=none",
         "-Wl,--no-warn-rwx-segments", "-Wl,-N", "-Wa,-I" + HERE, *options, "-o", elf, os.path.join(HERE, source))


def load(folder, name, march="rv64gc"):
    """The bytes of the program name.S, assembled in the folder, and the addresses of its symbols."""
    elf, raw = os.path.join(folder, name + ".elf"), os.path.join(folder, name + ".bin")
    assemble(name + ".S", elf, march)
    tool("objcopy", "-O", "binary", elf, raw)
    with open(raw, "rb") as f:
        code = f.read()
    return code, {m[2]: int(m[1], 16) for m in re.finditer(r"^(\w+) \w (\w+)$", tool("nm", elf), re.M)}


def disassemble(folder, code, machine="riscv:rv64"):
    """The instructions of the code as objdump shows them, a line each."""
    path = os.path.join(folder, "code.bin")
    with open(path, "wb") as f:
        f.write(code)
    text = tool("objdump", "-z", "-D", "-b", "binary", "-m", machine, path)
    return "\n".join(line for line in text.splitlines() if re.match(r" +[0-9a-f]+:", line))
