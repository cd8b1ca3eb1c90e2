#!/bin/sh
# fences.sh - the auditor finds missing fences, and nothing else.
#
# The guest kernel with all its fences: no finding on 1, 2 and 4 harts, for
# SEEDS seeds (20), with fetch modes and layouts in turn. Without its
# local or its remote fence, in a layout that stops all harts to patch and in
# one that does not: that finding and no other.
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work threads 1;
echo function_graph > $T/current_tracer; work tree 1; echo nop > $T/current_tracer;
work calls 1; echo the end"
script=$(echo "$script" | tr '\n' ' ')

fetch_mode() {
    case $(($1 % 3)) in
    0) echo stale ;;
    1) echo coherent ;;
    2) echo "random:$1" ;;
    esac
}

layout_of() {
    set -- $(($1 % 5)) mcount pfe16 pfe8 atomic callops
    shift $(($1 + 1))
    echo "$1"
}

# run_kernel LAYOUT HARTS SEED AUDIT OPTIONS...
run_kernel() {
    kernel=$BUILD/guest-kernel/$1/kernel.elf harts=$2 seed=$3 audit=$4
    shift 4
    run run --quiet --harts "$harts" --seed "$seed" --audit "$audit" --max-insns 300M \
        --append "script=\"$script\"" "$@" "$kernel"
}

# One run of the fenced kernel, for xargs: silent if there are no findings.
if [ "${1:-}" = --one ]; then
    run_kernel "$(layout_of "$3")" "$2" "$3" fail --fetch "$(fetch_mode "$3")"
    if [ -s "$work/crashes" ] || ! has_status 0 || ! says_nothing || ! has_line '^the end' "$out"; then
        echo "$(layout_of "$3"), harts $2, seed $3, fetch $(fetch_mode "$3"): status $status"
        head -n 8 "$err"
    fi
    exit 0
fi

for harts in 1 2 4; do
    seq "${SEEDS:-20}" | xargs -P2 -I{} sh "$0" --one $harts {} >"$work/bad" 2>&1
    claim "the fenced kernel has no finding on $harts harts for ${SEEDS:-20} seeds" \
        test ! -s "$work/bad"
    head -n 20 "$work/bad" | sed 's/^/# /'
done

# A site that spans two pages (0x...ffc) can be half in each: a hart that goes on with what it
# has of one page fetches the other anew, and then runs a pair that nobody wrote.
torn_between_pages() {
    sed -n '/^error: torn-pair:/,/^  remedy/p' "$err" | grep '^  site ' >"$work/torn"
    no_line '' "$work/torn" || [ "$(grep -Ec '0x[0-9a-f]+ff[a-e]\>' "$work/torn")" -eq "$(wc -l <"$work/torn")" ]
}
# If harts are not stopped, the patching task may move to another hart between two
# sites, and then that hart's fence is missing, too.
local_rules_are() {
    other=torn-pair
    [ "$1" != atomic ] || other=missing-remote-fence
    rules | grep -qx missing-local-fence && ! rules | grep -Evx "missing-local-fence|$other" && torn_between_pages
}
remote_rules_are() {
    rules | grep -qx missing-remote-fence && ! rules | grep -Evx 'missing-remote-fence|torn-pair' && torn_between_pages
}

for layout in mcount atomic; do
    for harts in 1 2 4; do
        for seed in 3 4 5; do
            mode=$(fetch_mode $seed)
            run_kernel $layout-no-local-fence $harts $seed fail --fetch $mode
            claim "without its local fence the audit fails, $layout on $harts harts, fetch $mode" \
                has_status 80
            claim "... for that reason alone" local_rules_are $layout
        done
        for mode in stale coherent; do
            run_kernel $layout-no-local-fence $harts 1 warn --fetch $mode
            claim "... nor is there another one later, fetch $mode" local_rules_are $layout
        done
    done

    run_kernel $layout-no-remote-fence 1 1 fail
    claim "without its remote fence nothing is missing on one hart, $layout" \
        has_status 0 and test ! -s "$err"
    for harts in 2 4; do
        for seed in 3 4 5; do
            mode=$(fetch_mode $seed)
            run_kernel $layout-no-remote-fence $harts $seed fail --fetch $mode
            claim "without its remote fence the audit fails, $layout on $harts harts, fetch $mode" \
                has_status 80
            claim "... for that reason alone" rules_are missing-remote-fence
        done
        for mode in stale coherent; do
            run_kernel $layout-no-remote-fence $harts 1 warn --fetch $mode
            claim "... nor is there another one later, fetch $mode" remote_rules_are
        done
    done
done

# A kernel without symbols: no sites, and no function that announces the end of an update.
for layout in atomic callops atomic-no-remote-fence; do
    "${CROSS}strip" -o "$work/$layout.elf" "$BUILD/guest-kernel/$layout/kernel.elf"
done
run_stripped() {
    run run --quiet --harts 4 --seed 3 --report "$work/report.json" \
        --append "script=\"$script; sleep 1\"" "$work/$1.elf"
}
has_note() { grep -q '"rule":"patch-window","severity":"note"' "$work/report.json"; }
for layout in atomic callops; do
    run_stripped $layout
    claim "single stores are no errors in a kernel without symbols, $layout" says_nothing
    claim '... though harts run what they change, which is a note' has_note
done
run_stripped atomic-no-remote-fence
claim_line 'without symbols, too, a hart that goes on with the old instruction is found' \
    '^error: missing-remote-fence: ' "$err"

# The evidence, as text and as JSON.
evidence() {
    sed -n "/^error: $1:/,/^  remedy/p" "$err" >"$work/first"
    grep -Eq "$2" "$work/first" || { cat "$work/first" && false; }
}
in_json() {
    python3 - "$work/report.json" "$@" <<'PY'
import json, re, sys
path, rule = sys.argv[1:3]
report = json.load(open(path))
# Of a pair of which only the jalr changes that is a swap: a note, and an error when the update ends.
# One that spans two pages can be torn between them, too.
def torn_by_page(f):
    return f["rule"] == "torn-pair" and int(f["facts"][0]["address"], 16) % 4096 > 4096 - 8
findings = [f for f in report["findings"] if f["severity"] != "note" and not f.get("explained") and not torn_by_page(f)]
assert findings, "no findings"
for f in findings:
    assert f["rule"] == rule and f["severity"] == "error", f
    assert f["count"] == sum(f["by_rule"].values()) >= 1 and f["harts"] and f["examples"], f
    facts = {x["label"]: x for x in f["facts"]}
    assert re.fullmatch(r"[\w.]+", facts["site"]["function"]), f
    fetched, written = facts["fetched"], facts["written"]["writer"]
    assert re.fullmatch(r"0x[0-9a-f]+", fetched["pc"]), f
    assert re.search(r"\+?.* \([\w./-]+\.[chS]:\d+\)$", fetched["place"]), f
    old = facts["old"] if "old" in facts else facts["executed"]
    new = facts["executed"] if "old" in facts else facts["in memory"]
    assert old["bytes"] != new["bytes"], f
    for version in (old, new):
        assert re.fullmatch(r"[0-9a-f]{16}", version["bytes"]), f
        # Old bytes that the hart never fetched are collected from each parcel's last change.
        place = r"<[\w+]+>" if "old" in facts and version is old else r"<\w+>"
        assert re.search(r"^nop; nop$|^auipc ra,0x[0-9a-f]+; jalr -?\d+\(ra\) " + place + "$",
                         version["code"]), f
    assert written["kind"] == "hart" and "patch" in written["place"] and ".c:" in written["place"], f
    same = written["hart"] == fetched["hart"]
    assert same == (rule == "missing-local-fence"), f
    labels = [x["label"] for x in f["facts"]]
    assert labels.index("written") < labels.index("fetched"), f
    assert same or labels[-1] == "order", f
if "stopped" in sys.argv[3:]:
    assert report["run"]["ended"] == "audit" and len(findings) == 1, report["run"]
PY
}

run_kernel mcount-no-local-fence 1 1 fail --report "$work/report.json"
claim 'the local finding names the site and its address' \
    evidence missing-local-fence '^  site +[a-z_]+, 0xffffffff8[0-9a-f]+'
claim '... hart, function, file, line and cycle of the fetch' \
    evidence missing-local-fence \
    '^  fetched +by hart 0 at [a-z_]+\+0x[0-9a-f]+ \(.*[a-z]\.c:[0-9]+\), cycle [0-9]+'
claim '... what stood there before, disassembled, with the name of its target' \
    evidence missing-local-fence \
    '^  (executed|old) +auipc ra,0x[0-9a-f]+; jalr -?[0-9]+\(ra\) <_mcount>  \(([0-9a-f]{2} ?){8}\)'
claim '... what is in memory' \
    evidence missing-local-fence '^  (in memory|executed) +nop; nop  \(13 00 00 00 13 00 00 00\)'
claim '... who wrote it' \
    evidence missing-local-fence \
    '^  written +by hart 0 in [a-z_]+\+0x[0-9a-f]+ \(.*patch\.c:[0-9]+\) at cycle [0-9]+'
claim '... and the fence that is missing' \
    evidence missing-local-fence '^  missing +a fence\.i on hart 0 after that store'
claim 'the report has the same in JSON' in_json missing-local-fence stopped

run_kernel mcount-no-remote-fence 2 1 warn --report "$work/report.json"
claim 'the remote finding names another hart as the writer' \
    evidence missing-remote-fence '^  written +by hart 0 in '
claim '... and says that it fenced only for itself' \
    evidence missing-remote-fence '^  fenced +by hart 0 at .*, cycle [0-9]+'
claim '... that its evidence is in one order, which is not that of cycles' \
    evidence missing-remote-fence '^  order +by step, from top to bottom'
claim '... and what to do' evidence missing-remote-fence '^  remedy +after the last store, '
claim 'many sites that lack one fence are few findings' \
    test "$(grep -c '^error:' "$err")" -le 3 and has_line '^  times +[1-9][0-9]' "$err"
claim 'its report has all findings in JSON' in_json missing-remote-fence
# The guest may die of its mistake: a site in two pages can be torn.
run_kernel mcount-no-remote-fence 2 1 off
claim 'with --audit=off nobody complains' test "$status" -ne 80 -a ! -s "$err"
finish
