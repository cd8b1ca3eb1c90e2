#!/bin/sh
# shellcheck disable=SC2119,SC2317 # claim calls by name
# boots.sh - Debian's unmodified kernel, and a small Linux 6.1 that can be traced: from
# power-on to a shell, its commands, and power-off. guests.sh fetches them.
. "$(dirname "$0")/../machine/common.inc"

. "$(dirname "$0")/linux.inc"

cat >"$work/lines" <<'E2'
echo harts: $(nproc)
echo sum: $(seq 1 20000 | md5sum | cut -c 1-32)
awk 'BEGIN { printf "pi: %.12f\n", 355 / 113 }'
(sleep 1; echo slept) & wait; grep -c ttyS0 /proc/interrupts
E2
sum=$(seq 1 20000 | md5sum | cut -c 1-32)
for firmware in builtin "$opensbi"; do
    for harts in 1 2 4; do
        linux "$debian" --firmware "$firmware" --harts $harts
        claim "Debian's kernel on $(basename "$firmware") with $harts harts powers off" has_status 0
        claim '... after a shell that sees all harts' answered "harts: $harts"
        claim '... computes' answered "sum: $sum"
        claim '... with floating point' answered 'pi: 3.141592920354'
        claim '... and sleeps' answered slept
    done
done

# Debian sid's: the newest layout of sites (callops), which an Image does not reveal.
cat >"$work/lines" <<'E2'
echo harts: $(nproc)
echo sum: $(seq 1 20000 | md5sum | cut -c 1-32)
cd /sys/kernel/tracing
echo 'vfs_*' > set_ftrace_filter; echo function > current_tracer; ls / > /tmp/x 2>&1; echo 0 > tracing_on
echo functions: $(grep -c 'vfs_write <-' trace | sed 's/^[1-9].*/seen/')
echo nop > current_tracer; echo off: $(cat enabled_functions | wc -l)
E2
if [ -e "$sid" ]; then
    for harts in 1 2 4; do
        linux "$sid" --harts $harts
        claim "Debian sid's kernel with $harts harts powers off" has_status 0
        claim '... after a shell that sees all harts' answered "harts: $harts"
        claim '... computes' answered "sum: $sum"
        claim '... traced functions' answered 'functions: seen'
        claim '... and none afterwards' answered 'off: 0'
        claim '... with nothing wrong in how it patches' no_errors
    done

    # It waits for grace periods between the end of the last graph tracer and the release of ftrace_lock. Tasks that are forked
    # meanwhile have no return stack, and need none.
    cat >"$work/lines" <<'E2'
(while :; do /bin/true; done) & (while :; do /bin/true; done) &
cd /sys/kernel/tracing; for i in 1 2 3 4 5 6; do echo function_graph > current_tracer; echo nop > current_tracer; done
kill %1 %2
E2
    linux "$sid" --harts 2
    claim "Debian sid's kernel forks while the graph tracer ends, with nothing wrong" no_errors

    # It preempts tasks wherever they are, also inside a tracer. Each pays for what it does itself.
    cat >"$work/lines" <<'E2'
(while :; do :; done) & (while :; do :; done) &
cd /sys/kernel/tracing; for tracer in function function_graph; do echo $tracer > current_tracer; sleep 1; done
echo nop > current_tracer; kill %1 %2
E2
    linux "$sid" --harts 2 --report "$work/report"
    claim "Debian sid's sites are known from its own list of symbols" test "$(report 'r["layout"], r["totals"]["functions"] > 30000')" = "callops True"
    claim '... and a task that is preempted inside a tracer pays for no other task' python3 -c '
import json, sys
on = {s["function"]: s["on"] for s in json.load(open(sys.argv[1]))["sites"] if s["on"]["resumed"]}
assert on["schedule"]["resumed"] > 100, on["schedule"]
longest = max(on, key=lambda name: on[name]["through_max"])
assert on[longest]["through_max"] < 1000000, (longest, on[longest])
print("the longest call of a tracer:", longest, on[longest]["through_max"], file=sys.stderr)
' "$work/report"
else
    skip "Debian sid's kernel" "$(tail -n 1 "$cache/debian-sid/missing" 2>/dev/null)"
fi

# Both tracers, on a real Linux kernel.
cat >"$work/lines" <<'E2'
cd /sys/kernel/tracing
echo sites: $(cat available_filter_functions | wc -l)
echo function > current_tracer; ls / > /tmp/x 2>&1; echo 0 > tracing_on
echo functions: $(grep -c 'vfs_write <-ksys_write' trace | sed 's/^[1-9].*/seen/')
echo 1 > tracing_on; echo function_graph > current_tracer; ls / > /tmp/x 2>&1; echo 0 > tracing_on
echo graph: $(grep -c '} /\* \|us *|.*();' trace | sed 's/^[1-9].*/seen/')
echo nop > current_tracer; echo vfs_write > set_ftrace_filter; echo function > current_tracer; echo 1 > tracing_on
cat enabled_functions
echo nop > current_tracer; echo off: $(cat enabled_functions | wc -l)
E2
for firmware in builtin "$opensbi"; do
    for harts in 1 2 4; do
        allow=$allow_a1
        [ "$firmware" = builtin ] && allow="$allow_a1 $allow_order"
        # shellcheck disable=SC2086 # several words
        linux "$small" --firmware "$firmware" --harts $harts $allow
        claim "Linux 6.1 on $(basename "$firmware") with $harts harts powers off" has_status 0
        claim_line '... after it patched thousands of sites' '^sites: [4-9][0-9][0-9][0-9]$' "$out"
        claim '... traced functions' answered 'functions: seen'
        claim '... and their graph' answered 'graph: seen'
        claim_line '... with a filter: one site' '^vfs_write \(1\)' "$out"
        claim '... and none afterwards' answered 'off: 0'
        if [ "$firmware" = builtin ]; then
            claim '... each site fenced before it was run' no_findings
            [ $harts -eq 1 ] ||
                claim_line '... other harts are asked with no data fence' '^allowed: unordered-remote-fence:' "$err"
        elif [ $harts -gt 1 ]; then
            # It executes no fence.i on harts that start; OpenSBI does at power-on only, long before they are started.
            claim '... and the one fence that the other harts lack is one finding' lacks_fence_at_start
        fi
    done
done

# Tracepoints are jump labels: each is one store, then a fence on all harts, while the other harts run what is patched.
cat >"$work/lines" <<'E2'
cd /sys/kernel/tracing; for job in 1 2 3; do (while :; do : | :; done) & done
for round in $(seq 1 20); do echo 1 > events/sched/enable; echo 0 > events/sched/enable; done; kill %1 %2 %3; echo switched
E2
for kernel in "$small" "$debian"; do
    linux "$kernel" --harts 4 --report "$work/report"
    name=$(basename "$(dirname "$kernel")")
    claim "$name switches tracepoints on 4 harts" has_status 0 and answered switched
    claim '... a hart that still runs the old instruction is a note, with one order of events' python3 -c '
import json, sys
found = [f for f in json.load(open(sys.argv[1]))["findings"] if f["rule"] not in ("unordered-remote-fence", "unfenced-start")]
assert [(f["rule"], f["severity"]) for f in found] == [("patch-window", "note")], found
facts = [fact["label"] for fact in found[0]["facts"]]
assert facts.index("written") < facts.index("fetched") and "order" in facts, facts
' "$work/report"
done

# Where Linux has no driver of the SBI's performance counters, the firmware alone lets user mode read time, as the
# vDSO does for time(1).
cat >"$work/lines" <<'E2'
echo drivers: $(dmesg | grep -c 'SBI PMU extension')
time true 2> /dev/null; echo time: $?
E2
for kernel in "$small" "$no_pmu"; do
    for firmware in builtin "$opensbi"; do
        linux "$kernel" --firmware "$firmware" --harts 2
        name=$(basename "$(dirname "$kernel")")
        claim "$name on $(basename "$firmware") powers off" has_status 0
        claim '... with or without the driver of performance counters' \
            answered "drivers: $([ "$kernel" = "$no_pmu" ] && echo 0 || echo 1)"
        claim '... and user programs can tell the time' answered 'time: 0'
    done
done

# Modules whose text and data share pages: a store to data is a store to a page with code. One of
# them flips jump labels, in itself and in the kernel; the other one is traced while it works.
truncate -s 8M "$work/disk"
mke2fs -q "$work/disk"
cat "$cache/initramfs.cpio" "$cache/linux-6.1/modules.cpio" >"$work/modules.cpio"
initramfs=$work/modules.cpio
cat >"$work/lines" <<'E2'
cd /sys/kernel/tracing
echo function > current_tracer
for round in 1 2 3; do insmod /modules/test_static_key_base.ko && insmod /modules/test_static_keys.ko && rmmod test_static_keys test_static_key_base && echo labels: flipped; done
insmod /modules/ext2.ko && echo 'ext2_*' > set_ftrace_filter
echo in modules: $(grep -c '\[ext2\]' available_filter_functions | sed 's/^[1-9][0-9].*/dozens/')
mkdir /tmp/d && mount -t ext2 /dev/vda /tmp/d && seq 1 1000 > /tmp/d/numbers && umount /tmp/d && echo mounted
echo recorded: $(grep -c 'ext2_.* <-' trace | sed 's/^[1-9].*/some/')
echo nop > current_tracer; echo > set_ftrace_filter; rmmod ext2 && echo removed
E2
for harts in 1 2 4; do
    for fetch in stale coherent; do
        # shellcheck disable=SC2086 # two words
        linux "$small" --harts $harts --fetch $fetch --audit fail $allow_order --drive "$work/disk,snapshot"
        claim "Linux 6.1 loads modules with $harts harts and --fetch $fetch, and powers off" has_status 0
        claim '... their jump labels flip' answered 'labels: flipped'
        claim '... their functions are sites' answered 'in modules: dozens'
        claim '... and are traced' answered 'recorded: some'
        claim '... while they work' answered mounted
        claim '... and can be removed' answered removed
        claim '... with nothing wrong in how it patches' no_errors
    done
done
initramfs=$cache/initramfs.cpio

# vmlinux instead of its Image: the sites are known, and each is counted.
cat >"$work/lines" <<'E2'
dmesg | sed -n 's/.*ftrace: allocating \([0-9]*\) .*/sites: \1/p'
cd /sys/kernel/tracing; echo function > current_tracer; ls / > /tmp/x; echo nop > current_tracer
E2
cat >>"$work/lines" <<'E2'
for round in 1 2; do insmod /modules/test_static_key_base.ko; insmod /modules/test_static_keys.ko; rmmod test_static_keys test_static_key_base; done
insmod /modules/ext2.ko; mkdir /tmp/d; mount -t ext2 /dev/vda /tmp/d
echo 'ext2_*' > set_ftrace_filter; echo function > current_tracer; seq 1 1000 > /tmp/d/numbers; umount /tmp/d
E2
initramfs=$work/modules.cpio
# shellcheck disable=SC2086 # two words
linux "$cache/linux-6.1/vmlinux" --harts 2 --report "$work/report" $allow_order --drive "$work/disk,snapshot"
initramfs=$cache/initramfs.cpio
claim 'vmlinux powers off' has_status 0
claim '... a module whose code was run has sites, with its name' \
    test "$(report 'sum(s.get("module") == "ext2" and s["on"]["entries"] > 0 for s in r["sites"]) > 5')" = True
claim '... jump labels were passed, as nops and as jumps, with the names of their keys' test "$(report \
    'all(sum(l[x]["entries"] for l in r["jump_labels"] if l["key"]) > 100 for x in ("nop", "jump"))')" = True
# Each of the test module's 18 functions asks its key three times: as it is at first, changed, and as it was.
claim '... those of modules, too, each time these are loaded' test "$(report \
    '[l["gone"] == 1 and l["key"] != "" and sorted(l[x]["entries"] for x in ("nop", "jump"))
      for l in r["jump_labels"] if l.get("module") == "test_static_keys"] == [[1, 2]] * 36')" = True
claim '... the report has as many sites as the kernel says it found' \
    answered "sites: $(report 'r["totals"]["functions"] - sum("module" in s for s in r["sites"])')"
claim '... a site that is off costs two nops' test "$(report 'r["totals"]["off"]["cycles"] / r["totals"]["off"]["entries"]')" = 2.0
claim '... sites were on' test "$(report 'r["totals"]["on"]["entries"] > 1000')" = True
claim '... and the audit has nothing to say' no_findings
echo "# $(report '"disabled: %.2f %% of all cycles of this boot" % (100 * r["totals"]["off"]["cycles"] / r["totals"]["busy_cycles"])')"

# With source lines too, a report is a matter of seconds: each place is looked up once, however often it stores.
costs_seconds() { # LIMIT COMMAND...: of processor time
    python3 -c '
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:], stdin=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
print(used, "seconds, status", status)
sys.exit(used > float(sys.argv[1]) or status not in (0, 75))
' "$@"
}
claim 'the report of a vmlinux with debug information is written in seconds' \
    costs_seconds 30 "$rvftrace" run --quiet --console none --memory 512M --append ftrace=function --max-insns 500M \
    --report "$work/report" --initrd "$cache/initramfs.cpio" "$cache/linux-6.1-tracers/vmlinux"
claim '... of a boot with thousands of patches' test "$(report 'r["patch_counts"]["sites"] > 15000')" = True
claim_line '... and names their source' '"place":"copy_to_kernel_nofault\+0x[0-9a-f]* \(mm/maccess.c:[0-9]*\)"' "$work/report"

# The Image has the same sites, with the symbols of vmlinux and with those of its own kallsyms.
sites_of() { # IMAGE REPORT OPTIONS...
    image=$1 to=$2
    shift 2
    run run --quiet --console none --memory 512M --max-insns 1 --report "$to" "$@" "$image"
}
sites_of "$cache/linux-6.1/vmlinux" "$work/vmlinux"
sites_of "$cache/linux-6.1/Image" "$work/Image" --symbols "$cache/linux-6.1/vmlinux"
sites_of "$cache/linux-6.1/Image" "$work/Image-alone"
same_sites() {
    python3 -c '
import json, sys
elf, image = (json.load(open(path)) for path in sys.argv[1:])
assert elf["layout"] == image["layout"] != "none" and len(elf["sites"]) > 1000, (elf["layout"], image["layout"])
assert [s["address"] for s in elf["sites"]] == [s["address"] for s in image["sites"]]
# Functions that another of the same name replaced have no symbol in the ELF.
assert all(e["function"] in ("", i["function"]) for e, i in zip(elf["sites"], image["sites"]))
' "$@"
}
claim 'the Image with --symbols has the sites and the layout of vmlinux' has_status 75 and same_sites "$work/vmlinux" "$work/Image"
claim '... and so has the Image alone, by its kallsyms' same_sites "$work/vmlinux" "$work/Image-alone"
for stock in debian-13 debian-sid; do
    [ -e "$cache/$stock/Image" ] || continue
    sites_of "$cache/$stock/Image" "$work/$stock"
    claim "the sites of $stock are known from its Image" has_status 75 and test "$(grep -c '"kind":"function"' "$work/$stock")" -gt 30000
done

# Linux has recorded exactly the calls that the machine has recorded.
cat >"$work/lines" <<'E2'
cd /sys/kernel/tracing; echo 'vfs_*' 'ksys_*' 'do_sys_*' > set_ftrace_filter
echo function > current_tracer; ls / > /tmp/x; (sleep 1; ps) > /tmp/y; echo 0 > tracing_on
grep -e '<-' trace
echo nop > current_tracer
E2
linux "$cache/linux-6.1/vmlinux" --trace "$work/calls" --trace-calls on
claim 'a traced boot of vmlinux powers off' has_status 0
claim "... what it recorded is a stretch of the machine's own record of calls" \
    python3 "$(dirname "$0")/recorded.py" "$work/calls" "$out" "$cache/linux-6.1/vmlinux"

# Two runs are the same to the last instruction and cycle, with input and two harts.
# Input before the driver opens the port is lost, because it empties the FIFO: 16 bytes.
{ yes '' | head -n 50; printf 'seq 1 1000 | md5sum\npoweroff -f\n'; } >"$work/typed"
for turn in 1 2; do
    try timeout 300 "$rvftrace" run --quiet --memory 512M --append console=ttyS0 --harts 2 --report "$work/report$turn" \
        --input "$work/typed" --initrd "$cache/initramfs.cpio" "$debian" >"$work/console$turn" 2>"$err"
    claim "boot $turn of Debian's kernel with a script of input powers off" has_status 0
done
claim 'both boots say the same' cmp "$work/console1" "$work/console2"
claim '... and report the same instructions and cycles' cmp "$work/report1" "$work/report2"
echo "# $(python3 -c '
import json, sys
print("; ".join("hart %d: %d instructions, %d cycles" % (h["id"], h["instructions"], h["cycles"]) for h in json.load(open(sys.argv[1]))["harts"]))' "$work/report1" 2>&1)"

# Input that is typed when the shell is ready, by the serial port or by the firmware.
printf 'seq 1 1000 | md5sum\nsleep 1\n' >"$work/lines"
for port in ttyS0 hvc0; do
    set -- --memory 512M --append console=$port --harts 2 --initrd "$cache/initramfs.cpio"
    linux "$small" "$@" --record "$work/tape" --report "$work/report1"
    claim "Linux with somebody at $port is recorded" has_status 0
    try timeout 300 "$rvftrace" run --quiet "$@" --replay "$work/tape" --report "$work/report2" "$small" \
        </dev/null >"$out" 2>"$err"
    claim '... and replayed' has_status 0
    # The members that name the recording and the options, some of which `linux' gives twice.
    sed -i 's/"replay":[^,}]*/"replay":null/; s/"command":[^]]*]/"command":null/' "$work/report1" "$work/report2"
    claim '... to the last instruction and cycle' cmp "$work/report1" "$work/report2"
done
finish
