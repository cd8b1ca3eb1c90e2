#!/bin/sh
# guests.sh - gets the Linux guests that make check-linux boots, and keeps them.
#
# Debian 13's kernel and its static busybox for riscv64 come through apt with a state
# of its own, so that the host's sources stay as they are; Linux 6.1 is built from
# Debian 12's source package with linux-6.1.config. What is there already is used
# as it is, without the network. In the cache folder afterwards:
#
#   debian-13/Image               Debian's stock kernel
#   linux-6.1/Image, vmlinux      ours, small, dynamic ftrace
#   initramfs.cpio                busybox and ./init
#
# Environment: LINUX_CACHE (.cache/linux), DEBIAN_MIRROR. Exit status: 0 all there,
# 1 a step failed (its output is named), 69 what is missing cannot be fetched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${LINUX_CACHE:-$here/../../.cache/linux}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
log=$cache/log

say() { printf '%s\n' "guests: $*"; }
fail() { # status, message
    printf '%s\n' "guests: $2" >&2
    exit "$1"
}
# step COMMAND...: its output into the log, which is named when it fails.
step() { "$@" >>"$log" 2>&1 </dev/null || fail 1 "$1 failed; its output is in $log"; }

# apt with state, cache and sources of its own: riscv64 of Debian 13, sources of Debian 12.
private_apt() {
    tool=$1
    shift
    "$tool" -q -o Dir::State="$cache/apt" -o Dir::State::status="$cache/apt/status" \
        -o Dir::Cache="$cache/apt/cache" -o Dir::Etc::sourcelist="$cache/apt/sources.list" \
        -o Dir::Etc::sourceparts="$cache/apt/none" -o Dir::Etc::preferencesparts="$cache/apt/none" -o APT::Architecture=riscv64 \
        -o APT::Architectures::=riscv64 -o APT::Architectures::=amd64 -o APT::Sandbox::User= \
        -o APT::Update::Error-Mode=any -o Acquire::http::Timeout=20 -o Acquire::Retries=2 "$@"
}

read_lists() {
    [ ! -e "$cache/apt/fresh" ] || return 0
    say "reading the package lists of $mirror"
    mkdir -p "$cache/apt/none" "$cache/apt/lists/partial" "$cache/apt/cache/archives/partial"
    : >"$cache/apt/status"
    keys='signed-by=/usr/share/keyrings/debian-archive-keyring.gpg'
    cat >"$cache/apt/sources.list" <<END
deb [arch=riscv64 $keys] $mirror trixie main
deb [arch=amd64 $keys] $mirror bookworm main
END
    private_apt apt-get update >>"$log" 2>&1 ||
        fail 69 "cannot reach $mirror: connect to the network, or set DEBIAN_MIRROR; apt's words are in $log"
    : >"$cache/apt/fresh"
}

# fetch PACKAGE FOLDER: the package, unpacked into the folder.
fetch() {
    read_lists
    say "fetching $1"
    rm -rf "$cache/deb" "$2"
    mkdir -p "$cache/deb"
    (cd "$cache/deb" && private_apt apt-get download "$1") >>"$log" 2>&1 ||
        fail 69 "cannot fetch $1 from $mirror; apt's words are in $log"
    step dpkg -x "$cache"/deb/*.deb "$2"
    rm -rf "$cache/deb"
}

: >"$log"

if [ ! -e "$cache/debian-13/Image" ]; then
    read_lists
    kernel=$(private_apt apt-cache depends linux-image-riscv64 2>>"$log" |
        sed -n 's/.*Depends: *\(linux-image-[^ ]*\).*/\1/p' | head -n 1)
    [ -n "$kernel" ] || fail 1 "linux-image-riscv64 depends on no kernel; apt's words are in $log"
    fetch "$kernel" "$cache/unpacked"
    mkdir -p "$cache/debian-13"
    mv "$cache"/unpacked/boot/vmlinu[xz]-* "$cache/debian-13/Image"
    rm -rf "$cache/unpacked"
fi

if [ ! -e "$cache/busybox" ]; then
    fetch busybox-static:riscv64 "$cache/unpacked"
    mv "$(find "$cache/unpacked" -type f -path '*/bin/busybox')" "$cache/busybox"
    rm -rf "$cache/unpacked"
fi

if [ ! -e "$cache/initramfs.cpio" ] || [ "$here/init" -nt "$cache/initramfs.cpio" ]; then
    root=$cache/root
    rm -rf "$root"
    mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp"
    install -m 755 "$cache/busybox" "$root/bin/busybox"
    install -m 755 "$here/init" "$root/init"
    find "$root" -exec touch -h -d @0 {} +
    (cd "$root" && find . | LC_ALL=C sort | cpio --quiet --reproducible -R 0:0 -o -H newc) >"$cache/initramfs.new"
    mv "$cache/initramfs.new" "$cache/initramfs.cpio"
    rm -rf "$root"
fi

if [ ! -e "$cache/linux-6.1/Image" ] || [ "$here/linux-6.1.config" -nt "$cache/linux-6.1/Image" ]; then
    [ -d "$cache/source" ] || fetch linux-source-6.1 "$cache/source"
    tree=$cache/linux-6.1/build
    rm -rf "$cache/linux-6.1"
    mkdir -p "$tree"
    say 'building Linux 6.1: about two minutes on two cores'
    step tar -xf "$cache/source/usr/src/linux-source-6.1.tar.xz" -C "$tree" --strip-components=1
    # shellcheck disable=SC2034 # make reads them
    export ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- KBUILD_BUILD_TIMESTAMP='@0' KBUILD_BUILD_USER=u KBUILD_BUILD_HOST=h
    step make -C "$tree" KCONFIG_ALLCONFIG="$here/linux-6.1.config" allnoconfig
    for line in $(grep '^CONFIG_' "$here/linux-6.1.config"); do
        grep -qxF "$line" "$tree/.config" || fail 1 "Linux does not know or not allow $line of linux-6.1.config"
    done
    # The Makefile that runs us has nothing to say about this one.
    step env -u MAKEFLAGS -u MAKELEVEL nice make -C "$tree" -j "$(nproc)" Image vmlinux
    mv "$tree/vmlinux" "$cache/linux-6.1/vmlinux"
    mv "$tree/arch/riscv/boot/Image" "$cache/linux-6.1/Image"
    rm -rf "$tree"
fi
say "all guests are in $cache"
