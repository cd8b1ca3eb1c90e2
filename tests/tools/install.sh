#!/bin/sh
# install.sh - make install and uninstall, and directories with a blank in their names.
#
# Existing files in BUILD are used; nothing is built there.
. "$(dirname "$0")/../claims.sh"
cd "$claims_path/.." || exit 1
unset MAKEFLAGS MAKELEVEL

installed() { (cd "$1" && find . ! -type d | LC_ALL=C sort) >"$work/list"; }
lists() { printf '%s\n' "$@" | cmp - "$work/list"; }

# A copy of the tree in a directory with a blank, with the built files.
top="$work/a folder"
mkdir "$top"
cp -a CHANGELOG.md Makefile mk cores emu tools guest guest-kernel docs tests "$top"
mkdir -p "$top/build/guest-kernel"
cp -a "$BUILD/emu" "$BUILD/tools" "$BUILD"/.bootstrap-* "$BUILD"/*.* "$BUILD/manpage" "$BUILD/completion" "$top/build"
cp -a "$BUILD/guest-kernel/none" "$BUILD/guest-kernel/user" "$BUILD/guest-kernel"/kallsyms0.* "$top/build/guest-kernel"
rm -f "$top/build/rvftrace" "$top/build/emu/main.o" "$top/build/recordmcount" \
    "$top/build/guest-kernel/initrd.cpio" "$top/build/guest-kernel/none/modules.cpio"

claim 'a checkout in a folder with a blank builds' make -C "$top" BUILD=build emu tools initrd guest-none
claim_status 0 '... the emulator' "$top/build/rvftrace" --version
claim '... and the archives' cpio -t -F "$top/build/guest-kernel/initrd.cpio" and cpio -t -F "$top/build/guest-kernel/none/modules.cpio"

at="$work/it's for packages"
claim 'make install takes a DESTDIR with blanks and quotes' \
    make -C "$top" BUILD=build install DESTDIR="$at" PREFIX=/usr
installed "$at"
claim '... and puts programs, man pages, core models and completion there' \
    lists ./usr/bin/recordmcount ./usr/bin/rvftrace ./usr/share/bash-completion/completions/rvftrace \
    ./usr/share/fish/vendor_completions.d/rvftrace.fish \
    ./usr/share/man/man1/recordmcount.1 \
    ./usr/share/man/man1/rvftrace-cores.1 ./usr/share/man/man1/rvftrace-debug.1 \
    ./usr/share/man/man1/rvftrace-explore.1 ./usr/share/man/man1/rvftrace-litmus.1 ./usr/share/man/man1/rvftrace-log.1 \
    ./usr/share/man/man1/rvftrace-report.1 ./usr/share/man/man1/rvftrace-run.1 \
    ./usr/share/man/man1/rvftrace-view.1 ./usr/share/man/man1/rvftrace.1 ./usr/share/rvftrace/cores/c906.core \
    ./usr/share/rvftrace/cores/cva6.core ./usr/share/rvftrace/cores/rocket.core \
    ./usr/share/rvftrace/cores/u74.core ./usr/share/zsh/vendor-completions/_rvftrace
try "$at/usr/bin/rvftrace" cores >"$out"
claim '... where the program finds them' has_status 0 and has_line c906 "$out"
: >"$at/usr/bin/other"
claim 'make uninstall removes them' make -C "$top" BUILD=build uninstall DESTDIR="$at" PREFIX=/usr
installed "$at"
claim '... and nothing else' lists ./usr/bin/other
claim '... and has nothing against being called again' make -C "$top" BUILD=build uninstall DESTDIR="$work/nowhere"
claim 'PREFIX may have a blank, too' make -C "$top" BUILD=build install PREFIX="$work/my prefix" \
    and test -x "$work/my prefix/bin/rvftrace"
try make -C "$top" BUILD='my build' emu >"$out" 2>&1
claim 'BUILD may not, which is said in one line' has_status 2 and line_count 1 '\*\*\*' "$out" \
    and has_line 'BUILD=.my build.: give one folder without blanks' "$out"
finish
