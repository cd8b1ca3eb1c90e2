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
    run_on_rvftrace ${run% *} ${run#* } "ls /sys/kernel/debug; selftest kprobes; cat $kprobes/list; cat $kprobes/enabled;
            cat $kprobes/blacklist; echo 0 > $kprobes/enabled; cat $kprobes/enabled; echo 2 > $kprobes/enabled;
            echo on > $kprobes/enabled; cat $kprobes/enabled; $(probes $offset); echo all tested"
    claim_no_line "$run: the suite passes" '^not ok' "$out"
    claim "$run: the auditor is silent, the script ends" has_status 0 and has_line '^all tested$' "$out"
    claim "$run: ten cases and no other" test "$(grep -c '^ok - kprobes: ' "$out")" -eq 10
    claim_no_line "$run: no probe is left" '  k  ' "$out"
    claim_line "$run: the entry code is in the blacklist" \
        '^0x[0-9a-f]{16}-0x[0-9a-f]{16}	handle_exception$' "$out"
    claim "$run: enabled is read and written" \
        test "$(grep -Ex '[01]|.*Kprobes globally (en|dis)abled' "$out" | sed 's/.*globally //' | tr '\n' ' ')" = \
        '1 disabled 0 enabled 1 '
    claim_line "$run: kprobe_events lists what was defined" '^r4:my-own/got seq_read got=\$retval:s32$' "$out"
    claim_line "$run: ... with a name and a group of its own" "^p:kprobes/p_seq_read_$offset seq_read\+$offset$" "$out"
    claim_line "$run: the format has the fields" '^	field:u16 code\[\];	offset:[0-9]+;	size:4;	signed:0;$' "$out"
    claim_line "$run: ... and how they are printed" '^print fmt: "\(%lx\) dfd=%d name=\\"%s\\" comm=\\"%s\\" same=%d five=%u code=\{0x%x,0x%x\} bits=%u bad=\\"%s\\"", REC->__probe_ip, REC->dfd, __get_str\(name\), .*REC->code\[1\], REC->bits, __get_str\(bad\)$' "$out"
    claim_line "$run: an entry of a function has its arguments" '^ +cat-[0-9]+ .*: opened: \(do_filp_open\+0x0/0x[0-9a-f]+\) dfd=-100 name="/proc/meminfo" comm="cat" same=-100 five=5 code=\{0x[0-9a-f]+,0x[0-9a-f]+\} bits=0 bad=\(fault\)$' "$out"
    claim_line "$run: an entry inside it does too" "^ +cat-[0-9]+ .*: p_seq_read_$offset: \(seq_read\+0x$(printf %x $offset)/0x[0-9a-f]+\)$" "$out"
    claim_line "$run: a return has the caller and the result" '^ +cat-[0-9]+ .*: got: \(proc_reg_read\+0x[0-9a-f]+/0x[0-9a-f]+ <- seq_read\) got=56$' "$out"
    claim_line "$run: kprobe_profile counts" '^  got +2 +0$' "$out"
    claim_line "$run: what is in use cannot be removed" '^sh: cannot open .*/kprobe_events: Device or resource busy$' "$out"
    claim "$run: unknown functions and events are refused" \
        test "$(grep -c '^sh: write error: No such file or directory' "$out")" -eq 2
    # One of them is for the file `enabled', and only where sites are patched one for a notrace function.
    claim_line "$run: an event may have several probes" '^p:kprobes/two do_filp_open a=%a0:s32$' "$out"
    claim "$run: ... all of which are on" test "$(grep -c ': two: (do_filp_open+0x0/.* a=-100$' "$out")" -ge 2
    claim "$run: ... until one is removed" test "$(grep -c ': two: (seq_read+0x0/' "$out")" -eq 4
    claim "$run: ... and those of other kinds are refused" test "$(grep -A2 'trace_kprobe: error: .*existing probe$' "$out" |
        grep -c '^  Command: [pr]:two')" -eq 2
    claim_line "$run: ... as is the same again" 'error: There is already the exact same probe event$' "$out"
    claim "$run: unknown registers, notrace functions and returns of an instruction are refused" \
        test "$(grep -c '^sh: write error: Invalid argument' "$out")" -eq "$([ "$run" = 'static 2' ] && echo 4 || echo 5)"
    claim "$run: error_log says what is wrong, and where" grep -Pzq -- \
        'trace_kprobe: error: Invalid register name\n  Command: p seq_read ok=%a0 \+0\(\+8\(%zz\)\)\n {35}\^\n' "$out"
done
finish
