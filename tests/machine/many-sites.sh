#!/bin/sh
# many-sites.sh - what a run keeps of a kernel's sites, jump labels and symbols grows with their number, and by little for each.
. "$(dirname "$0")/common.inc"

make_guest() { python3 "$(dirname "$0")/many_sites.py" "$work/$1.elf" "$1" --calls 100; }

# peak COUNT OPTIONS...: the largest resident size of a run of the guest, in KiB; its output to nowhere.
peak() {
    count=$1
    shift
    python3 - "$rvftrace" run -q --memory 64M "$@" "$work/$count.elf" <<'PY'
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if status == 0 else f"status-{status}")
PY
}

# Twice as much is permitted where tables that are read, and not written, count, too.
# The image has 71 bytes for a site with its label and symbol, and 40 of them are in the guest's memory.
make_guest 20000
make_guest 40000
more=1
zeroes_are_shared || more=2
for run in --quiet "--report $work/report.json" "--log $work/log"; do
    # shellcheck disable=SC2086 # several options
    small=$(peak 20000 $run) large=$(peak 40000 $run)
    echo "# $run: $small and $large KiB"
    each=$(((large - small) * 1024 / 20000))
    # The log is compressed beside the run, with buffers of more or less.
    case $run in
    --log*) most=$((450 * more)) ;;
    *) most=$((300 * more)) ;;
    esac
    claim "a site, its label and its symbol take less than $most bytes in a run with ${run%% *}" test "$each" -lt $most
done
claim 'the report has all sites and labels' python3 -c "
import json
r = json.load(open('$work/report.json'))
assert len(r['sites']) == 40001 and len(r['jump_labels']) == 40000, (len(r['sites']), len(r['jump_labels']))
assert [s['function'] for s in r['sites'] if s.get('init', {}).get('entries')] == [f'f{n:x}' for n in range(100)]
assert [l['function'] for l in r['jump_labels'] if l['nop']['entries']] == [f'f{n:x}' for n in range(100)]
assert {l['key'] for l in r['jump_labels']} == {'key'}"
"$rvftrace" log "$work/log" >"$out"
claim_line 'the log has the calls of all that ran' '^  call +100$' "$out"
finish
