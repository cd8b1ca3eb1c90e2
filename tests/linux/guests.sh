#!/bin/sh
# guests.sh - fetches and builds the Linux guests for make check-linux.
#
# Debian 13's kernel and its static busybox for riscv64 are fetched by apt with its
# own configuration, so that the host's sources are not changed; Linux 6.1 is built from
# Debian 12's source package with linux-6.1.config. Existing files are used
# without the network. The result in the cache directory:
#
#   debian-13/Image               Debian's kernel
#   debian-sid/Image              Debian's newest kernel, or
#   debian-sid/missing            the reason why it is missing
#   linux-6.1/Image, vmlinux      small, built here, with dynamic ftrace
#   linux-6.1/modules.cpio        its modules, to be appended to the initramfs
#   linux-6.1-no-pmu/...          the same without the driver of the SBI's performance counters
#   linux-6.1-tracers/...         the same with every tracer there is, and with debug information
#   gdb-scripts/...               the kernel's own scripts for gdb (lx-symbols and others)
#   ftracetest.cpio               the kernel's own tests of ftrace, to be appended likewise
#   initramfs.cpio                busybox and ./init
#   perf.cpio                     Debian's perf with its libraries, to be appended likewise
#
# With the argument `busybox`, only that. Environment: LINUX_CACHE (.cache/linux), DEBIAN_MIRROR. Exit status: 0 all exist,
# 1 a step failed (its log is named), 69 a missing file cannot be fetched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${LINUX_CACHE:-$here/../../.cache/linux}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
log=$cache/log who=guests

# shellcheck source=tests/linux/fetch.inc
. "$here/fetch.inc"

# fetch_kernel FOLDER: Debian's kernel. Since 2026 linux-image-* is empty and depends on the one that has it.
fetch_kernel() {
    read_lists
    kernel=$(depends linux-image-riscv64 linux-image-)
    [ -n "$kernel" ] || fail 1 "linux-image-riscv64 depends on no kernel; apt's words are in $log"
    binary=$(depends "$kernel" linux-binary-)
    fetch "${binary:-$kernel}" "$cache/unpacked"
    image=$(find "$cache/unpacked" -type f -name 'vmlinu[xz]*')
    [ -n "$image" ] || fail 1 "${binary:-$kernel} has no vmlinux or vmlinuz"
    mkdir -p "$1"
    mv "$image" "$1/Image"
    rm -rf "$cache/unpacked"
}

# is_older FILE OTHER: it is not there, or the other was changed later.
is_older() { [ ! -e "$1" ] || [ -n "$(find "$2" -newer "$1")" ]; }

# configuration KERNEL: what it is built with on top of allnoconfig.
configuration() {
    case $1 in
        linux-6.1) cat "$here/linux-6.1.config" ;;
        # Without that driver the counters that user space may read are those that the firmware has allowed.
        linux-6.1-no-pmu) grep -v '^CONFIG_RISCV_PMU_SBI=' "$here/linux-6.1.config" ;;
        linux-6.1-tracers) cat "$here/linux-6.1.config" "$here/linux-6.1-tracers.config" ;;
    esac
}
is_built() { configuration "$1" | cmp -s - "$cache/$1/config"; }

: >"$log"

if [ ! -e "$cache/busybox" ]; then
    fetch busybox-static:riscv64 "$cache/unpacked"
    mv "$(find "$cache/unpacked" -type f -path '*/bin/busybox')" "$cache/busybox"
    rm -rf "$cache/unpacked"
fi
[ "${1-}" != busybox ] || exit 0

[ -e "$cache/debian-13/Image" ] || fetch_kernel "$cache/debian-13"

# sid changes daily, and its mirror may be another one: without it the others are still booted.
if [ ! -e "$cache/debian-sid/Image" ]; then
    mkdir -p "$cache/debian-sid"
    if (state=$cache/apt-sid && fetch_kernel "$cache/debian-sid") 2>"$cache/debian-sid/missing"; then
        rm "$cache/debian-sid/missing"
    else
        say "going on without Debian sid's kernel: $(tail -n 1 "$cache/debian-sid/missing")"
    fi
fi

if is_older "$cache/initramfs.cpio" "$here/init"; then
    root=$cache/root
    rm -rf "$root"
    mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp"
    install -m 755 "$cache/busybox" "$root/bin/busybox"
    install -m 755 "$here/init" "$root/init"
    archive "$root" "$cache/initramfs.cpio" .
    rm -rf "$root"
fi

if [ ! -e "$cache/perf.cpio" ]; then
    read_lists
    say "fetching linux-perf"
    root=$cache/root
    rm -rf "$root"
    add_programs "$root" linux-perf perf
    archive "$root" "$cache/perf.cpio" lib usr
    rm -rf "$root"
fi

kernels='linux-6.1 linux-6.1-no-pmu linux-6.1-tracers'
source=$cache/source/usr/src/linux-source-6.1.tar.xz
is_missing() {
    [ -e "$cache/ftracetest.cpio" ] && [ -e "$cache/gdb-scripts/vmlinux-gdb.py" ] || return 0
    for kernel in $kernels; do is_built "$kernel" || return 0; done
    return 1
}
if is_missing && [ ! -e "$source" ]; then fetch linux-source-6.1 "$cache/source"; fi

if [ ! -e "$cache/ftracetest.cpio" ]; then
    root=$cache/root
    rm -rf "$root"
    mkdir -p "$root/ftrace"
    step tar -xf "$source" -C "$root/ftrace" --strip-components=5 --wildcards '*/tools/testing/selftests/ftrace/*'
    archive "$root" "$cache/ftracetest.cpio" ftrace
    rm -rf "$root"
fi

tree=$cache/tree
unpack_tree() {
    [ ! -d "$tree" ] || return 0
    mkdir "$tree"
    step tar -xf "$source" -C "$tree" --strip-components=1
}

# build KERNEL: in the tree of the kernel before it, of which it uses what their configurations share.
build() {
    unpack_tree
    say "building $1"
    to=$cache/$1
    rm -rf "$to"
    mkdir -p "$to/modules"
    configuration "$1" >"$to/config.new"
    step make -C "$tree" KCONFIG_ALLCONFIG="$to/config.new" allnoconfig
    grep '^CONFIG_' "$to/config.new" | while read -r line; do
        grep -qxF "$line" "$tree/.config" || fail 1 "Linux does not know or not allow $line for $1"
    done
    # The make that runs this script must not affect this one.
    find "$tree" -name '*.ko' -exec rm {} +
    step env -u MAKEFLAGS -u MAKELEVEL nice make -C "$tree" -j "$(nproc)" Image vmlinux modules
    find "$tree" -name '*.ko' -exec cp {} "$to/modules" \;
    riscv64-linux-gnu-strip -g "$to"/modules/*.ko
    archive "$to" "$to/modules.cpio" modules
    cp "$tree/vmlinux" "$tree/arch/riscv/boot/Image" "$to"
    mv "$to/config.new" "$to/config"
}

# shellcheck disable=SC2034 # make reads them
export ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- KBUILD_BUILD_TIMESTAMP='@0' KBUILD_BUILD_USER=u KBUILD_BUILD_HOST=h \
    KBUILD_BUILD_VERSION=1
rm -rf "$tree"
for kernel in $kernels; do
    is_built "$kernel" || build "$kernel"
done

# One of the scripts is made for a configuration.
if [ ! -e "$cache/gdb-scripts/vmlinux-gdb.py" ]; then
    unpack_tree
    say "making the kernel's scripts for gdb"
    { configuration linux-6.1-tracers; echo CONFIG_GDB_SCRIPTS=y; } >"$tree/gdb.config"
    step make -C "$tree" KCONFIG_ALLCONFIG=gdb.config allnoconfig
    step env -u MAKEFLAGS -u MAKELEVEL nice make -C "$tree" scripts_gdb
    rm -rf "$cache/gdb-scripts"
    mkdir -p "$cache/gdb-scripts/scripts"
    cp -rL "$tree/scripts/gdb" "$cache/gdb-scripts/scripts"
    cp -L "$tree/scripts/gdb/vmlinux-gdb.py" "$cache/gdb-scripts"
fi
rm -rf "$tree"
say "all guests are in $cache"
