#!/bin/sh
# view.sh - `rvftrace view' without the viewer. 
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

finish
