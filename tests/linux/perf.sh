#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# perf.sh - Debian's perf on Debian's kernel: what it counts is what the machine has done, as the report says.
#
# Two boots differ in the length of a loop only: perf's counts of all harts must differ by as much as the reports'.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

mkdir -p "$work/root/bin"
install -m 755 "$(dirname "$0")/perf-init" "$work/root/init"
install -m 755 "$BUILD/guest-kernel/user/bin/perfcheck" "$BUILD/guest-kernel/user/bin/hello" "$work/root/bin"
(cd "$work/root" && find . | cpio --quiet -o -H newc) >"$work/init.cpio"
cat "$cache/initramfs.cpio" "$cache/perf.cpio" "$work/init.cpio" >"$work/initrd"

boot() { # NAME HARTS HOW ROUNDS [OPTIONS...]
    name=$1 boot_harts=$2 boot_how=$3 rounds=$4
    shift 4
    LIMIT=600 run run --quiet --memory 1G --append "console=ttyS0 quiet how=$boot_how rounds=$rounds events=${events:-}" \
        --initrd "$work/initrd" --harts "$boot_harts" "$@" --report "$work/$name.json" "$debian"
    tr -d '\r' <"$out" >"$work/$name.out"
}

cat >"$work/compare.py" <<'E2'
import json, re, sys

def counts(name):
    found = {}
    for line in open(f"{sys.argv[1]}/{name}.out"):
        words = line.split()
        if len(words) > 2 and words[0].isdigit() and re.fullmatch(r"r[0-9a-f]+|\w+:u|[\w-]+-misses", words[1]):
            found[words[1]] = int(words[0])
        if line.startswith("samples: "):
            found["samples"] = int(words[1])
    harts = json.load(open(f"{sys.argv[1]}/{name}.json"))["harts"]
    for part in harts[0].get("parts", {}):
        found[part] = sum(h["parts"][part] for h in harts)
    found["all instructions"] = sum(h["instructions"] for h in harts)
    found["all cycles"] = sum(h["cycles"] - h["idle_cycles"] for h in harts)
    return found

a, b = counts(sys.argv[2]), counts(sys.argv[3])
more = {key: b[key] - a[key] for key in b}
print({key: (a[key], b[key], more[key]) for key in b})

def close(x, y, most):
    assert y and abs(x / y - 1) < most, (x, y)

if "r19" in b:
    # With a core model. What a boot does before perf starts differs by some misses of the caches, too.
    close(more["r2"], more["all instructions"], 0.02)
    close(more["r19"], more["fetch"] + more["branch"], 0.05)
    close(more["r1a"], more["data"], 0.05)
    close(more["r10"], more["branch-misses"], 0.01)
    close(more["r17"], more["dTLB-load-misses"], 0.01)
    assert more["branch"] > more["r10"] > 0
elif "r2" in b:
    close(more["r2"], more["all instructions"], 0.02)
    if len(sys.argv) > 4: # there is no hart that waits, whose cycles perf counts and the report does not
        close(more["r1"], more["all cycles"], 0.02)
    assert more["r2"] > more["r3"] > more["r4"] > 0 and more["r2"] > more["r8"] > 0
else:
    # Each round of the loop is the same instructions, and nothing of the kernel is counted. Where Linux puts a program
    # differs from boot to boot, and with it a few hundred instructions.
    close(more["instructions:u"], 20000 * 3930, 0.0001)
    close(more["branches:u"], 20000 * 734, 0.0001)
    close(20000 * b["samples"], b["instructions:u"], 0.002)
    close(20000 * more["samples"], more["instructions:u"], 0.002)
E2
compare() {
    claim "$1" has_status 0 and python3 "$work/compare.py" "$work" short long ${2:-}
    sed -n '1s/^/# /p' "$work/why"
}

for harts in 1 2; do
    boot short $harts count 20000
    claim "Debian's perf counts on $harts harts, and powers off" has_status 0
    boot long $harts count 120000
    if [ "$harts" = 1 ]; then
        compare '... the instructions and cycles of the report' cycles
    else
        compare '... the instructions of the report'
    fi
done
events=r2,r19,r1a,r10,branch-misses,r17,dTLB-load-misses
boot short 1 count 20000 --timing c906
boot long 1 count 420000 --timing c906
events=
compare "with a core model: the stalls of the report, and perf's own names mean the same counters"
boot short 2 sample 20000
boot long 2 sample 40000
claim 'it samples' has_status 0
compare '... once in each period, and counts each round of a loop alike'
boot again 2 sample 40000
claim '... the same each time' cmp "$work/long.out" "$work/again.out"

# What is expected of the guest kernel's perf_event_open(2) is what Debian's kernel does. But 6.12 has a larger struct
# perf_event_attr and copies of stacks, and its probes cannot be where ftrace's sites are.
boot check 4 check 0
claims=$(sed '/^static void test_counters/,/^}/d' guest/user/perfcheck.c | grep -c '^ *check("') # it reads cycle itself
cat >"$work/expected" <<'E2'
not ok - a size that is too small is E2BIG, and answered by the right one
not ok - a kprobe counts calls
not ok - a kprobe at an address counts them, too
not ok - and a kretprobe returns
not ok - those of children, too
not ok - each is a probe of its own
E2
claim "all of perfcheck is run on Debian's kernel" test "$(grep -Ec '^(not )?ok - ' "$work/check.out")" -eq "$claims"
grep '^not ok' "$work/check.out" >"$work/fails"
claim "... and each claim holds, but those of what is another in 6.12" \
    diff "$work/expected" "$work/fails"

# The same perf, with its libraries, in the guest kernel. Its tests have other numbers in each version. Some want what is not
# there: a vmlinux, Python, objdump, threads, breakpoints, more limits, random numbers, /proc/self/exe; and some another
# machine or build.
without='vmlinux|mmap interface|PERF_RECORD|DSO data|Setup struct|python|Breakpoint|Watchpoint|Object code|mmap thread|SDT|jit_write_elf|libpfm4|dlfilter|Sigtrap|Symbols'
on_guest() { # NAME HARTS HOW [NAME=VALUE...]
    name=$1 guest_harts=$2 how=$3
    shift 3
    LIMIT=300 run run --quiet --audit=fail --memory 1G --initrd "$work/initrd" --harts "$guest_harts" \
        --report "$work/$name.json" --append "rdinit=/init how=$how $*" "$BUILD/guest-kernel/pfe8/kernel.elf"
    tr -d '\r' <"$out" >"$work/$name.out"
}
on_guest short 2 sample rounds=20000
on_guest long 2 sample rounds=40000
claim "Debian's perf runs in the guest kernel, too" has_status 0
compare '... samples once in each period, and counts the same instructions in each round'
on_guest tools 2 tools "without=\"$without\""
claim_line '... perf report names functions of the kernel' '%  \[k\] (d_lookup|strlen)' "$work/tools.out"
claim_line '... perf trace shows system calls' '^trace: busybox/[0-9]+ mprotect\(start: 0x[0-9a-f]+, len: [0-9]+, prot: READ\) += 0' "$work/tools.out"
claim_line '... perf probe makes a probe, which perf stat counts' '^100  probe:__riscv_sys_getppid' "$work/tools.out"
claim_line '... perf sched measures a task' '^ *sleep:[0-9]+ .* ms' "$work/tools.out"
passes() { test "$(grep -Ec '^ *[0-9.]+: .*: (Ok|Skip)' "$work/tools.out")" -ge 60 && no_line 'FAILED|no result' "$work/tools.out"; }
claim '... and its own tests pass, sixty or more' passes
finish
