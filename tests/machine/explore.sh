#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# explore.sh - interleavings that no seed shows are found, and repeated by `run --schedule'.
#
# A kernel that does not wait until a hart has started (tests/broken/hart-not-awaited.patch) breaks no
# rule with the seeds that are run here. Explored, it does; and the kernel without the mistake does not.
. "$(dirname "$0")/common.inc"

broken=$BUILD/guest-kernel/mcount-hart-not-awaited/kernel.elf

# on COMMAND... IMAGE
on() {
    command=$1
    shift
    run "$command" --harts 2 --append 'ftrace=function script="work calls 1"' "$@"
}
explored() { LIMIT=240 on explore --schedules "$work/found" --report "$work/json" "$@"; }

# What the JSON says, as a condition in Python.
json() { python3 -c "import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not ($1))" "$work/json"; }
rule_found() { json "any(f['rule'] == '$1' for f in r['found'])"; }
nothing_found() { json "not r['found']"; }
# Each turn was tried, is equivalent to another one, or was left out.
adds_up() { json "all(u['turns'] == u['tried'] + u['equivalent'] + u['not_tried'] for u in r['explored'])"; }
tried_some() { json "sum(u['tried'] for u in r['explored']) == $1"; }
schedule_of() { python3 -c "import json, sys
print(next(f['schedule'] for f in json.load(open(sys.argv[1]))['found'] if f['rule'] == sys.argv[2]))" "$work/json" "$1"; }
same() { cmp "$work/json" "$work/first"; }

for seed in 1 2 3; do
    on run --seed $seed --quiet "$broken"
    claim "seed $seed does not show the mistake" says_nothing
done

explored --interleavings 8 --jobs 1 "$broken"
claim "explore finds it" rule_found missing-remote-fence
claim_line "... prints it with its evidence" '^error: missing-remote-fence: ' "$out"
claim_line "... says how often, and how to repeat it" 'rvftrace run --schedule' "$out"
claim_line "... says which hart was stopped, where, and until when" \
    '^  how .*hart 1 stopped (before|between) .* of [a-z_]+(| until .*), continued there after [0-9,]+ instructions$' "$out"
claim "... and ends with status 0" has_status 0
claim "its numbers add up" adds_up
# Names of columns, and words in place of numbers.
table() { sed -n '/^ *update  *cycle /{p;n;p;q}' "$1" | sed -E 's/^ +//; s/[0-9][0-9,^+]*/N/g; s/ +/ /g'; }
table docs/explore.md >"$work/said"
table "$out" >"$work/is"
claim "its table is that of docs/explore.md" test -s "$work/said" and cmp "$work/said" "$work/is"
schedule=$(schedule_of missing-remote-fence)
cp "$work/json" "$work/first"
explored --interleavings 8 --jobs 3 "$broken"
claim "the number of jobs does not change what is found" same
explored --interleavings 2 --audit fail "$broken"
claim "with --audit=fail the status is 80" has_status 80

on run --quiet --schedule "$schedule" "$broken"
# The kernel does not stop a hart that it does not know of, either: so harts-running may be found, too.
claim_line "run --schedule repeats it" '^error: missing-remote-fence: ' "$err"
cp "$err" "$work/once"
on run --quiet --schedule "$schedule" "$broken"
claim "... the same each time" cmp "$work/once" "$err"
echo "continue
findings 1" >"$work/commands"
on debug --commands "$work/commands" --schedule "$schedule" "$broken"
claim_line "debug --schedule, too" 'missing-remote-fence' "$out"

repeated() {
    for schedule in "$work"/found-*.schedule; do
        on run --quiet --schedule "$schedule" "$broken"
        # What goes wrong without a finding ends the guest: with its own status, or in no end (75, 76).
        case $status in
        0) has_line '^(error|warning): ' "$err" || return 1 ;;
        1 | 75 | 76) ;;
        *) return 1 ;;
        esac
    done
}
claim "each schedule shows something" repeated
schedule=$(schedule_of missing-remote-fence)

explored --interleavings 3 "$BUILD/guest-kernel/mcount-no-remote-fence/kernel.elf"
claim "what the seed shows, too, is none of the discoveries" \
    json "r['seed'] and not {f['key'] for f in r['found']} & {f['key'] for f in r['seed']}"

# ---- a task that is preempted within a site, on one hart and on two ----

# While the shell sleeps, `work' runs functions with sites. So wherever a timer comes, the shell patches them next, and the
# task goes on where it was stopped.
preempted() { # HARTS KERNEL
    LIMIT=240 run explore --harts "$1" --max-insns 22M --interleavings "$preemptions" --schedules "$work/preempted" --report "$work/json" \
        --append 'script="work tree 3000 & sleep 0.02; echo function > /sys/kernel/tracing/current_tracer; wait"' \
        "$BUILD/guest-kernel/$2/kernel.elf"
}
several=1 preemptions=8
[ "${SUITE:-}" = all ] && several='1 2' preemptions=40
for harts in $several; do
    preempted $harts pfe16-parked-in-site
    claim "$harts harts: a task is stopped within a site while it changes" rule_found hart-inside
    claim_line '... and explore says which task, and where it goes on' \
        '^  how .*[a-z]+ \([0-9]+\) on hart [01] interrupted between nop and nop of [a-z_]+ by .*, continued on hart [01] ' "$out"
    claim '... in the JSON, too' \
        json "any('interrupted between nop and nop' in s.get('words', '') for f in r['found'] for s in f['steps'])"
    claim '... and no act of the harts is left out' json "r['explored'] and not any(u['acts_left_out'] for u in r['explored'])"
done
preempted 1 pfe16
claim '... and the kernel without the mistake moves the task out of it' nothing_found

endless="--interleavings 100000 --steps 3 --schedules $work/none"
# shellcheck disable=SC2086 # options and their values
"$rvftrace" explore --harts 2 --append 'ftrace=function script="work calls 1"' $endless "$mcount" </dev/null >"$out" 2>"$err" &
explorer=$!
sleep 2
kill -TERM $explorer
try wait $explorer
claim "a signal ends it while it tries interleavings" has_status 143 and test -z "$(pgrep -f -- "$endless")"

explored --interleavings 4 "$mcount"
claim "of the kernel without the mistake nothing is found" nothing_found
claim "... though as much was tried" tried_some 8

on run --seed 7 --schedule "$schedule" "$broken"
claim_line "a schedule of another seed is refused" 'found-[0-9]*.schedule:[0-9]*: explored with .run seed 1., this is .run seed 7.' "$err"
claim "... with status 65" has_status 65
for line in "stall hart 2 from 5 until 9" "stall hart 1 from 9 until 5" "tick hart 0 at 0x5" "stall hart 1 from 5"; do
    { sed '/^stall/d; /^tick/d' "$schedule"; echo "$line"; } >"$work/bad"
    on run --schedule "$work/bad" "$broken"
    claim "the step '$line' is refused" has_status 65
done
{ sed '/^stall/d; /^tick/d' "$schedule"; echo "tick hart 0 at 9"; echo "tick hart 0 at 5"; } >"$work/bad"
on run --schedule "$work/bad" "$broken"
claim "steps that are not in order are refused" has_status 65 and has_line 'goes back in time' "$err"
on run --schedule "$mcount" "$broken"
claim "a file that is no schedule is refused" has_status 65 \
    and has_line 'not a schedule; give a file written by rvftrace explore' "$err"

truncate -s 1M "$work/disk"
on explore --drive "$work/disk" "$mcount"
claim "a disk that interleavings would write to is refused" says_one_line '--drive .*: each interleaving would write to it'
claim "... with status 64" has_status 64
on explore --audit off "$mcount"
claim "explore without the auditor is refused" refused 64 'explore needs the auditor'
on explore --trace "$work/t" "$mcount"
claim "options of other commands are refused" refused 64 '--trace is not an option of'
on explore --schedules "$work/no/such" --interleavings 5 "$broken"
claim "a directory that does not exist is an I/O error" has_status 74
on explore --timeout 1 --interleavings 100000 "$mcount"
claim "--timeout ends it" has_status 75
claim_line "... and is the reason that is told" 'stopped by --timeout$' "$err"
on explore --max-cycles 2000000 --interleavings 1 --schedules "$work/found" "$mcount"
claim "--max-cycles, too" has_status 75
on explore --update 99 --interleavings 1 "$mcount"
claim "an update that is not there is named" has_status 0 and has_line 'there is no update 99; the run has 2' "$err"
finish
