#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# busybox.sh - Debian's static busybox in the guest kernel, unchanged: its shell with line editor and job control, less, vi.
. "$(dirname "$0")/../machine/common.inc"

cache=${LINUX_CACHE:-.cache/linux}
if [ ! -e "$cache/busybox" ]; then
    skip 'busybox in the guest kernel' "there is no $cache/busybox: tests/linux/guests.sh makes it"
    finish
fi
tools/busybox_initrd.sh "$work/busybox.cpio" >"$work/said" 2>&1
cat >"$work/steps" <<'STEPS'
wait # 
send bb
wait ~ # 
keys Xcho one two\x1b[H\x1b[3~e\x05\x17three\r
wait # 
keys echo history\r
wait # 
keys \x1b[A\x1b[A\r
wait # 
keys cat /sys/kernel/tracing/available_tr\t\r
wait function nop
wait # 
send echo in s''tep
wait in step
wait # 
send sleep 1000000
pause 0.3
keys \x1a
wait # 
send jobs; ps -o stat,comm | grep sleep
wait # 
send bg; sleep 0.01; jobs; kill %1
wait # 
send cat /proc/version | sleep 1000001
pause 0.3
keys \x1a
wait # 
send fg
pause 0.3
keys \x03
wait # 
send echo status $?
wait # 
send sh -c 'kill -STOP $$; echo went on'
wait # 
send fg
wait # 
send less /proc/filesystems
pause 0.5
keys q
wait # 
send vi /tmp/new
pause 0.5
keys ihello from vi
pause 0.5
keys \x1b
pause 0.5
keys :wq\r
pause 0.5
wait # 
send cat /tmp/new; stty rows 40 cols 100; stty size; tty
wait # 
send setsid sh -c 'echo in a session'; sleep 0.1
wait # 
send cat > /tmp/typed
pause 0.3
send a line
keys \x04
wait # 
send wc -c < /tmp/typed; exit
wait # 
send exit 3
STEPS
try tests/machine/talk.py 90 "$BUILD/rvftrace" run --quiet --audit fail --harts 2 --initrd "$work/busybox.cpio" \
    "$BUILD/guest-kernel/pfe8/kernel.elf" <"$work/steps" >"$work/raw" 2>"$err"
tr -d '\r' <"$work/raw" >"$out"
claim 'the session ends as it is told to, with no finding' has_status 3 and has_line '^7$' "$out" and test ! -s "$err"
claim 'its editor edits a line' has_line '^one three$' "$out"
claim 'and has a history' test "$(grep -c '^one three$' "$out")" -eq 2
claim 'and completes' has_line '^blk .*function nop$' "$out"
claim '^Z stops, bg and fg continue, ^C ends' has_line '^\[1\]\+  Stopped +sleep 1000000$' "$out" and has_line '^T[W ]+sleep' "$out" \
    and has_line '^\[1\]\+  Running +sleep 1000000$' "$out" and has_line '^status 130$' "$out"
claim 'SIGSTOP, too' has_line '^went on$' "$out"
claim 'less shows a file' grep -q 'nodev	tracefs' "$out"
claim 'vi edits one' has_line '^hello from vi$' "$out"
claim 'stty sets the size' has_line '^40 100$' "$out"
claim 'setsid makes a session' has_line '^in a session$' "$out"
[ $failed -eq 0 ] || sed 's/^/# /' "$out" | cat -v
finish
