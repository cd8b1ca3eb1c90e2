#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# races.sh - mistakes in the order of data (tests/broken, with `data: yes') are found by `rvftrace explore', which is told
# nothing of where to look, and each by a schedule that `run' and `debug' repeat. The kernel without the mistake has none.
#
# `make test' has two of them, SUITE=all all, and prints how many interleavings each needs.
. "$(dirname "$0")/common.inc"

said() { sed -n "s/^$1: //p;/^---/q" "$patch"; }

# on COMMAND KERNEL OPTION...: what the head of the patch says. --max-insns ends runs that wait.
on() {
    command=$1 kernel=$2
    shift 2
    LIMIT=900 run "$command" --harts "$harts" --max-insns "$insns" --append "script=\"$script\"" "$@" \
        "$BUILD/guest-kernel/$kernel/kernel.elf"
}

# What the JSON says, as an expression in Python, where `mine' has the discoveries with the rule.
json() {
    python3 -c "import json, sys
r = json.load(open(sys.argv[1]))
mine = [f for f in r['found'] if f['rule'] == sys.argv[2]]
print($1)" "$work/json" "$rule"
}
is_found() { [ "$(json 'bool(mine)')" = True ]; }
nothing_found() { [ "$(json "bool(r['explored']) and not r['found'] and not r['seed']")" = True ]; }

repeated() { # SCHEDULE
    on run "$kernel" --quiet --schedule "$1" && has_line "^error: $rule: " "$err"
}
repeated_in_debugger() {
    printf 'continue\nfindings 1\nfindings 2\nfindings 3\n' >"$work/commands" # notes are findings, too
    on debug "$kernel" --schedule "$1" --commands "$work/commands" && has_line "^error: $rule: " "$out"
}

# Both runs came to the same cycle of each hart.
same_harts() {
    python3 -c "import json, sys
a, b = ([(h['cycles'], h['instructions']) for h in json.load(open(f))['harts']] for f in sys.argv[1:])
sys.exit(not a or a != b)" "$work/followed" "$work/not-followed"
}

explore_kernel() { # LAYOUT [OPTION...]
    layout=$1
    shift
    on explore "$layout-$name" --schedules "$work/found" --report "$work/json" "$@"
    claim "explore finds $layout-$name" is_found
    schedule=$(json "mine[0]['schedule']")
    claim '... and run --schedule repeats it' repeated "$schedule"
    claim '... and debug --schedule' repeated_in_debugger "$schedule"
}

for patch in tests/broken/*.patch; do
    [ "$(said data)" = yes ] || continue
    name=$(basename "$patch" .patch) rule=$(said rule) harts=$(said harts) insns=$(said insns) script=$(said script)
    if [ "${SUITE:-}" = all ]; then
        for layout in $(said layouts); do
            explore_kernel "$layout" --interleavings 24
            echo "# $layout-$name: $(json "'update %d, interleaving %d' % (mine[0]['update'], mine[0]['first'])"), $(json \
                "', '.join('%s at %d' % (f['rule'], f['first']) for f in r['found'] if f not in mine) or 'nothing else'")"
            on explore "$layout" --schedules "$work/none" --report "$work/json" --interleavings 24
            claim "... and nothing is found in $layout without the mistake" nothing_found
        done
        continue
    fi
    case $name in
    event-file-added-plainly)
        explore_kernel mcount --interleavings 1
        on run "$kernel" --quiet --schedule "$schedule" --report "$work/followed"
        sed '/^data/d' "$schedule" >"$work/plain"
        on run "$kernel" --quiet --schedule "$work/plain" --report "$work/not-followed"
        claim 'to follow data changes nothing of the run' same_harts
        claim 'what is done with a lock of ftrace held is an update, too' [ "$(json "sum(u['sites'] == 0 for u in r['explored'])")" = 1 ]
        ;;
    start-not-ordered)
        insns=1700000 harts=2
        explore_kernel mcount --interleavings 1
        claim_line '... with the member, and the lines between which the fence is missing' \
            '^  missing .*fence rw,rw .*smpboot.c:[0-9]+ and .*sbi.c:[0-9]+$' "$out"
        # A store that is seen late changes nothing that the run of a kernel with its fences shows.
        { sed '/^data/d; /^stall/d; /^tick/d; /^hold/d' "$schedule"; echo 'hold hart 0 from 1500000 until 1600000'; } >"$work/held"
        on run mcount-start-not-ordered --quiet --schedule "$work/held"
        claim 'a step that holds a store back is accepted' test "$status" -ne 65
        ;;
    esac
done
finish
