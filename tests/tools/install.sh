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
cp -a ./*.md LICENSE Makefile mk cores emu tools guest guest-kernel docs tests "$top"
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
    make -C "$top" BUILD=build install DESTDIR="$at" PREFIX=/usr GUESTS=none
installed "$at"
for file in doc/rvftrace/README.md doc/rvftrace/docs/rules.md doc/rvftrace/docs/pictures/view-finding.png rvftrace/litmus/two-spots.litmus \
    rvftrace/guests/guest-kernel/init/main.c rvftrace/tools/benchlib.py; do
    claim_line "... with ${file##*/}" "^./usr/share/$file\$" "$work/list"
done
sed -i -E '\,(rvftrace/guests/guest-kernel|share/doc/rvftrace|rvftrace/litmus|rvftrace/tools)/,d' "$work/list"
claim '... and puts programs, man pages, core models, guests and completion there' \
    lists ./usr/bin/recordmcount ./usr/bin/rvftrace ./usr/bin/rvftrace-bench ./usr/bin/rvftrace-bench-compare ./usr/share/bash-completion/completions/rvftrace \
    ./usr/share/fish/vendor_completions.d/rvftrace.fish \
    ./usr/share/man/man1/recordmcount.1 \
    ./usr/share/man/man1/rvftrace-bench-compare.1 ./usr/share/man/man1/rvftrace-bench.1 \
    ./usr/share/man/man1/rvftrace-check-trace.1 ./usr/share/man/man1/rvftrace-cores.1 ./usr/share/man/man1/rvftrace-debug.1 \
    ./usr/share/man/man1/rvftrace-explore.1 ./usr/share/man/man1/rvftrace-litmus.1 ./usr/share/man/man1/rvftrace-log.1 \
    ./usr/share/man/man1/rvftrace-report.1 ./usr/share/man/man1/rvftrace-run.1 \
    ./usr/share/man/man1/rvftrace-view.1 ./usr/share/man/man1/rvftrace.1 ./usr/share/rvftrace/cores/c906.core \
    ./usr/share/rvftrace/cores/c910.core \
    ./usr/share/rvftrace/cores/cva6.core ./usr/share/rvftrace/cores/rocket.core \
    ./usr/share/rvftrace/cores/u74.core ./usr/share/rvftrace/guests/initrd.cpio \
    ./usr/share/rvftrace/guests/none/kernel.elf ./usr/share/rvftrace/guests/none/modules.cpio ./usr/share/zsh/vendor-completions/_rvftrace
try "$at/usr/bin/rvftrace" cores >"$out"
claim '... where the program finds them' has_status 0 and has_line c906 "$out"

# ---- each command of README, installed, in an empty folder, where its kernels are ----

for kernel in pfe8 mcount-no-remote-fence; do
    mkdir "$at/usr/share/rvftrace/guests/$kernel"
    cp "$BUILD/guest-kernel/$kernel/kernel.elf" "$at/usr/share/rvftrace/guests/$kernel"
done
# A line for each, without its comment; a command may go on in the next line, inside of quotes.
awk '/^    rvftrace / { on = 1; line = "" }
    on { sub(/  +# .*/, ""); line = line substr($0, 5) " " }
    on && gsub(/\047/, "&", line) % 2 == 0 { print line; on = 0 }' README.md >"$work/commands"
mkdir "$work/empty"
# Those that end by themselves are typed what ends the guest. The others: no window or Linux is here; gdb and explore take long.
status_of() {
    case $1 in
    *no-remote-fence*) echo 80 ;;
    *' view '* | *vmlinux*) echo 66 ;;
    *--gdb* | *explore*) echo 124 ;;
    *--max-cycles*) echo 75 ;;
    *) echo 0 ;;
    esac
}
while read -r command; do
    case $command in *--gdb* | *explore*) seconds=0.5 ;; *) seconds=60 ;; esac
    command=$(echo "$command" | sed 's/--gdb 1234/--gdb 0/')
    printf '\npoweroff\n' >"$work/typed" # what was typed before a state was saved is no part of this line
    try env -i -C "$work/empty" "PATH=$at/usr/bin:/usr/bin:/bin" K=guest:pfe8 \
        timeout "$seconds" sh -c "$command" <"$work/typed" >"$out" 2>"$err"
    claim "README, installed: $command" has_status "$(status_of "$command")"
done <"$work/commands"
claim '... which are nineteen or more' test "$(wc -l <"$work/commands")" -ge 19
claim_line '... after which a file of the guest is here' '^# tracer: function' "$work/empty/trace.txt"
try env -C "$work/empty" "$at/usr/bin/rvftrace" run --help >"$out"
claim_line '--help says where the documents are' 'usr/share/doc/rvftrace/docs.$' "$out"
: >"$at/usr/bin/other"
claim 'make uninstall removes them' make -C "$top" BUILD=build uninstall DESTDIR="$at" PREFIX=/usr
installed "$at"
claim '... and nothing else' lists ./usr/bin/other
claim '... and has nothing against being called again' make -C "$top" BUILD=build uninstall DESTDIR="$work/nowhere"
claim 'PREFIX may have a blank, too' make -C "$top" BUILD=build install GUESTS= PREFIX="$work/my prefix" \
    and test -x "$work/my prefix/bin/rvftrace"
try make -C "$top" BUILD='my build' emu >"$out" 2>&1
claim 'BUILD may not, which is said in one line' has_status 2 and line_count 1 '\*\*\*' "$out" \
    and has_line 'BUILD=.my build.: give one folder without blanks' "$out"
finish
