#!/bin/sh
# view.sh - `rvftrace view' and `run --view' without the viewer.
. "$(dirname "$0")/../machine/common.inc"

mkdir "$work/alone" && cp "$rvftrace" "$work/alone/rvftrace"
try "$work/alone/rvftrace" view "$work/no.log" >"$out" 2>"$err"
claim 'without the viewer it says what to install, status 66' \
    has_status 66 and test ! -s "$out" and test "$(wc -l <"$err")" -eq 1 and has_line 'libsdl2-dev.*make view' "$err"

printf '#!/bin/sh\nprintf "%%s|" "$@"\nexit 3\n' >"$work/alone/rvftrace-view"
chmod +x "$work/alone/rvftrace-view"
try "$work/alone/rvftrace" view --at '1 2' "$work/no.log" >"$out" 2>"$err"
claim 'the viewer beside rvftrace gets its arguments, and its status is the status' \
    has_status 3 and test "$(cat "$out")" = "--at|1 2|$work/no.log|"

mkdir -p "$work/bin" "$work/libexec/rvftrace" && mv "$work/alone/rvftrace" "$work/bin" &&
    mv "$work/alone/rvftrace-view" "$work/libexec/rvftrace"
try "$work/bin/rvftrace" view x >"$out" 2>"$err"
claim '... or in libexec' has_status 3 and test "$(cat "$out")" = 'x|'

# A run that waits for input: what it has printed, and what has led to it, is in the file all the same.
printf '#!/bin/sh\nprintf "%%s|" "$@" >"%s"\n' "$work/followed" >"$work/libexec/rvftrace/rvftrace-view"
mkfifo "$work/in" && exec 3<>"$work/in"
"$work/bin/rvftrace" run --quiet --view --log "$work/live.log" "$programs/plic-uart.elf" <"$work/in" >"$out" 2>"$err" &
pid=$!
in_log() {
    n=0
    # Before its first frame there is no log.
    until try "$rvftrace" log --list "$work/live.log.part" >"$work/live" 2>"$work/why.log" &&
        has_line 'console .*something' "$work/live"; do
        n=$((n + 1))
        [ $n -lt 100 ] || return 1
        sleep 0.1
    done
}
claim 'run --view: while the guest waits, what it has printed is in the log that is being written' in_log
claim '... which the viewer was told to follow' test "$(cat "$work/followed")" = "--live|--|$work/live.log|"
echo yes >&3
try wait $pid
exec 3>&-
claim '... and it ends as ever' has_status 0 and test -e "$work/live.log" and test ! -e "$work/live.log.part"

mkdir "$work/tmp"
TMPDIR=$work/tmp try "$work/bin/rvftrace" run --view "$programs/hello.elf" >"$out" 2>"$err" </dev/null
named=$(sed -n 's/^rvftrace: the log of this run is //p' "$err")
claim 'run --view without --log makes a log, and names it' has_status 0 and test "${named#"$work/tmp/rvftrace-"}" != "$named" -a -s "$named"
claim '... which the viewer was told to follow' test "$(cat "$work/followed")" = "--live|--|$named|"
rm -r "$work/tmp"/* "$work/libexec"
TMPDIR=$work/tmp try "$work/bin/rvftrace" run --view "$programs/hello.elf" >"$out" 2>"$err" </dev/null
claim 'without a viewer nothing stays' has_status 66 and test -z "$(ls "$work/tmp")"
finish
