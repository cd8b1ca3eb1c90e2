#!/bin/sh
# kprobes.sh - probes in each layout of call sites, with the auditor on, and their files in debugfs.
. "$(dirname "$0")/lib.sh"

kprobes=/sys/kernel/debug/kprobes
events=$T/kprobe_events

# Probes as events; a later instruction of seq_read is at the offset.
probes() {
    printf %s "echo 'p:opened do_filp_open dfd=%a0:s32 name=+0(%a1):string comm=\$comm same=\$arg1:s32 five=\\5:u8 code=@seq_read:x16[2] bits=%sp:b4@0/32 bad=+8(%zero):u8' > $events
    echo 'p:opened do_filp_open dfd=%a0:s32 name=+0(%a1):string comm=\$comm same=\$arg1:s32 five=\\5:u8 code=@seq_read:x16[2] bits=%sp:b4@0/32 bad=+8(\\0):string' > $events
    echo 'r4:my-own/got seq_read got=\$retval:s32' >> $events; echo 'p seq_read+$1' >> $events; cat $events
    cat $T/events/kprobes/opened/format; echo 1 > $T/events/kprobes/enable; echo 1 > $T/events/my-own/enable
    cat /proc/meminfo; echo > $events; echo 0 > $T/events/enable; cat $T/trace; cat $T/kprobe_profile
    echo '-:my-own/got' >> $events; echo '-:my-own/got' >> $events; echo > $events; cat $events;
    echo 'p:two do_filp_open a=%a0:s32' > $events; echo 1 > $T/events/kprobes/two/enable; echo 'p:two seq_read a=%a1:s32' >> $events
    echo 'p:two seq_read a=%a1:s32' >> $events; echo 'r:two seq_read a=%a1:s32' >> $events; echo 'p:two seq_read b=%a1:s32' >> $events
    cat $events; cat $T/error_log; echo > $T/trace; cat /proc/meminfo > /dev/null; echo '-:two do_filp_open' >> $events; cat /proc/meminfo > /dev/null
    echo 0 > $T/events/kprobes/two/enable; cat $T/trace; cat $events; echo '-:two' >> $events; echo > $T/error_log; echo 'p nosuch' > $events
    echo 'p trace_event_buffer_commit' > $events; echo 'r seq_read+$1' > $events; cat $events
    echo 'p seq_read ok=%a0 +0(+8(%zz))' > $events; cat $T/error_log"
}

# selftests.sh has the suite in `none' and `mcount'.
for run in 'static 2' 'pfe16 1' 'pfe8 4' 'atomic 4' 'callops 2'; do
    case $run in pfe16*) offset=16 ;; *) offset=8 ;; esac
    "$BUILD/rvftrace" run --quiet --audit fail --harts ${run#* } --memory 128M --timeout 100 \
        --append "script=\"ls /sys/kernel/debug; selftest kprobes; cat $kprobes/list; cat $kprobes/enabled;
            cat $kprobes/blacklist; echo 0 > $kprobes/enabled; cat $kprobes/enabled; echo 2 > $kprobes/enabled;
            echo on > $kprobes/enabled; cat $kprobes/enabled; $(probes $offset); echo all tested\"" \
        "$BUILD/guest-kernel/${run% *}/kernel.elf" </dev/null 2>"$work_dir/errors" | tr -d '\r' >"$out"
    check "$run: the suite passes" console_lacks '^not ok'
    check "$run: the auditor is silent, the script ends" console_has 'all tested'
    check "$run: ten cases and no other" test "$(grep -c '^ok - kprobes: ' "$out")" -eq 10
    check "$run: no probe is left" console_lacks '  k  '
    check "$run: the entry code is in the blacklist" \
        console_has '0x[0-9a-f]{16}-0x[0-9a-f]{16}	handle_exception'
    check "$run: enabled is read and written" \
        test "$(grep -Ex '[01]|.*Kprobes globally (en|dis)abled' "$out" | sed 's/.*globally //' | tr '\n' ' ')" = \
        '1 disabled 0 enabled 1 '
    check "$run: kprobe_events lists what was defined" console_has 'r4:my-own/got seq_read got=\$retval:s32'
    check "$run: ... with a name and a group of its own" console_has "p:kprobes/p_seq_read_$offset seq_read\+$offset"
    check "$run: the format has the fields" console_has '	field:u16 code\[\];	offset:[0-9]+;	size:4;	signed:0;'
    check "$run: ... and how they are printed" console_has 'print fmt: "\(%lx\) dfd=%d name=\\"%s\\" comm=\\"%s\\" same=%d five=%u code=\{0x%x,0x%x\} bits=%u bad=\\"%s\\"", REC->__probe_ip, REC->dfd, __get_str\(name\), .*REC->code\[1\], REC->bits, __get_str\(bad\)'
    check "$run: an entry of a function has its arguments" console_has \
        ' +cat-[0-9]+ .*: opened: \(do_filp_open\+0x0/0x[0-9a-f]+\) dfd=-100 name="/proc/meminfo" comm="cat" same=-100 five=5 code=\{0x[0-9a-f]+,0x[0-9a-f]+\} bits=0 bad=\(fault\)'
    check "$run: an entry inside it does too" console_has \
        " +cat-[0-9]+ .*: p_seq_read_$offset: \(seq_read\+0x$(printf %x $offset)/0x[0-9a-f]+\)"
    check "$run: a return has the caller and the result" console_has \
        ' +cat-[0-9]+ .*: got: \(proc_reg_read\+0x[0-9a-f]+/0x[0-9a-f]+ <- seq_read\) got=56'
    check "$run: kprobe_profile counts" console_has '  got +2 +0'
    check "$run: what is in use cannot be removed" console_has 'sh: cannot open .*/kprobe_events: Device or resource busy'
    check "$run: unknown functions and events are refused" \
        test "$(grep -c '^sh: write error: No such file or directory' "$out")" -eq 2
    # One of them is for the file `enabled', and only where sites are patched one for a notrace function.
    check "$run: an event may have several probes" console_has 'p:kprobes/two do_filp_open a=%a0:s32'
    check "$run: ... all of which are on" test "$(grep -c ': two: (do_filp_open+0x0/.* a=-100$' "$out")" -ge 2
    check "$run: ... until one is removed" test "$(grep -c ': two: (seq_read+0x0/' "$out")" -eq 4
    check "$run: ... and those of other kinds are refused" test "$(grep -A2 'trace_kprobe: error: .*existing probe$' "$out" |
        grep -c '^  Command: [pr]:two')" -eq 2
    check "$run: ... as is the same again" grep -q 'error: There is already the exact same probe event$' "$out"
    check "$run: unknown registers, notrace functions and returns of an instruction are refused" \
        test "$(grep -c '^sh: write error: Invalid argument' "$out")" -eq "$([ "$run" = 'static 2' ] && echo 4 || echo 5)"
    check "$run: error_log says what is wrong, and where" grep -Pzq -- \
        'trace_kprobe: error: Invalid register name\n  Command: p seq_read ok=%a0 \+0\(\+8\(%zz\)\)\n {35}\^\n' "$out"
done
finish
