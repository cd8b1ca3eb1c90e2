#!/bin/sh
# fuzz_recordmcount.sh [SECONDS [SEED]] - runs recordmcount on damaged files.
#
# Builds recordmcount with the address and undefined-behaviour sanitizers, then
# runs it on objects and kernels with a few changed bytes, mostly in headers, or
# truncated. Claim: for any file the status is 0, or 65 with one line and the file
# unchanged. A failure keeps the file and prints its name.

. "$(dirname "$0")/../claims.sh"
set -eu

seconds=${1:-10}
seed=${2:-1}
root=$(realpath "$claims_path/..")
CC=${CC:-gcc}

# shellcheck disable=SC2046 # pkg-config gives words
$CC -std=gnu11 -D_GNU_SOURCE -I"$BUILD" -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
    -o "$work/recordmcount" "$root"/tools/recordmcount/*.c $(pkg-config --cflags --libs libelf)

cat >"$work/seed.c" <<'EOF'
int outside(int);
int table[10];
static __attribute__((noinline)) int inner(int a) { return table[a] + 3; }
int f(int a) { return outside(a) + inner(a) + 1; }
__attribute__((cold)) int rare(int a) { return outside(a); }
int leaf(void) { return 3; }
EOF
cat >"$work/group.S" <<'EOF'
    .option norelax
    .globl _mcount, outside
_mcount: ret
outside: ret
    .section .text.shared, "axG", @progbits, shared, comdat
    .weak shared
shared:
    call _mcount
    ret
    .text
    call _mcount
    call shared
EOF
cat >"$work/kernel.ld" <<'EOF'
SECTIONS {
    . = 0xffffffff80000000;
    .text : { *(.text .text.*) }
    .rodata : { __start_mcount_loc = .; *(__mcount_loc) __stop_mcount_loc = .; *(.rodata*) }
    .data : { *(.data .bss .sdata .sbss) }
}
EOF
flags='-O2 -pg -mno-relax -march=rv64imac -mabi=lp64 -mcmodel=medany'
# shellcheck disable=SC2086 # words
{
    "${CROSS}gcc" $flags -c "$work/seed.c" -o "$work/plain.o"
    "${CROSS}gcc" $flags -ffunction-sections -c "$work/seed.c" -o "$work/split.o"
    "${CROSS}gcc" $flags -c "$work/group.S" -o "$work/group.o"
}
for o in plain split group; do
    cp "$work/$o.o" "$work/$o-done.o"
    "$work/recordmcount" "$work/$o-done.o"
done
"${CROSS}ld" --no-warn-rwx-segments -T "$work/kernel.ld" -o "$work/kernel.elf" \
    "$work/plain-done.o" "$work/group-done.o"

claims_of python3 - "$work" "$seconds" "$seed" <<'EOF'
import os, random, struct, subprocess, sys, tempfile, time
from claims import claim, finish

work, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
tool = os.path.join(work, "recordmcount")
rng = random.Random(seed)
BATCH = 40
EDGES = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0xff00, 0xffff,
         0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffffff8]


def seeds(names):
    return [open(os.path.join(work, n), "rb").read() for n in names]


OBJECTS = seeds(f"{o}{d}.o" for o in ("plain", "split", "group") for d in ("", "-done"))
KERNELS = seeds(["kernel.elf"])


def tables(data):
    """The offsets of headers, relocations and symbols, which are damaged most."""
    shoff, = struct.unpack_from("<Q", data, 40)
    shnum, = struct.unpack_from("<H", data, 60)
    places = [(0, 64), (shoff, shnum * 64)]
    for i in range(shnum):
        kind, = struct.unpack_from("<I", data, shoff + 64 * i + 4)
        offset, size = struct.unpack_from("<QQ", data, shoff + 64 * i + 24)
        if kind != 8 and size:
            places.append((offset, size))
    return places


def mutate(data):
    out = bytearray(data)
    places = tables(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        start, size = places[1] if rng.random() < 0.5 else rng.choice(places)
        width = rng.choice([1, 2, 4, 8])
        at = start + rng.randrange(size) // width * width
        if at + width > len(out):
            continue
        old = int.from_bytes(out[at:at + width], "little")
        new = rng.choice([rng.choice(EDGES), rng.getrandbits(64), old + rng.randrange(-16, 17),
                          old ^ 1 << rng.randrange(8 * width), rng.randrange(64)])
        out[at:at + width] = (new % (1 << 8 * width)).to_bytes(width, "little")
    if rng.random() < 0.05:
        del out[rng.randrange(len(out)):]
    return bytes(out)


def judge(args, files, result):
    lines = result.stderr.decode(errors="replace").splitlines()
    if result.returncode not in (0, 65) or (result.returncode == 0) != (not lines):
        return f"status {result.returncode}, {len(lines)} lines: {lines[:3]}"
    for path, before in files.items():
        mine = [l for l in lines if l.startswith(f"recordmcount: {path}: ")]
        if len(mine) > 1:
            return f"{len(mine)} lines for one file: {mine}"
        if (mine or "--list" in args) and open(path, "rb").read() != before:
            return f"{path} was refused and changed"
        lines = [l for l in lines if l not in mine]
    return f"stray lines: {lines[:3]}" if lines else None


def run(args, data):
    with tempfile.TemporaryDirectory(dir=work) as folder:
        files = {}
        for i, d in enumerate(data):
            files[os.path.join(folder, f"{i}")] = d
            open(os.path.join(folder, f"{i}"), "wb").write(d)
        try:
            result = subprocess.run([tool, *args, *files], stderr=subprocess.PIPE,
                                    stdout=subprocess.DEVNULL, timeout=300)
        except subprocess.TimeoutExpired:
            return "still running after 60 s"
        wrong = judge(args, files, result)
        if not wrong and len(os.listdir(folder)) != len(data):
            wrong = "a temporary file was left behind"
        return wrong


def attempt(args, data):
    """The first damaged file that fails by itself, with the reason; or None."""
    wrong = run(args, data)
    if not wrong:
        return None
    for d in data:
        alone = run(args, [d])
        if alone:
            return d, alone
    return data[0], wrong


end = time.monotonic() + seconds
count = 0
sentence = "recordmcount answers every damaged file with 0 or with 65 and one line"
while time.monotonic() < end:
    for args, pool, n in (([], OBJECTS, BATCH), (["--sort"], KERNELS, 1), (["--list"], KERNELS, 1)):
        found = attempt(args, [mutate(rng.choice(pool)) for _ in range(n)])
        count += n
        if found:
            handle, path = tempfile.mkstemp(prefix="fuzz-recordmcount-found-")
            os.write(handle, found[0])
            claim(sentence, False, f"{' '.join(args)} {path} (seed {seed}): {found[1]}")
            finish()
claim(sentence, True)
print(f"# {count} files, seed {seed}, {seconds:g} s")
EOF
finish
