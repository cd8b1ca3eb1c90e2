#!/bin/sh
# vector-guest.sh - makes vectors.cpio, a user space with vectors for tests/linux/vectors.sh, to be appended to initramfs.cpio.
#
# /v/busybox is Debian 13's source of busybox and of musl, its C library, both compiled by clang-19 for rva23u64: so all code of
# it is, down to memcpy. /usr/bin/openssl is Debian's own, with libraries that choose their code by what the kernel tells them
# (hwprobe), and /v/NAME are loops of guest/bench (`make workloads').
#
# Environment: LINUX_CACHE (.cache/linux), DEBIAN_MIRROR, WORKLOADS (build/guest/bench). Exit status: 0 it exists, 1 a step failed
# (its log is named), 69 a package cannot be fetched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${LINUX_CACHE:-$here/../../.cache/linux}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
workloads=${WORKLOADS:-$here/../../build/guest/bench}
loops='vmemcpy vstrlen vsaxpy vmatmul vchacha'
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
log=$cache/vectors.log who=vectors

# shellcheck source=tests/linux/fetch.inc
. "$here/fetch.inc"

is_complete() {
    [ -e "$cache/vectors.cpio" ] && [ ! "$here/vector-guest.sh" -nt "$cache/vectors.cpio" ] || return 1
    for loop in $loops; do [ ! "$workloads/$loop.linux" -nt "$cache/vectors.cpio" ] || return 1; done
}
is_complete && exit 0
: >"$log"

sysroot=$cache/rva23/sysroot
headers=/usr/riscv64-linux-gnu/include
libgcc=$(riscv64-linux-gnu-gcc -print-libgcc-file-name)
march='-march=rva23u64 -menable-experimental-extensions'
compiler="clang-19 --target=riscv64-linux-musl $march"

# fetch_source NAME: unpacks it in $cache/rva23/NAME.
fetch_source() {
    say "fetching the source of $1"
    mkdir -p "$cache/deb" "$cache/rva23/$1"
    (cd "$cache/deb" && private_apt apt-get source --download-only --only-source "$1") >>"$log" 2>&1 ||
        fail 69 "cannot fetch the source of $1 from $mirror; apt's words are in $log"
    step tar -xf "$(find "$cache/deb" -name "$1_*.orig.tar.*" ! -name '*.asc')" -C "$cache/rva23/$1" --strip-components=1
    rm -rf "$cache/deb"
}

# The C library, and the kernel's headers beside its own.
build_musl() (
    say 'building musl for rva23u64'
    cd "$cache/rva23/musl"
    CC=$compiler AR=llvm-ar-19 RANLIB=llvm-ranlib-19 LIBCC=$libgcc CFLAGS=-O2 step ./configure --prefix="$sysroot" \
        --target=riscv64-linux-musl --disable-shared
    step env -u MAKEFLAGS -u MAKELEVEL make -j "$(nproc)" install
    cp -r "$headers/linux" "$headers/asm" "$headers/asm-generic" "$sysroot/include"
)

# A compiler for programs of that library alone.
make_compiler() {
    cat >"$cache/rva23/cc" <<END
#!/bin/sh
first="-nostdlib -static -fuse-ld=lld-19 $sysroot/lib/crt1.o $sysroot/lib/crti.o"
last="-L$sysroot/lib -lc $libgcc $sysroot/lib/crtn.o"
case " \$* " in *' -c '* | *' -E '* | *' -S '* | *' -M'*) first= last= ;; esac
exec $compiler -nostdinc -isystem $sysroot/include -isystem $(clang-19 -print-resource-dir)/include -Qunused-arguments \\
    \$first "\$@" \$last
END
    chmod +x "$cache/rva23/cc"
}

applets='ASH ASH_ECHO ASH_PRINTF ASH_TEST FEATURE_SH_MATH LS CAT ECHO GREP SED AWK MD5SUM SHA256SUM SHA512SUM SORT GZIP GUNZIP SEQ HEAD
    TAIL TR CUT WC CP MV RM MKDIR DD CMP DIFF FIND XARGS TAR BASE64 OD HEXDUMP CKSUM FACTOR BZIP2 BUNZIP2 DC PRINTF'

build_busybox() (
    say 'building busybox for rva23u64'
    cd "$cache/rva23/busybox"
    step env -u MAKEFLAGS -u MAKELEVEL make allnoconfig
    for option in STATIC FEATURE_SH_STANDALONE FEATURE_TAR_CREATE $applets; do
        sed -i "s/^# CONFIG_$option is not set/CONFIG_$option=y/" .config
    done
    # Pointers to its variables are declared constant and changed once, which clang does not see.
    sed -i 's/^CONFIG_EXTRA_CFLAGS=.*/CONFIG_EXTRA_CFLAGS="-O2 -DBB_GLOBAL_CONST="/' .config
    yes '' | env -u MAKEFLAGS -u MAKELEVEL make oldconfig >>"$log" 2>&1 || fail 1 "busybox cannot be configured; the output is in $log"
    step env -u MAKEFLAGS -u MAKELEVEL make -j "$(nproc)" HOSTCC=gcc CC="$cache/rva23/cc" AR=llvm-ar-19 STRIP=llvm-strip-19 \
        LD='ld.lld-19 -m elf64lriscv' SKIP_STRIP=y busybox
)

read_lists
grep -q '^deb-src .* trixie ' "$state/sources.list" || {
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >>"$state/sources.list"
    private_apt apt-get update >>"$log" 2>&1 || fail 69 "cannot reach $mirror; apt's words are in $log"
}
if [ ! -e "$cache/rva23/busybox/busybox" ]; then
    rm -rf "$cache/rva23"
    for source in musl busybox; do fetch_source $source; done
    build_musl
    make_compiler
    build_busybox
fi
root=$cache/root
rm -rf "$root"
mkdir -p "$root/v"
add_programs "$root" openssl openssl
install -m 755 "$cache/rva23/busybox/busybox" "$root/v/busybox"
for loop in $loops; do install -m 755 "$workloads/$loop.linux" "$root/v/$loop"; done
archive "$root" "$cache/vectors.cpio" lib usr v
rm -rf "$root"
