#!/bin/sh
# legal.sh - the auditor is silent on programs that change code as the ISA allows, and finds
# the one fence, or store, that each of them lacks in its other version (tests/machine/legal/).
#
# In each fetch mode, on 1 to 4 harts; SEEDS seeds (4) of random fetches, which are the
# scheduler's as well.
. "$(dirname "$0")/common.inc"

legal=$programs/legal
python3 - "$work/disk" <<'PY'
import struct, sys
with open(sys.argv[1], "wb") as disk:  # sector n - 1: li a0,n; ret
    for n in range(1, 5):
        disk.write(struct.pack("<II", 0x513 | n << 20, 0x8067).ljust(512, b"\0"))
PY

# run_legal NAME HARTS SEED FETCH
run_legal() {
    run run --quiet --harts "$2" --seed "$3" --fetch "$4" --max-insns 100M \
        --drive "$work/disk,readonly" --report "$work/report.json" "$legal/$1.elf"
}
is_silent() { has_status 0 && says_nothing; }

# The rules of the findings, also of notes.
found() {
    python3 -c 'import json, sys
print(*sorted({rule for f in json.load(open(sys.argv[1]))["findings"] for rule in f["by_rule"]}))' \
        "$work/report.json"
}
only_found() { test "$(found)" = "$1"; }

silent=0
for name in backwards beside dma exec fresh label module remote selfmod swap; do
    for harts in 1 2 3 4; do
        for mode in stale coherent $(seq -f 'random:%g' "${SEEDS:-4}"); do
            seed=${mode#random:}
            run_legal $name $harts "${seed%%[a-z]*}1" "$mode"
            claim "$name is silent on $harts harts, $mode" is_silent
            silent=$((silent + 1))
        done
    done
done
echo "# $silent runs of legal programs"

# misses NAME RULE HARTS...: the version without its fence breaks that rule and no other.
misses() {
    name=$1 rule=$2
    shift 2
    for harts; do
        for mode in stale coherent random:1; do
            run_legal "$name-miss" "$harts" 1 $mode
            claim "$name without a fence is found on $harts harts, $mode" rules_are "$rule"
            claim "... and nothing else" line_count 1 '^(error|warning):' "$err"
        done
    done
}
misses backwards broken-instruction 1 2 4
misses beside missing-local-fence 1 4
misses dma stale-fetch 1 2 4
misses exec missing-local-fence 1 3 4
misses fresh missing-local-fence 1 4
misses module missing-local-fence 1 4
misses selfmod missing-local-fence 1 4
misses remote missing-remote-fence 2 4
misses label missing-remote-fence 2 3 4
misses swap missing-remote-fence 2 4

run_legal swap 4 1 stale
claim 'to run an instruction while it is swapped is a note' only_found patch-window
run_legal remote 4 1 stale
claim 'to wait while functions are changed is not even that' only_found ''
finish
