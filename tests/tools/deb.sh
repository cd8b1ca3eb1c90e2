#!/bin/sh
# deb.sh - make deb: packages that lintian has nothing against, and that hold what they must. Minutes.
. "$(dirname "$0")/../machine/common.inc"

lists() { dpkg-deb -c "$1" | awk '{print $6}' >"$out"; }
holds() { for file in "$@"; do grep -qx "./$file" "$out" || { echo "no $file" >&2; return 1; }; done; }

claim 'make deb, with lintian' tools/deb.sh "$work/deb"
lists "$work"/deb/rvftrace_*.deb
claim 'rvftrace has the programs, pages, completion and core models' holds usr/bin/rvftrace usr/bin/recordmcount \
    usr/share/man/man1/rvftrace.1.gz usr/share/man/man1/rvftrace-log.1.gz usr/share/zsh/vendor-completions/_rvftrace \
    usr/share/fish/vendor_completions.d/rvftrace.fish usr/share/bash-completion/completions/rvftrace \
    usr/share/rvftrace/cores/c906.core
claim '... the documents, uncompressed, and litmus tests' holds usr/share/doc/rvftrace/README.md usr/share/doc/rvftrace/docs/rules.md \
    usr/share/rvftrace/litmus/two-spots.litmus
claim '... and not the viewer' no_line 'rvftrace-view' "$out"
claim '... nor guests' no_line '/guests/' "$out"
lists "$work"/deb/rvftrace-guests_*.deb
claim 'rvftrace-guests has a kernel of each layout, their programs and sources, and the benchmarks' holds \
    usr/share/rvftrace/guests/none/kernel.elf usr/share/rvftrace/guests/callops/kernel.elf usr/share/rvftrace/guests/pfe8/modules.cpio \
    usr/share/rvftrace/guests/frame-place1/kernel.elf usr/share/rvftrace/guests/mcount-no-remote-fence/kernel.elf \
    usr/share/rvftrace/guests/initrd.cpio usr/share/rvftrace/guests/guest-kernel/init/main.c usr/share/rvftrace/tools/bench \
    usr/share/man/man1/rvftrace-bench.1.gz
lists "$work"/deb/rvftrace-view_*.deb
claim 'rvftrace-view has it, with its menu entry, icon and file type' holds usr/lib/rvftrace/rvftrace-view \
    usr/share/applications/rvftrace-view.desktop usr/share/icons/hicolor/scalable/apps/rvftrace.svg \
    usr/share/mime/packages/rvftrace.xml usr/share/man/man1/rvftrace-view.1.gz
dpkg-deb -x "$work"/deb/rvftrace_*.deb "$work/root"
dpkg-deb -x "$work"/deb/rvftrace-view_*.deb "$work/root"
dpkg-deb -x "$work"/deb/rvftrace-guests_*.deb "$work/root"
try "$work/root/usr/bin/rvftrace" cores >"$out"
claim 'the installed program finds its core models' has_status 0 and has_line c906 "$out"
try "$work/root/usr/bin/rvftrace" view --help >"$out"
claim '... and the viewer' has_status 0 and has_line screenshot "$out"
try "$work/root/usr/bin/rvftrace" run --quiet --append 'script="echo of the package; poweroff"' guest:callops >"$out"
claim '... and the guests' has_status 0 and has_line '^of the package' "$out"
try "$work/root/usr/bin/rvftrace-bench" --core c906 --state off --layout pfe8 --workload tree >"$out"
claim '... with which it measures' has_status 0 and has_line '^pfe8 ' "$out"
claim 'the menu entry is valid' desktop-file-validate tools/view/rvftrace-view.desktop
finish
