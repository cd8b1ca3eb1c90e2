#!/bin/sh
# view.sh - `rvftrace view' and `run --view' without the viewer.
. "$(dirname "$0")/../machine/common.inc"

mkdir "$work/alone" && cp "$rvftrace" "$work/alone/rvftrace"
"$work/alone/rvftrace" view "$work/no.log" >"$out" 2>"$err"
status=$?
claim 'without the viewer it says what to install, status 66' \
    sh -c "[ $status -eq 66 ] && [ ! -s '$out' ] && [ \$(wc -l <'$err') -eq 1 ] && grep -q 'libsdl2-dev.*make view' '$err'"

printf '#!/bin/sh\nprintf "%%s|" "$@"\nexit 3\n' >"$work/alone/rvftrace-view"
chmod +x "$work/alone/rvftrace-view"
"$work/alone/rvftrace" view --at '1 2' "$work/no.log" >"$out" 2>"$err"
status=$?
claim 'the viewer beside rvftrace gets its arguments, and its status is the status' \
    sh -c "[ $status -eq 3 ] && [ \"\$(cat '$out')\" = '--at|1 2|$work/no.log|' ]"

mkdir -p "$work/bin" "$work/libexec/rvftrace" && mv "$work/alone/rvftrace" "$work/bin" &&
    mv "$work/alone/rvftrace-view" "$work/libexec/rvftrace"
"$work/bin/rvftrace" view x >"$out" 2>"$err"
claim '... or in libexec' sh -c "[ $? -eq 3 ] && [ \"\$(cat '$out')\" = 'x|' ]"

# A run that waits for input: what it has printed, and what has led to it, is in the file all the same.
printf '#!/bin/sh\nprintf "%%s|" "$@" >"%s"\n' "$work/followed" >"$work/libexec/rvftrace/rvftrace-view"
mkfifo "$work/in" && exec 3<>"$work/in"
"$work/bin/rvftrace" run --quiet --view --log "$work/live.log" "$programs/plic-uart.elf" <"$work/in" >"$out" 2>"$err" &
pid=$!
in_log() {
    n=0
    until "$rvftrace" log --list "$work/live.log.part" 2>/dev/null | grep -q 'console .*something'; do
        n=$((n + 1))
        [ $n -lt 100 ] || return 1
        sleep 0.1
    done
}
claim 'run --view: while the guest waits, what it has printed is in the log that is being written' in_log
claim '... which the viewer was told to follow' sh -c "[ \"\$(cat '$work/followed')\" = '--live|--|$work/live.log|' ]"
echo yes >&3
wait $pid
status=$?
exec 3>&-
claim '... and it ends as ever' sh -c "[ $status -eq 0 ] && [ -e '$work/live.log' ] && [ ! -e '$work/live.log.part' ]"

finish
