#!/bin/sh
# timing.sh - a core model is part of the machine's state: the same cycles in every build, in pieces
# as in one run, and from a snapshot. `make test' has one that executes out of order, and one in order with everything that the others lack; SUITE=all has all of them.
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work threads 1; head -n 20 $T/trace;
echo nop > $T/current_tracer"
script=$(echo "$script" | tr '\n' ' ')

# boot NAME OPTIONS...: leaves NAME.out, with the status, and NAME.json.
boot() {
    to=$1
    shift
    run run --report "$work/$to.json" "$@"
    { cat "$out"; echo "status $status"; } >"$work/$to.out"
}
same() { cmp "$work/$1.out" "$work/$2.out" && cmp "$work/$1.json" "$work/$2.json"; }
counts() {
    python3 -c "import json; print([[h[k] for k in ('instructions', 'cycles', 'idle_cycles', 'parts')]
        for h in json.load(open('$work/$1.json'))['harts']])"
}
same_counts() { [ "$(counts "$1")" = "$(counts "$2")" ] && [ -n "$(counts "$1")" ]; }

# with BUILD NAME OPTIONS...: boot in another build.
with() {
    rvftrace=$BUILD/$1/rvftrace
    shift
    LIMIT=300 boot "$@"
    rvftrace=$BUILD/rvftrace
}

# A core with everything that the others lack: two issue slots, a second level, lru and plru.
cat >"$work/odd.core" <<'CORE'
issue.width = 2
fetch.bytes = 8
latency.load = 3
branch.predictor = backward
btb.entries = 8
btb.ways = 2
btb.holds = all
return-stack.depth = 3
icache.size = 2K
icache.ways = 2
icache.replacement = lru
dcache.size = 2K
dcache.ways = 4
dcache.replacement = plru
dcache.take-over = 9
l2.size = 16K
l2.ways = 4
l2.replacement = lru
l2.latency = 7
dtlb.entries = 4
itlb.entries = 4
tlb2.entries = 16
tlb2.ways = 4
CORE

[ "${SUITE:-}" = all ] && cores="c906 c910 cva6 rocket u74 $work/odd.core" || cores="c910 $work/odd.core"
for core in $cores; do
    name=$(basename "$core")
    does=$script
    [ "${SUITE:-}$core" != c910 ] || does='work calls 1'
    case $core in
        */*) file=$core ;;
        *) file=cores/$core.core ;;
    esac
    case $core in
        c906) several='1 4' ;;
        *) several=2 ;;
    esac
    for harts in $several; do
        boot whole --timing "$core" --harts $harts --append "script=\"$does\"" "$mcount"
        claim "$name, $harts harts: the guest comes to its end" has_status 0
        with drop dropped --timing "$core" --harts $harts --append "script=\"$does\"" "$mcount"
        claim '... with the same cycles where caches are dropped at random' same whole dropped
    done
    case ${SUITE:-}$name in
        all* | odd.core)
            # That build takes ten times as long, so it gets less to do.
            boot whole --timing "$core" --append 'script="work calls 1"' "$mcount"
            with stress small --timing "$core" --append 'script="work calls 1"' "$mcount"
            claim "$name: the same cycles with short blocks and small caches" same_counts whole small
            ;;
    esac

    boot whole --timing "$core" --harts 2 --append "script=\"$does\"" "$mcount"
    printf 'stepi 1000\nstepi 1\nstepi 777\nstepi 12345\nstepi 7\nstepi 65537\ncontinue\n' >"$work/commands"
    run debug --timing "$core" --harts 2 --append "script=\"$does\"" --console "$work/pieces.out" \
        --report "$work/pieces.json" --commands "$work/commands" "$mcount"
    claim "$name: the same cycles in the steps of a debugger" has_status 0 and same_counts whole pieces

    claim "$name: the same run from a snapshot" "$BUILD/tests/machine/snapshot_check" \
        -c "$file" -h 3 -n 4 -a "script=\"$does\"" "$mcount"
done

# The cycles of sites: split into parts that add up, each of some length in a kernel that is traced.
sites() {
    python3 - "$work/whole.json" <<'PYTHON'
import json, sys
r = json.load(open(sys.argv[1]))
states = [s[state] for s in r["sites"] for state in ("init", "off", "on")]
assert all(s["cycles"] == sum(s["parts"].values()) for s in states), "parts do not add up"
assert sum(s["entries"] for s in states) > 1000, "no entries"
total = {part: sum(s["parts"][part] for s in states) for part in ("issue", "fetch", "branch")}
assert all(total.values()), total
assert total["issue"] >= 2 * sum(s["entries"] for s in states), total
assert all(sum(h["parts"].values()) == h["cycles"] - h["idle_cycles"] for h in r["harts"]), r["harts"]
assert all(sum(h["parts"][p] for h in r["harts"]) >= total[p] for p in total), total
assert sum(s["cycles"] for s in states) < sum(h["cycles"] for h in r["harts"])

# All cycles of the harts are those of the functions' sites, of the trampolines, of jump labels, or
# the rest.
t = r["totals"]
for part in ("issue", "fetch", "data", "branch"):
    own = [t[s]["parts"][part] for s in ("init", "off", "on")] + [
        t[s]["parts"][part] for s in ("trampolines", "jump_labels")]
    assert t["rest"]["parts"][part] > 0
    assert sum(own) + t["rest"]["parts"][part] == sum(h["parts"][part] for h in r["harts"]), part
    assert t["trampolines"]["parts"][part] == sum(p["parts"][part] for p in r["trampolines"]), part
assert sum(t[s]["cycles"] for s in ("init", "off", "on", "trampolines", "jump_labels", "rest")) == t["busy_cycles"]
caller = [p for p in r["trampolines"] if p["name"] == "ftrace_caller"][0]
assert caller["entries"] == t["on"]["entries"] > 0 and all(caller["parts"].values()), caller
assert caller["cycles"] == sum(caller["parts"].values()) >= 20 * caller["entries"]
back = [p for p in r["trampolines"] if p["name"] == "return_to_handler"][0]
assert bool(back["entries"]) == ("function_graph" in r["run"]["bootargs"]), back

# Jump labels are nops, or with slub_debug jumps; the first one of a function is passed as often as
# its site.
state, other = ("jump", "nop") if "slub_debug" in r["run"]["bootargs"] else ("nop", "jump")
labels = [l for l in r["jump_labels"] if l["key"] == "slub_debug_enabled"]
passed = {s["function"]: sum(s[x]["entries"] for x in ("init", "off", "on")) for s in r["sites"]}
assert len(labels) >= 4 and not sum(l[other]["entries"] for l in labels), labels
assert all(l[state]["cycles"] == sum(l[state]["parts"].values()) >= l[state]["entries"] for l in labels)
assert sum(l[state]["entries"] for l in labels) > 100
assert all(t["jump_labels"][s]["entries"] == sum(l[s]["entries"] for l in r["jump_labels"]) for s in (state, other))
for function in ("slab_alloc", "slab_free"):
    counts = [l[state]["entries"] for l in labels if l["function"] == function]
    assert passed[function] in counts and passed[function] > 10, (function, passed[function], counts)
assert all(l["file"].endswith("mm/slab.c") for l in labels if l[state]["entries"]), labels

# Each instruction of a site takes a cycle to issue here, and the jalr after its auipc one more: all
# are counted, also the `ld ra` of pfe16, which is after the call.
insns = {"mcount": 3, "pfe16": 4, "callops": 2}[r["layout"]]
each = t["on"]["parts"]["issue"] / t["on"]["entries"]
assert t["on"]["entries"] == t["on"]["resumed"] and insns + 1 <= each < insns + 1.2, (each, t["on"])
assert t["off"]["parts"]["issue"] == insns * t["off"]["entries"] > 0, t["off"]
PYTHON
}
for layout in mcount pfe16 callops; do
    [ $layout != pfe16 ] || script=$(echo "$script" | sed 's/function/function_graph/')
    [ $layout != callops ] || more="slub_debug "
    boot whole --timing cva6 --append "${more-}script=\"$script\"" "$BUILD/guest-kernel/$layout/kernel.elf"
    claim "$layout: what the sites cost is split into parts" sites
done

for program in sv39 lrsc wrs ipi timer selfpatch crosspatch; do
    for core in cva6 "$work/odd.core"; do
        boot whole --timing "$core" --harts 2 "$programs/$program.elf"
        with drop dropped --timing "$core" --harts 2 "$programs/$program.elf"
        claim "$program, $(basename "$core"): the same cycles without caches" same whole dropped
    done
done
finish
