#!/bin/sh
# modules.sh - modules come, are traced and go, in every kind of layout, on QEMU and on rvftrace.
. "$(dirname "$0")/lib.sh"

M=/lib/modules
allowed=
on_qemu() {
    run_guest "$1" "$2" "$3" -initrd "$BUILD/guest-kernel/$1/modules.cpio"
}
on_rvftrace() {
    # shellcheck disable=SC2086 # options
    run_on_rvftrace "$1" "$2" "$3" --initrd "$BUILD/guest-kernel/$1/modules.cpio" $allowed
}

traced="insmod $M/trace_sample.ko depth=3; insmod $M/sample_user.ko start=-5 greeting=hi
    selftest wx; cat /proc/trace_sample
    echo :mod:trace_sample > $T/set_ftrace_filter; echo function > $T/current_tracer
    cat /proc/trace_sample; grep -c 'sample_leaf \[trace_sample\] <-' $T/trace
    echo function_graph > $T/current_tracer; cat /proc/trace_sample
    grep -c 'sample_leaf' $T/trace; lsmod; rmmod trace_sample
    rmmod sample_user; rmmod trace_sample; lsmod; selftest wx
    grep -c sample_ $T/available_filter_functions; echo nop > $T/current_tracer; cd $T
    echo 'p:later trace_printk:trace_printk_irq_work' > kprobe_events; echo 1 > events/kprobes/later/enable
    echo hist:keys=ip if buf '~' \\'a*\\' > events/ftrace/print/trigger; echo snapshot >> events/ftrace/print/trigger
    echo again > trace_marker; echo begin > trace_marker; echo again > trace_marker
    echo hits \$(grep Hits: events/ftrace/print/hist) in \$(grep -c again trace) and \$(grep -c again snapshot); echo > trace
    insmod $M/trace_printk.ko; rmmod trace_printk; echo messages \$(grep -c 'will use trace_b' trace) \$(grep -c 'not constant' trace) \$(grep -c 'will use trace_b' printk_formats) \$(grep -c later: trace)
    echo 0 > events/kprobes/later/enable; echo > kprobe_events; echo > error_log
    echo 'e:opens syscalls/sys_enter_openat file=+0(\$filename):ustring if dfd > 99' >> dynamic_events; echo 'e:opens sched.sched_switch' >> dynamic_events
    echo 'e sched.nosuch' >> dynamic_events; echo 'e sched.sched_switch x=\$nosuch' >> dynamic_events; cat error_log
    echo 1 > events/eprobes/enable; cat /proc/version > /x; echo 0 > events/eprobes/enable; grep -c ' sys_openat(' trace
    echo eprobes \$(grep -c 'opens: (syscalls.sys_enter_openat) file=./proc/version.' trace) \$(cat dynamic_events); echo '-:opens' >> dynamic_events; cat dynamic_events; echo the end"

traced_as_it_should() {
    has_status 0 && has_line '^\[.*\] sample_user: hi 4294967292$' "$out" && has_line '^walk 3: 8 leaves$' "$out" &&
        test "$(grep -cx 8 "$out")" -eq 2 && test "$(grep -c '^trace_sample  ' "$out")" -eq 1 &&
        test "$(grep -c '^ok - wx: ' "$out")" -ge 4 && has_line '^the end$' "$out"
}
# Their formats are there when the module is not; a probe waits for it; triggers of trace_marker act at each text.
writes_to_the_trace() { has_line '^messages 4 4 4 1$' "$out" && has_line '^hits Hits: 2 in 0 and 2$' "$out"; }
# An event probe is on without its event, mistakes are shown, another one of its name is refused.
is_made_of_an_event() {
    has_line '^eprobes 1 e:eprobes/opens syscalls.sys_enter_openat file=\+0\(\$filename\):ustring$' "$out" &&
        test "$(grep -c 'event_probe: error: \(Given group\|Attached event does\)' "$out")" -eq 3
}
goes_when_unused() {
    has_line '^trace_sample  *[0-9]+  1 sample_user$' "$out" &&
        has_line '^sh: rmmod: ERROR: Module trace_sample is in use$' "$out" &&
        has_line '^\[.*\] trace_sample: 3 walks$' "$out" && has_line '^0$' "$out"
}

for layout in $(cd "$BUILD/guest-kernel" && for f in mcount pfe16 pfe8 atomic callops; do
    [ -f $f/modules.cpio ] && echo $f; done); do
    for on in 'rvftrace 4' 'qemu 2'; do
        on_${on% *} "$layout" "${on#* }" "$traced"
        claim "$layout, $on harts: a module is traced as it comes" traced_as_it_should
        claim "$layout, $on harts: a module's messages are in the trace, and a probe of it that was made before" writes_to_the_trace
        claim "$layout, $on harts: an event probe has another event's field, and the memory it points to" is_made_of_an_event
        claim "$layout, $on harts: it goes when nobody uses it any more" goes_when_unused
    done
done

# The machine's own table of sites: a module's are added when it is loaded, and gone when it is
# unloaded.
come_and_go="insmod $M/trace_sample.ko depth=3; cat /proc/trace_sample; echo function > $T/current_tracer
    cat /proc/trace_sample; rmmod trace_sample; work calls 1"
for layout in mcount pfe16 pfe8 atomic callops; do
    [ -f "$BUILD/guest-kernel/$layout/modules.cpio" ] || continue
    run_on_rvftrace $layout 2 "$come_and_go" --report "$work/report" --initrd "$BUILD/guest-kernel/$layout/modules.cpio"
    claim "$layout: a module's functions are sites before they are traced for the first time, until it goes" has_status 0 and python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
sites = report["sites"]
last = max(int(site["address"], 16) for site in sites if "module" not in site)
module = [site for site in sites if int(site["address"], 16) > last]
assert len(module) >= 3 and len({site["address"] for site in module}) == len(module), module
assert sum(site["on"]["entries"] == 8 == site["on"]["resumed"] for site in module) >= 1, module
assert {"sample_leaf", "sample_branch", "sample_show", "sample_init"} <= {site["function"] for site in module}, module
assert {site["module"] for site in module} == {"trace_sample"}, module
assert all("gone" in site for site in module), module
leaf = next(site for site in module if site["function"] == "sample_leaf")
assert (leaf["off"]["entries"], leaf["on"]["entries"]) == (8, 8), leaf
assert all("gone" not in site for site in sites if site not in module)
' "$work/report"
done

# ftrace_ops checks how often each of the ops is called. Where a site names its own ops, those of other functions cost nothing.
nanoseconds() { sed -nE "s/.*, $1 ops for it, $2 for another: .* ([0-9]+) ns each$/\\1/p" "$out"; }
costs_as_it_should() { # LAYOUT
    has_status 0 && has_line '^the end$' "$out" && [ "$(nanoseconds 0 0)" -lt "$(nanoseconds 1 0)" ] &&
        [ "$(nanoseconds 1 0)" -lt "$(nanoseconds 3 0)" ] || return
    if [ "$1" = callops ]; then
        [ "$(nanoseconds 1 3)" -eq "$(nanoseconds 1 0)" ]
    else
        [ "$(nanoseconds 1 3)" -gt "$(nanoseconds 1 0)" ]
    fi
}
several=$(for n in '0 0' '1 0' '3 0' '1 3'; do
    echo "insmod $M/ftrace_ops.ko nr_function_calls=1000 check_count nr_ops_relevant=${n% *} nr_ops_irrelevant=${n#* }; rmmod ftrace_ops"
done)
for layout in mcount pfe16 pfe8 atomic callops; do
    [ -f "$BUILD/guest-kernel/$layout/modules.cpio" ] || continue
    on_rvftrace $layout 1 "$several
        insmod $M/ftrace_ops.ko nr_function_calls=2 nr_ops_relevant=2 persist; rmmod ftrace_ops; echo the end"
    claim "$layout: several ops of a function are each called once, for what they cost" costs_as_it_should $layout
done

refused="insmod $M/sample_user.ko; insmod $M/trace_sample.ko depth=99; insmod $M/trace_sample.ko depth=x
    insmod $M/nothing.ko; echo nonsense > /junk; insmod /junk; lsmod; insmod $M/trace_sample.ko
    insmod $M/trace_sample.ko; insmod $M/sample_user.ko fail; lsmod; rmmod nothing; rmmod trace_sample
    lsmod; insmod $M/trace_sample.ko depth=1; cat /proc/trace_sample; echo the end"
on_rvftrace mcount 2 "$refused"
claim_line 'a symbol that nobody exports keeps a module out' \
    '^\[.*\] sample_user: Unknown symbol sample_leaf \(err -2\)$' "$out"
claim_line 'so does a parameter that is no number' \
    '^\[.*\] trace_sample: .x. invalid for parameter .depth.$' "$out"
claim_line 'so does its own init' '^sh: insmod: .*sample_user.ko: No such device$' "$out"
claim_line 'so does a file that is no module' '^sh: insmod: .*/junk: ' "$out"
claim_line 'none is loaded twice' '^sh: insmod: .*trace_sample.ko: File exists$' "$out"
claim_line 'who failed uses nobody' '^trace_sample  *[0-9]+  0$' "$out"
claim_line 'a name that is none cannot go' \
    '^sh: rmmod: ERROR: Module nothing is not currently loaded$' "$out"
claim_line 'what went can come again' '^walk 1: 2 leaves$' "$out"

# A file of /proc may be open when its module goes.
left_open="insmod $M/trace_sample.ko; exec 3< /proc/trace_sample; rmmod trace_sample; cat <&3
    insmod $M/trace_sample.ko; cat <&3; cat /proc/trace_sample; exec 3<&-; echo the end"
on_rvftrace mcount 2 "$left_open"
claim 'a file that is open does not outlive its module' has_status 0 and has_line '^the end$' "$out" \
    and test "$(grep -c 'Input/output error' "$out")" -eq 2 and has_line '^walk 1' "$out"

# Each of these has to end the machine, and to say why and where.
notices() {
    BOOTARGS=$3 allowed='--allow guest-noticed'
    on_rvftrace mcount 1 "insmod $M/misuse.ko what=$1; echo alive"
    BOOTARGS='' allowed=
    claim "$1 is noticed" has_status 1 and has_line "Kernel panic - not syncing: .*($2)" "$out" \
        and has_line "\] $4[a-z_.0-9]*\+0x[0-9a-f]+/0x[0-9a-f]+( \[misuse\])?" "$out" and no_line 'alive' "$out"
}
notices write-past-the-end 'BUG kmalloc-64: Right Redzone overwritten' slub_debug misuse_init
notices write-after-free 'BUG kmalloc-64: Poison overwritten' slub_debug misuse_init
notices free-twice 'BUG kmalloc-64: Object already free' slub_debug misuse_init
notices sleep-in-atomic 'BUG: scheduling while atomic' '' misuse_init
notices lock-twice 'BUG at .*mutex.c' '' mutex_lock
notices write-text 'exception in kernel mode' '' write_text
notices write-constant 'exception in kernel mode' '' write_constant
notices run-data 'exception in kernel mode' '' load_module

# While threads run in the kernel's and the module's functions, modules come and go.
busy="echo 'sample_*' > $T/set_ftrace_filter; echo function > $T/current_tracer; work threads 20 &
    for i in 1 2 3 4 5 6; do insmod $M/trace_sample.ko; cat /proc/trace_sample > /dev/null
    rmmod trace_sample; done; wait; lsmod; echo the end"
on_rvftrace mcount 4 "$busy"
claim 'they come and go under load' has_status 0 and has_line '^the end$' "$out" and test "$(grep -c 'trace_sample: 1 walks' "$out")" -eq 6 \
    and no_line 'FAILED' "$out"
endless="while true; do true; done & a=\$!; yes > /dev/null & b=\$!; cat /dev/zero > /dev/null & c=\$!
    insmod $M/trace_sample.ko; rmmod trace_sample; kill \$a \$b \$c; echo the end"
on_rvftrace atomic 2 "$endless"
claim 'commands without end hold up no module that goes' has_status 0 and has_line '^the end$' "$out"
reading="while [ ! -e /stop ]; do cat /proc/trace_sample; done > /dev/null 2>&1 &
    for i in 1 2 3 4 5 6 7 8 9 10; do insmod $M/trace_sample.ko depth=6; cat /proc/trace_sample > /dev/null
    rmmod trace_sample; done; touch /stop; wait; lsmod; echo the end"
on_rvftrace pfe8 4 "$reading"
claim 'also while they are read' has_status 0 and has_line '^the end$' "$out" \
    and test "$(grep -c 'trace_sample: [0-9]* walks' "$out")" -eq 10 and no_line 'Oops' "$out"

# The breakpoint of a probe that waits for its module is stored before the text is code.
waiting="cd $T; echo 'p:waits trace_sample:sample_leaf+10' > kprobe_events; echo 1 > events/kprobes/enable
    insmod $M/trace_sample.ko; cat /proc/trace_sample > /dev/null; echo hits \$(grep -c waits: trace)
    echo 0 > events/kprobes/enable; echo 1 > events/kprobes/enable
    rmmod trace_sample; insmod $M/trace_sample.ko; echo 0 > events/kprobes/enable; echo the end"
on_rvftrace pfe8 2 "$waiting"
claim 'a breakpoint that was there before the module ran is taken out without a finding' has_status 0 and has_line '^the end$' "$out" \
    and has_line '^hits [1-9]' "$out" and no_line '^(warning|error): ' "$err"
finish
