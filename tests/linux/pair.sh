#!/bin/sh
# shellcheck disable=SC2016,SC2317 # Python expands its own words; claim calls by name
# pair.sh - tools/bench on Linux with the workloads of workloads.sh: Debian's kernel against itself, and Linux 6.12 with and
# without ftrace, in two orders. The kernels are built once (LINUX_CACHE), results are kept: what is interrupted goes on.
. "$(dirname "$0")/../machine/common.inc"
. "$(dirname "$0")/linux.inc"

sh "$(dirname "$0")/workloads.sh" >&2 || fail=$?
if [ "${fail:-0}" = 69 ]; then
    skip pair.sh 'the packages of the workloads cannot be fetched'
    finish
fi
bench() { try tools/bench --emulator "$rvftrace" --cache "$cache/bench-cache" --json "$work/j" "$@" >"$out" 2>"$err"; }
json() { python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
rows = [x for x in j["rows"] if x.get("comparison", "ftrace") == "ftrace"]
r = {x["region"]: x for x in rows}
sys.exit(not eval(sys.argv[2]))' "$work/j" "$1"; }

bench --core unit --pair "$debian" "$debian" --initrd "$cache/workloads.cpio" --append 'console=ttyS0 quiet'
claim "Debian's kernel runs all workloads, in regions" has_status 0
claim '... all of them' json 'set(r) == set("getpid file pipe fork exec fault yield shell text find hackbench perl sqlite".split())'
claim '... which call the functions of the kernel' json 'all(x["entries"] > 500 for x in rows)'
claim '... most in what is nearly all kernel' json 'min(r[n]["entries_per_1000_instructions"] for n in ("pipe", "yield", "hackbench")) > 2 * r["perl"]["entries_per_1000_instructions"]'
claim 'a kernel costs no cycle more than itself' json 'all(x["overhead_percent"] == x["kernel_percent"] == 0 for x in rows)'

bench --linux 6.12 --placements 2 --core c906
if has_status 69; then
    skip '--linux' 'the source of Linux cannot be fetched'
    finish
fi
claim 'kernels with and without ftrace are built, and run the same workloads' has_status 0
claim '... all of them' json 'len(r) == 13 and all(x["pairs"] == 2 for x in rows)'
claim '... in two orders, which differ' json 'all(len(set(x["overhead_percent_by_pair"])) == 2 for x in rows)'
claim 'disabled ftrace costs more than nothing where most cycles are those of the kernel' json \
    'all(min(r[n]["overhead_percent_by_pair"]) > 1 for n in ("pipe", "yield", "exec", "file"))'
claim '... of which the two nops of each entry are a part' json \
    'all(0.08 * x["entries_per_1000_instructions"] < x["sites_issue_percent"] < 3 for x in rows)'
claim '... and more instructions than these' json 'sum(x["instructions_percent"] - x["sites_issue_percent"] for x in rows) > 0'
claim '... whose parts add up' json \
    'all(abs(sum(x[p + "_percent"] for p in ("issue", "fetch", "data", "branch")) - x["overhead_percent"]) < 1e-9 for x in rows)'
finish
