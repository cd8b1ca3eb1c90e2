#!/bin/sh
# install.sh - make install and uninstall, and directories with a blank in their names.
#
# Existing files in BUILD are used; nothing is built there. Prints `ok - claim` or
# `not ok - claim`; status 0 when all hold.

set -u

cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/test install.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL

claim() { # sentence, command...
    sentence=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        printf 'ok - %s\n' "$sentence"
    else
        printf 'not ok - %s\n' "$sentence"
        sed 's/^/# /' "$work/out" | tail -n 20
        failed=1
    fi
}

installed() { (cd "$1" && find . ! -type d | LC_ALL=C sort) >"$work/list"; }
lists() { printf '%s\n' "$@" | cmp - "$work/list"; }

# A copy of the tree in a directory with a blank, with the built files.
top="$work/a folder"
mkdir "$top"
cp -a CHANGELOG.md Makefile mk cores emu tools guest guest-kernel docs tests "$top"
mkdir -p "$top/build/guest-kernel"
cp -a "$BUILD/emu" "$BUILD/tools" "$BUILD"/.bootstrap-* "$BUILD"/*.* "$BUILD/manpage" "$BUILD/completion" "$top/build"
cp -a "$BUILD/guest-kernel/none" "$BUILD/guest-kernel/user" "$top/build/guest-kernel"
rm -f "$top/build/rvftrace" "$top/build/emu/main.o" "$top/build/recordmcount" \
    "$top/build/guest-kernel/initrd.cpio" "$top/build/guest-kernel/none/modules.cpio"

claim 'a checkout in a folder with a blank builds' make -C "$top" BUILD=build emu tools initrd guest-none
claim '... the emulator' "$top/build/rvftrace" --version
claim '... and the archives' sh -c "cd '$top/build/guest-kernel' && cpio -t <initrd.cpio && cpio -t <none/modules.cpio"

at="$work/it's for packages"
claim 'make install takes a DESTDIR with blanks and quotes' \
    make -C "$top" BUILD=build install DESTDIR="$at" PREFIX=/usr
installed "$at"
claim '... and puts programs, man pages, core models and completion there' \
    lists ./usr/bin/recordmcount ./usr/bin/rvftrace ./usr/share/bash-completion/completions/rvftrace \
    ./usr/share/fish/vendor_completions.d/rvftrace.fish \
    ./usr/share/man/man1/recordmcount.1 \
    ./usr/share/man/man1/rvftrace-cores.1 ./usr/share/man/man1/rvftrace-debug.1 \
    ./usr/share/man/man1/rvftrace-explore.1 ./usr/share/man/man1/rvftrace-log.1 \
    ./usr/share/man/man1/rvftrace-report.1 ./usr/share/man/man1/rvftrace-run.1 \
    ./usr/share/man/man1/rvftrace-view.1 ./usr/share/man/man1/rvftrace.1 ./usr/share/rvftrace/cores/c906.core \
    ./usr/share/rvftrace/cores/cva6.core ./usr/share/rvftrace/cores/rocket.core \
    ./usr/share/rvftrace/cores/u74.core ./usr/share/zsh/vendor-completions/_rvftrace
finds_cores() { "$at/usr/bin/rvftrace" cores | grep -q c906; }
claim '... where the program finds them' finds_cores
: >"$at/usr/bin/other"
claim 'make uninstall removes them' make -C "$top" BUILD=build uninstall DESTDIR="$at" PREFIX=/usr
installed "$at"
claim '... and nothing else' lists ./usr/bin/other
claim '... and has nothing against being called again' make -C "$top" BUILD=build uninstall DESTDIR="$work/nowhere"
claim 'PREFIX may have a blank, too' sh -c "make -C '$top' BUILD=build install PREFIX='$work/my prefix' &&
    test -x '$work/my prefix/bin/rvftrace'"
make -C "$top" BUILD='my build' emu >"$work/said" 2>&1
claim 'BUILD may not, which is said in one line' \
    sh -c "[ \$(grep -c '\*\*\*' '$work/said') -eq 1 ] && grep -q 'BUILD=.my build.: give one folder without blanks' '$work/said'"
exit $failed
