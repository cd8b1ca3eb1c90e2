#!/bin/sh
# pairs.sh - builds Linux kernels that differ in ftrace alone, for tools/bench --linux.
#
#   pairs.sh VERSION N VARIANT...     VERSION: 6.1, 6.12 or sid, of Debian's source packages; VARIANT:
#                                     none     neither function tracer nor frame pointer
#                                     frame    no function tracer, the frame pointer
#                                     norelax  the same objects, linked without relaxation, as dynamic ftrace is
#                                     off      both: dynamic ftrace, which the workload never turns on
#
# The result in the cache directory, of which what is there is not made again:
#
#   pairs/VERSION/VARIANT-1.Image to VARIANT-N.Image    the same objects, linked in N orders, by seed
#   pairs/VERSION/seconds                               what each step took, in seconds of a processor, for bench --plan
#
# The configuration is pair.config. An order of the seed has the files of the kernel in another order within .text; the
# functions of one file stay together, as a linker keeps them, and all other sections stay as they are (the order of initcalls
# has a meaning). A file that two variants have is at the same place of both orders.
#
# Environment: LINUX_CACHE (.cache/linux), DEBIAN_MIRROR, JOBS (2), COMPILER (riscv64-linux-gnu-gcc). Exit status: 0 all
# exist, 1 a step failed (its log is named), 64 wrong arguments, 69 a missing file cannot be fetched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${LINUX_CACHE:-$here/../../.cache/linux}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
compiler=${COMPILER:-riscv64-linux-gnu-gcc}
jobs=${JOBS:-2}
mkdir -p "$cache/pairs"
cache=$(cd "$cache" && pwd)
log=$cache/pairs/log who=pairs

# shellcheck source=tests/linux/fetch.inc
. "$here/fetch.inc"

[ $# -ge 3 ] || fail 64 'usage: pairs.sh VERSION N VARIANT...'
version=$1 count=$2
shift 2
top=$cache/pairs/$version
source=$top/source
mkdir -p "$top"
: >>"$log"

# ---- the source ----

# Debian sid's newest kernel is a package of another name each time.
package_of() {
    case $version in
        sid) depends linux-source linux-source- ;;
        *) echo "linux-source-$version" ;;
    esac
}

# The linker script gets a place for the order of the files, before all others of .text, and the linker options of link().
# What follows that place may begin at a page (TEXT_TEXT of 7.x). The linker relaxes a call if its target stays in reach of a
# `jal' when alignment moves it, by as much as .text itself is aligned to: without ALIGN by less than a page, and some do not.
unpack_source() {
    [ ! -e "$source/.complete" ] || return 0
    [ "$version" != sid ] || state=$cache/apt-sid
    read_lists
    package=$(package_of)
    [ -n "$package" ] || fail 1 "linux-source of sid depends on no source; apt's words are in $log"
    fetch "$package" "$top/package"
    rm -rf "$source"
    mkdir -p "$source"
    step tar -xf "$(find "$top/package" -name 'linux-source-*.tar.*')" -C "$source" --strip-components=1
    rm -rf "$top/package"
    step sed -i 's/^[[:space:]]*TEXT_TEXT$/#include <generated\/order.lds>\n&/' "$source/arch/riscv/kernel/vmlinux.lds.S"
    step sed -i 's/^[[:space:]]*\.text : {$/\t.text : ALIGN(PAGE_SIZE) {/' "$source/arch/riscv/kernel/vmlinux.lds.S"
    for text in order.lds '\.text : ALIGN'; do
        grep -q "$text" "$source/arch/riscv/kernel/vmlinux.lds.S" || fail 1 "Linux $version has another linker script"
    done
    # shellcheck disable=SC2016 # make expands it
    printf '\nLDFLAGS_vmlinux += $(PAIR_LDFLAGS)\n' >>"$source/arch/riscv/Makefile"
    : >"$source/.complete"
}

# ---- kernels ----

configuration() { # VARIANT
    cat "$here/pair.config"
    case $1 in
        none) printf '# CONFIG_FUNCTION_TRACER is not set\n# CONFIG_FRAME_POINTER is not set\n' ;;
        frame) printf '# CONFIG_FUNCTION_TRACER is not set\nCONFIG_FRAME_POINTER=y\n' ;;
        off) printf 'CONFIG_%s=y\n' FUNCTION_TRACER FUNCTION_GRAPH_TRACER DYNAMIC_FTRACE FRAME_POINTER ;;
        *) fail 64 "$1: there are none, frame, norelax and off" ;;
    esac
}

# The make that may run this script must not affect this one.
make_kernel() { # VARIANT TARGET...
    to=$top/$1
    shift
    step env -u MAKEFLAGS -u MAKELEVEL make -C "$source" O="$to" CC="$compiler" -j "$jobs" "$@"
}

# What an older Linux does not know is left out; the tracers and the frame pointer must be as asked for. From 6.16 on, dynamic
# ftrace and compressed instructions together need a compiler that aligns functions at least so far (GCC 13).
configure() { # VARIANT
    to=$top/$1
    configuration "$1" >"$to/wanted"
    make_kernel "$1" KCONFIG_ALLCONFIG="$to/wanted" allnoconfig
    for name in FUNCTION_TRACER DYNAMIC_FTRACE FRAME_POINTER; do
        wanted=$(grep -c "^CONFIG_$name=y" "$to/wanted" || true)
        [ "$(grep -c "^CONFIG_$name=y" "$to/.config" || true)" = "$wanted" ] ||
            fail 1 "Linux $version does not allow $name as the variant $1 wants it, with $compiler$(why_not)"
    done
}

why_not() {
    ! grep -q '^config CC_HAS_MIN_FUNCTION_ALIGNMENT' "$source/arch/Kconfig" ||
        "$compiler" -fmin-function-alignment=4 -x c -c -o /dev/null /dev/null 2>>"$log" ||
        echo ', which has no -fmin-function-alignment (GCC 13 has)'
}

# The files in the kernel, in the order of the seed: by a hash of seed and name, which is the same in all variants.
write_order() { # VARIANT SEED
    python3 - "$top/$1" "$2" >"$top/order" <<'PY'
import hashlib, pathlib, sys

top, seed = pathlib.Path(sys.argv[1]), sys.argv[2]
files = [str(path.relative_to(top)) for path in top.rglob("*.o")]
print("#undef linux\n#undef unix")
for name in sorted(files, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest()):
    print(f"*{name}(.text)")
PY
    mv "$top/order" "$top/$1/include/generated/order.lds"
}

# The processor seconds of all steps until now, in $spent. (In $(...), `times' would begin anew.)
count_seconds() {
    times >"$top/times"
    spent=$(awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); printf "%d", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$top/times")
}

# note STEP: writes down what the step took since count_seconds.
note() {
    before=$spent
    count_seconds
    printf '%s\t%s\n' "$1" $((spent - before)) >>"$top/seconds"
}

build() { # VARIANT
    [ ! -e "$top/$1/.complete" ] || return 0
    say "building Linux $version, $1"
    begun=$(find "$top/$1" -name '*.o' | head -n 1)
    count_seconds
    : >"$top/$1/include/generated/order.lds"
    make_kernel "$1" vmlinux
    : >"$top/$1/.complete"
    [ -n "$begun" ] || note compile
}

link() { # VARIANT SEED
    [ ! -e "$top/$1-$2.Image" ] || return 0
    PAIR_LDFLAGS='' tree=$1
    [ "$1" != norelax ] || PAIR_LDFLAGS=--no-relax tree=frame
    export PAIR_LDFLAGS
    build "$tree"
    say "linking Linux $version, $1, in order $2"
    count_seconds
    write_order "$tree" "$2"
    make_kernel "$tree" vmlinux Image
    cp "$top/$tree/arch/riscv/boot/Image" "$top/$1-$2.Image.new"
    mv "$top/$1-$2.Image.new" "$top/$1-$2.Image"
    note link
}

# shellcheck disable=SC2034 # make reads them
export ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- KBUILD_BUILD_TIMESTAMP='@0' KBUILD_BUILD_USER=u KBUILD_BUILD_HOST=h \
    KBUILD_BUILD_VERSION=1
# All before the first is built, which takes long.
for variant in "$@"; do
    [ "$variant" != norelax ] || variant=frame
    [ -e "$top/$variant/.complete" ] || [ -e "$top/$variant-$count.Image" ] && continue
    unpack_source
    mkdir -p "$top/$variant/include/generated"
    configure "$variant"
done
for variant in "$@"; do
    seed=0
    while [ "$seed" -lt "$count" ]; do
        seed=$((seed + 1))
        link "$variant" "$seed"
    done
done
