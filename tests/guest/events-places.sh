#!/bin/sh
# events-places.sh - events of timers, signals, modules, allocators, page faults, IPIs, RCU and messages are at the
# right places, and a module has its own.
. "$(dirname "$0")/lib.sh"

after() { awk -v cmd="# $1" -v nth="${2:-1}" 'on && /^# / { exit } on { print } index($0, cmd) == 1 && ++n == nth { on = 1 }' "$out"; }
has() { after "$1" "$3" | grep -Eq -- "$2"; }
number_of() { grep -c ": $1: " "$work/trace"; }
# The text of EVENT's entries, where PATTERN is the whole of it, with the second pattern in place of the first.
texts() { sed -nE "s/^.* [0-9.]+: $1: $2\$/$3/p" "$work/trace"; }
# Each pointer of the first list is in the second one.
each_in() { test -n "$1" && for p in $1; do echo "$2" | grep -qx "$p" || return 1; done; }

BOOTARGS='trace_buf_size=1m'
run_on_rvftrace "${LAYOUT:-pfe8}" 2 "cd $T; echo > trace; echo sched_kthread_stop sched_kthread_stop_ret > set_event; for s in timer signal module kmem ipi rcu printk exceptions; do echo 1 > events/\$s/enable; done;
    sleep 0.03 & sleep 0.002; kill \$!; kill -10 \$\$; insmod /lib/modules/trace_sample.ko;
    insmod /lib/modules/sample_user.ko; rmmod sample_user; rmmod trace_sample; cat /proc/meminfo; dd if=/dev/zero of=/dev/null bs=65536 count=1;
    selftest workqueue; echo 0 > tracing_on; echo 0 > events/enable; echo the trace; cat trace; echo the end;
    insmod /lib/modules/event_sample.ko; cat events/event_sample/sample_line/format; cat /proc/event_sample;
    echo 1 > tracing_on; echo > trace; echo 1 > events/event_sample/enable; echo 1 > events/kmem/kfree/enable;
    echo number '>' 2 > events/event_sample/sample_line/filter; cat /proc/event_sample;
    echo 0 > events/event_sample/enable; cat trace | grep sample_; echo 0 > events/kmem/kfree/enable;
    cat /proc/event_sample | head -n 1; echo 1 > events/event_sample/enable; cat /proc/event_sample | tail -n 1;
    rmmod event_sample; ls events | grep -c event_sample; cat trace | grep -c sample_;
    echo 1 > events/kmem/kfree/enable; insmod /lib/modules/event_sample.ko; head -n 1 /proc/event_sample" \
    --initrd "$BUILD/guest-kernel/${LAYOUT:-pfe8}/modules.cpio"
sed -n '/^the trace$/,/^the end$/p' "$out" >"$work/trace"

claim_line 'timer: a sleep starts an hrtimer, by its name' \
    ': hrtimer_start: hrtimer=([0-9a-f]+) function=hrtimer_wakeup expires=([0-9]+) softexpires=\2 mode=ABS was_armed=0$' "$work/trace"
claim_line '... that was made before' ' sleep-[0-9]+ .*: hrtimer_init: hrtimer=[0-9a-f]+ clockid=CLOCK_MONOTONIC mode=ABS$' "$work/trace"
claim_line '... and expires in the interrupt' \
    ' d.h.\. .*: hrtimer_expire_entry: hrtimer=[0-9a-f]+ function=hrtimer_wakeup now=[0-9]+$' "$work/trace"
claim '... as often as it returns' test "$(number_of hrtimer_expire_entry)" = "$(number_of hrtimer_expire_exit)"
claim '... which takes it off its list' test "$(number_of hrtimer_cancel)" -ge "$(number_of hrtimer_expire_entry)"
claim_line 'a sleep that ends by a signal cancels its timer' ' sleep-[0-9]+ .*: hrtimer_cancel: hrtimer=[0-9a-f]+$' "$work/trace"
claim_line 'signal: kill sends to the process' \
    ' sh-1 .*: signal_generate: sig=15 errno=0 code=0 comm=sleep pid=[0-9]+ grp=1 res=0$' "$work/trace"
claim_line '... which takes it' ' sleep-[0-9]+ .*: signal_deliver: sig=15 errno=0 code=0 sa_handler=0 sa_flags=0$' "$work/trace"
claim_line '... and its parent ignores its end' ': signal_generate: sig=17 errno=0 code=2 comm=sh pid=1 grp=1 res=1$' "$work/trace"
claim_line "a task's own end has another code" ': signal_generate: sig=17 errno=0 code=1 comm=sh pid=1 grp=1 res=1$' "$work/trace"
claim_line 'init ignores what it does not handle' ': signal_generate: sig=10 errno=0 code=0 comm=sh pid=1 grp=1 res=1$' "$work/trace"
claim_line 'module: it is loaded' ' insmod-[0-9]+ .*: module_load: trace_sample $' "$work/trace"
claim_line '... gets a user' ': module_get: trace_sample call_site=[a-z_]+ refcnt=2$' "$work/trace"
claim_line '... that leaves it' ': module_put: trace_sample call_site=[a-z_]+ refcnt=1$' "$work/trace"
claim_line '... and is freed' ' rmmod-[0-9]+ .*: module_free: trace_sample$' "$work/trace"
claim 'kmem: what a path takes is freed' each_in \
    "$(texts kmalloc 'call_site=getname\+.* ptr=([0-9a-f]+) bytes_req=4096 bytes_alloc=4096 .*' '\1' | sort -u)" \
    "$(texts kfree 'call_site=.* ptr=([0-9a-f]+)' '\1' | sort -u)"
claim_line '... zeroed memory is asked for by name' ': kmalloc: .* gfp_flags=__GFP_ZERO node=-1 accounted=false$' "$work/trace"
claim '... a page leaves the free lists before it is allocated' each_in \
    "$(texts mm_page_alloc 'page=.* pfn=(0x8[0-9a-f]{4}) order=.* migratetype=0 gfp_flags=none' '\1' | sort -u)" \
    "$(texts mm_page_alloc_zone_locked 'page=.* pfn=(0x8[0-9a-f]{4}) order=.* percpu_refill=0' '\1' | sort -u)"
claim_line '... and goes back' ': mm_page_free: page=[0-9a-f]+ pfn=0x8[0-9a-f]{4} order=0$' "$work/trace"
claim_line 'exceptions: a program writes to a new page' \
    ' [a-z]+-[0-9]+ .*: page_fault_user: address=0x[0-9a-f]+ ip=0x[0-9a-f]+ error_code=0xf$' "$work/trace"
claim_line '... so does the kernel for it' ': page_fault_kernel: address=0x[0-9a-f]+ ip=[a-z_]+ error_code=0x[df]$' "$work/trace"
claim_line 'ipi: a hart wakes another' ': ipi_raise: target_mask=00000000,0000000[12] \(Rescheduling interrupts\)$' "$work/trace"
claim_line '... which handles it' ' d.h.\. .*: ipi_entry: \(Rescheduling interrupts\)$' "$work/trace"
claim '... to the end' test "$(number_of ipi_entry)" = "$(number_of ipi_exit)"
claim_line 'all harts are asked to run a function' ': ipi_raise: .*\(Function call interrupts\)$' "$work/trace"
claim 'rcu: each task switch' test "$(texts rcu_utilization 'Start context switch' x | wc -l)" -gt 10
claim '... takes it a moment' test "$(texts rcu_utilization 'Start context switch' x)" = \
    "$(texts rcu_utilization 'End context switch' x)"
claim_line 'printk: a message is recorded without its time' ' insmod-[0-9]+ .*: console: sample_user: the leaf answers 42$' "$work/trace"

claim_line 'sched: a kernel thread is stopped' ' selftest-[0-9]+ .*: sched_kthread_stop: comm=[^ ]+ pid=[0-9]+$' "$work/trace"
claim_line '... and returns' ' selftest-[0-9]+ .*: sched_kthread_stop_ret: ret=-?[0-9]+$' "$work/trace"

claim "a module's event has a format, with its constants by number" has 'cat events/event_sample' \
    '__print_symbolic\(REC->kind, \{0, "even"\}, \{1, "odd"\}\), __get_str\(text\), __print_array\('
claim '... is off at first, as is the key of the kernel' has 'cat /proc/event_sample' '^kfree is not traced$'
claim '... is filtered and printed as others' test "$(after 'cat trace | grep sample_' | sed 's/.*sample_line: /line: /; s/.*sample_third: /third: /')" = \
    "$(printf '%s\n' 'third: number=0' 'line: number=3 kind=odd text=three digits={0x0,0x3}' 'third: number=3' \
        'line: number=4 kind=even text=four digits={0x0,0x4}' 'line: number=5 kind=odd text=five digits={0x0,0x5}')"
claim "a key of the kernel that is turned on changes the module's code" has 'cat /proc/event_sample' '^kfree is traced$' 2
claim '... back, too' has 'cat /proc/event_sample | head' '^kfree is not traced$'
claim 'an event that is on goes with its module' test "$(after 'ls events | grep -c')" = 0
claim '... with its entries' test "$(after 'cat trace | grep -c sample_')" = 0
claim 'a key that is on takes effect in a module that is loaded later' has 'head -n 1 /proc' '^kfree is traced$'
claim 'the auditor finds nothing' has_status 0
finish
