#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# terminal.sh - the terminal: what the kernel promises (guest/user/ttytest.c), and the shell's editing and jobs at it.
. "$(dirname "$0")/lib.sh"

# A job says that it has started before ^Z comes, which else drops what is typed of its line on a busy host.
cat >"$work/steps" <<'STEPS'
wait # 
send ttytest
wait type: 
keys a\x7f\r
wait type: 
keys \x03\r
wait type: 
keys kill all\x15ab\x7f\x7fc e f\x17\x7f\x7fd\r
wait type: 
keys end\x04
wait type: 
keys \x04
wait type: 
keys \x03
wait type: 
keys \x1c
wait # 
send echo status $?
wait status 0
wait # 
keys Xcho one two\x1b[H\x1b[3~e\x05\x17three\x1b[D\x1b[D\x7f\x08\x0b\x02\x02X\x06\x06Y\r
wait # 
keys echo \xc3\xa9\xc3\xbc\x7fx\r
wait # 
keys echo a\xe2\x82\xacb\x1b[D\x1b[D\xc3\xa9\x1b[3~\x1b[C\x7fc\r
wait # 
send help nope; work calls 0; work tree x
wait # 
keys lost\x15echo first\r
wait # 
keys echo second\r
wait # 
keys echo third\x1b[A\x1b[A\x1b[B\r
wait # 
keys \x10\x10\x10\x0e\r
wait # 
keys unam\t-s\r
wait # 
keys cat /sys/kernel/tracing/available_tr\t\r
wait # 
keys ls /sys/kernel/tracing/available_\t
wait available_tracers
wait available_
keys \x03
wait # 
send echo 'st'arted; sleep 1000000
wait started
pause 0.3
keys \x1a
wait # 
send jobs; ps
wait # 
send bg; jobs; kill %1; wait; echo waited
wait waited
wait # 
send { echo 'st'arted; sleep 1000001; echo 'not' reached; } | cat
wait started
pause 0.3
keys \x1a
wait # 
send fg
wait | cat
pause 0.3
keys \x03
wait # 
send cat /proc/version & sleep 0.1
wait # 
send clear; uname -snr; dmesg | head -n 1; find /sys/kernel/tracing/events/sched -name 'sched_wak*' -type d; help work; less /proc/filesystems | tail -n 2
wait # 
send less /proc/filesystems
wait (END)
keys q
wait # 
send exit 3
STEPS

# talked COMMAND...: the session on a machine. What is edited has control sequences, so claims are about results.
talked() {
    try tests/machine/talk.py 90 "$@" <"$work/steps" >"$work/raw" 2>"$err"
    tr -d '\r' <"$work/raw" >"$out"
    claim 'the session ends as it is told to' has_status 3 and test ! -s "$err"
    sed -nE 's/^(type: )?(end|\^.)?((not )?ok - )/\3/p' "$out" >"$work/said"
    claims_of cat "$work/said"
    claim 'the test comes to its end' has_line '^ok - .* sends SIGQUIT$' "$work/said" and has_line '^status 0$' "$out"
    claim 'OPOST: a newline gets a return, or not' grep -qzP 'raw\ncooked\r\n' "$work/raw"
    claim 'a line is edited' has_line '^oneX tY$' "$out"
    claim '... by characters of UTF-8' has_line '^éx$' "$out" and has_line '^aéc$' "$out"
    claim 'help of what is no command' has_line "^sh: help: nope: no such command; .help' lists them$" "$out"
    claim 'work with no number of iterations says what it takes' \
        test "$(grep -c '^sh: usage: work NAME \[N\] (1 to 2^64-1; default 10)$' "$out")" = 2
    claim '^U drops it, and arrows recall others' test "$(sed -n '/^# .*first$/,/uname/{/^\(first\|second\)$/p;}' "$out" | paste -sd ' ')" = 'first second second first'
    claim 'TAB completes a command' has_line '^Linux$' "$out"
    claim 'and a file, or lists those that there are' has_line '^blk .*function nop$' "$out" and has_line '^available_events  .*  available_tracers$' "$out"
    claim '^Z stops a job' has_line '^\[1\] Stopped  sleep 1000000$' "$out" and has_line '^ *[0-9]+ +[01] T    sleep$' "$out"
    claim 'bg continues it, and kill %1 ends it' has_line '^\[1\] Running  sleep 1000000$' "$out" and has_line '^waited$' "$out"
    claim 'a pipeline is one job; fg continues it, and ^C ends it' has_line "^\[1\] Stopped  \{ echo 'st'arted; sleep 1000001; echo 'not' reached; \} \| cat$" "$out" \
        and no_line '^not reached' "$out"
    claim 'the shell tells of a job that has ended' has_line '^\[1\] Done  cat /proc/version &$' "$out"
    claim 'uname, dmesg, find' has_line 'Linux guest 6\.1\.0-guest$' "$out" and has_line '^[0-9.[ ]*[]] Memory: ' "$out" \
        and has_line '^/sys/kernel/tracing/events/sched/sched_waking$' "$out"
    claim 'help work names the workloads' has_line '^density1024$' "$out"
    claim 'a banner says what this is' has_line "^This is rvftrace's guest kernel" "$out" and has_line '`help work. the workloads' "$out" and has_line 'Ctrl-A x' "$out"
    [ $failed -eq 0 ] || sed 's/^/# /' "$out" | cat -v
}
kernel=$BUILD/guest-kernel/pfe8/kernel.elf
about='rvftrace: '
talked "$BUILD/rvftrace" run --quiet --audit fail --harts 2 --initrd "$BUILD/guest-kernel/initrd.cpio" "$kernel"
about='QEMU: '
talked qemu-system-riscv64 -machine virt -m 128M -smp 2 -display none -monitor none -serial stdio -no-reboot \
    -initrd "$BUILD/guest-kernel/initrd.cpio" -kernel "$kernel"
finish
