#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# noticed.sh - a guest that panics has a finding in every report; one that is meant to can be allowed to; a guest that only ends
# or waits has none; and what follows from another finding is printed below that.
. "$(dirname "$0")/common.inc"

crash='script="echo function > /sys/kernel/tracing/current_tracer; echo c > /proc/sysrq-trigger"'
crashes() { run run --harts 2 --append "$crash" "$@" "$mcount"; }
finding() { python3 -c "import json, sys; f = json.load(open(sys.argv[1]))['findings'][0]; assert $1, f" "$work/r.json"; }

crashes --report "$work/r.json" --sarif "$work/s.sarif" --junit "$work/j.xml" --html "$work/p.html"
claim "a panic has the guest's own status" has_status 1 and has_line 'Kernel panic - not syncing: sysrq triggered crash' "$out"
claim '... and is a finding' rules_are guest-noticed and has_line '^  said  *panic: sysrq triggered crash$' "$err" and no_line 'no findings' "$err"
claim '... with where' has_line '^  called  *by hart [01] at sysrq_write\+0x' "$err" and has_line '^  stack  *(panic [^<]*<- )?sysrq_write ' "$err"
claim '... with what was patched last, and by whom' has_line '^  patched  ' "$err" and has_line '^  stack  *patch_insn_write [^<]*<- ' "$err" and has_line '<- ftrace_modify_all_code ' "$err"
claim '... and the timeline of that update' has_line '^  timeline  of update [0-9]+, by hart [01]$' "$err" \
    and has_line '^ +[0-9]+ +[01] +[0-9]+  the kernel has announced the end$' "$err"
claim_line '... counted once' '^audit: +1 error; ' "$err"
claim 'JSON has it' finding "f['rule'] == 'guest-noticed' and f['id'] == 1 and 'caused_by' not in f and f['count'] == 1"
claim '... with the text' finding "[x['text'] for x in f['facts'] if x['kind'] == 'text'][0] == 'panic: sysrq triggered crash'"
claim 'SARIF has it' python3 "$(dirname "$0")/../cli/sarif_check.py" "$work/s.sarif" "[r['ruleId'] for r in results] == ['guest-noticed'] and results[0]['level'] == 'error'"
claim 'JUnit has it' has_line '<testcase .*name="guest-noticed at sysrq_write"' "$work/j.xml" and has_line '<failure .*type="guest-noticed"' "$work/j.xml"
claim 'the page has it' has_line 'panic: sysrq triggered crash' "$work/p.html"
crashes --audit fail
claim '--audit=fail: status 80, when panic() is called' has_status 80 and rules_are guest-noticed and no_line 'Kernel panic' "$out"
crashes --audit fail --allow guest-noticed@sysrq_write
claim 'a panic that is meant can be allowed' has_status 1 and has_line '^allowed: guest-noticed: ' "$err" and no_line '^ *error: ' "$err"
crashes --audit fail --allow guest-noticed@sysrq_init
claim '... no other one' has_status 80

# A run that is cut off, in any state that a sound guest may be in.
for script in 'sleep 1000' 'while true; do true; done' 'work threads 1000' 'cat'; do
    run run --harts 2 --max-insns 40M --append "script=\"$script\"" "$mcount"
    claim "a guest that is stopped in \`$script' has noticed nothing" rules_are '' and has_line 'no findings' "$err"
done
run run --quiet --append 'script="exit 3"' "$mcount"
claim 'nor has one that ends with another status' rules_are ''

# half-a-call is no call: the kernel dies of it.
run run --findings full --report "$work/r.json" --append 'script="echo function > /sys/kernel/tracing/current_tracer; work calls 1"' \
    "$BUILD/guest-kernel/mcount-half-a-call/kernel.elf"
claim 'what the guest notices after an error is printed below it' rules_are bad-site and has_line '^  error: guest-noticed: ' "$err" \
    and has_line '^    follows  *from bad-site \(finding 1\)' "$err"
claim_line '... and counted' '^audit: .*2 errors, 1 of them follows from another; ' "$err"
claim '... and has its cause in JSON' python3 -c "import json, sys
assert [(f['id'], f['rule'], f.get('caused_by')) for f in json.load(open(sys.argv[1]))['findings']] == [(1, 'bad-site', None), (2, 'guest-noticed', 1)]" "$work/r.json"
finish
