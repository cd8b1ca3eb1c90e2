#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# broken.sh - a kernel of tests/broken has one mistake, which is found under the name of its rule.
# The kernel without the mistake, in the same run, breaks no rule.
#
# The head of a patch says what is expected:
#   rule:     the rule that the first finding must have
#   layouts:  the layouts that are built with the mistake; this tests the first, `make check-mutants' all
#   harts:    how many
#   script:   what the guest does, where SEED is the number of the seed; if it is missing, the script below
#   seeds:    with how many seeds it is tried, because it needs luck; if it is missing, with one
#   insns:    after how many instructions it is stopped; if it is missing, after 300M
#   translate: the mode of --translate; if it is missing, the default
#   modules:  yes: /lib/modules has the kernel's modules
#   programs: yes: /bin has the programs of guest/user
#   data:     yes: the run follows data (--follow-data)
#   follow:   yes: the kernel goes wrong because of the mistake, so other findings follow
#   before:   a rule that the same mistake may break before
#   says:     a line of the report, as a pattern
#   suite:    all: it takes long, so `make test' leaves it out
#   by:       explore: no run shows it but one that `rvftrace explore' finds (explore.sh, table.py)
#
# `make test' has the first mistake of each rule, SUITE=all all of them.
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
everything="echo function > $T/current_tracer; work threads 1; echo function_graph > $T/current_tracer;
work tree 1; echo nop > $T/current_tracer; work calls 1"

# said KEY PATCH: what the patch's head says.
said() { sed -n "s/^$1: //p;/^---/q" "$2"; }

# Modules are those of the sound kernel.
# trace KERNEL HARTS SEED INSNS SCRIPT: a kernel with a mistake may not come to an end.
trace() {
    modules=
    [ "$modular" != yes ] || modules="--initrd $BUILD/guest-kernel/${1%%-*}/modules.cpio"
    [ "$programs" != yes ] || modules="--initrd $BUILD/guest-kernel/initrd.cpio"
    [ "$data" != yes ] || modules="$modules --follow-data"
    # A guest may end with the status of a program that has crashed. The report is written when the run is over.
    rm -f "$work/report"
    cp "$work/crashes" "$work/crashed" 2>/dev/null || : >"$work/crashed"
    # shellcheck disable=SC2086 # an option and its value
    LIMIT=120 run run --quiet $modules ${translate:+--translate $translate} --harts "$2" --seed "$3" --max-insns "${4:-300M}" --report "$work/report" \
        --append "script=\"$(echo "$5" | tr '\n' ' ' | sed "s/SEED/$3/g")\"" "$BUILD/guest-kernel/$1/kernel.elf"
    [ ! -s "$work/report" ] || cp "$work/crashed" "$work/crashes"
}

# The rules of all findings that are not notes and follow from no other one but $before, in order of first occurrence.
found() {
    python3 -c "import json, sys
findings = json.load(open(sys.argv[1]))['findings']
print(*dict.fromkeys(f['rule'] for f in findings if f['severity'] != 'note' and f['rule'] != sys.argv[2]
        and ('caused_by' not in f or findings[f['caused_by'] - 1]['rule'] == sys.argv[2] and f['rule'] != 'guest-noticed')))" "$work/report" "$before"
}
first_is() { [ "$(found | cut -d ' ' -f 1)" = "$1" ]; }
only_is() { [ "$(found)" = "$1" ]; }
none_is() { [ -z "$(found)" ]; }

# The patches that are tried: one awk reads them all, where a shell would start a thousand programs.
chosen() {
    awk -v all="${SUITE:-}" '
        FNR == 1 { rule = ""; left_out = 0; head = 1 }
        head && /^rule: / { rule = $2 }
        head && (/^by: explore/ || (/^suite: / && all != "all")) { left_out = 1 }
        head && /^---/ { head = 0; if (!left_out && (all == "all" || !seen[rule]++)) print FILENAME }' tests/broken/*.patch
}

for patch in $(chosen); do
    name=$(basename "$patch" .patch)
    rule=$(said rule "$patch")
    harts=$(said harts "$patch")
    insns=$(said insns "$patch")
    script=$(said script "$patch")
    before=$(said before "$patch")
    translate=$(said translate "$patch")
    modular=$(said modules "$patch")
    programs=$(said programs "$patch")
    data=$(said data "$patch")
    for layout in $(said layouts "$patch" | cut -d ' ' -f 1); do
        seeds=$(said seeds "$patch")
        for seed in $(seq "${seeds:-1}"); do
            trace "$layout-$name" "$harts" "$seed" "$insns" "${script:-$everything}"
            none_is || break
        done
        if [ "$(said follow "$patch")" = yes ]; then
            claim "$layout, $name: the first finding is $rule" first_is "$rule"
        else
            claim "$layout, $name: all findings are $rule" only_is "$rule"
        fi
        says=$(said says "$patch")
        [ -z "$says" ] || claim "... and the report has $says" has_line "$says" "$err"
        # A run of everything by the sound kernel is repeated once for each layout and number of harts.
        sound=$layout-$harts-$data-$(echo "$script" | cksum | cut -d ' ' -f 1)
        [ -e "$work/$sound" ] && continue
        : >"$work/$sound"
        before=
        trace "$layout" "$harts" 1 "$insns" "${script:-$everything}"
        claim "... and $layout without a mistake breaks no rule" none_is
    done
done
finish
