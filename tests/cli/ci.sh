#!/bin/sh
# ci.sh - what a project needs to check each change: findings that are allowed or known, and
# files for the systems that show them.
. "$(dirname "$0")/../machine/common.inc"

here=$(dirname "$0")
mute="$BUILD/guest-kernel/mcount-no-remote-fence/kernel.elf"
causes=$programs/hostile/causes.elf
# Two functions, so that no timer's interrupt decides where a hart runs what was patched.
on='script="echo schedule __schedule > /sys/kernel/tracing/set_ftrace_filter; echo function > /sys/kernel/tracing/current_tracer; work calls 1"'
traced() { run run --console none --harts 4 --append "$on" "$@" "$mute"; }
json_has() { python3 -c "import json, sys; r = json.load(open(sys.argv[1])); assert $2, (r['run'], r['findings'])" "$1"; }

# --allow.
traced --audit fail
claim 'an error fails the run' has_status 80
traced --audit fail --allow missing-remote-fence --report "$work/r.json"
claim '--allow RULE: it does not' has_status 0
claim '... it is listed in one line, as allowed' \
    line_count 1 '^allowed: missing-remote-fence: at ' "$err" and no_line '^  written' "$err"
claim_line '... and counted' '^audit: +1 allowed; ' "$err"
claim '... and in the report' json_has "$work/r.json" "[f['allowed'] for f in r['findings']] == [True] and 'known' not in r['findings'][0]"
traced --audit fail --allow missing-remote-fence@replace_pair
claim '--allow RULE@FUNCTION: by the function that patched' has_status 0
traced --audit fail --allow missing-remote-fence@patch_insn_write
claim '... which is not the one that stores for all of them' has_status 80
traced --audit fail --allow missing-remote-fence@schedule
claim '... or by where it was found; but it is found in other functions, too' has_status 80
traced --audit fail --allow missing-local-fence --allow stale-fetch@schedule
claim '... not by another rule' has_status 80
traced --audit fail --allow missing-local-fence --allow missing-remote-fence
claim '--allow may be repeated, without a warning' has_status 0 and no_line 'more than once' "$err"
traced --findings full --allow missing-remote-fence
claim '--findings full: with evidence, and marked' has_line '^  written  ' "$err" and has_line '^  allowed  *by --allow' "$err"
run run --quiet --audit fail --firmware none --findings-max 10 --allow missing-local-fence --allow stale-fetch "$causes"
claim 'breaches in no finding do not fail a run if their rule is allowed' has_status 0
run run --quiet --audit fail --firmware none --findings-max 10 --allow missing-local-fence@change1 --allow stale-fetch "$causes"
claim '... otherwise the first one fails it' has_status 80
names='change1'
for i in $(seq 3 2 19); do names="$names change$i"; done
run run --quiet --audit fail --firmware none --findings-max 10 --allow stale-fetch \
    $(for name in $names; do echo "--allow missing-local-fence@$name"; done) "$causes"
claim '... also behind ten that are allowed by their functions' has_status 80 and has_line '^error: 1 more breaches' "$err"
for bad in "stale-fetsh;there is no rule .stale-fetsh.; did you mean .stale-fetch." "x;there is no rule .x.; docs/rules.md" \
    "@schedule;there is no rule" "stale-fetch@shedule;there is no function .shedule.; did you mean .schedule." \
    "stale-fetch/a0;only .clobbered-register. and .clobbered-csr. can have" "clobbered-register/a8;there is no register .a8." \
    "clobbered-register/;there is no register" "stale-fetch@;there is no function|invalid" "stale-fetch@nowhere_at_all;there is no function .*MODULE:FUNCTION"; do
    traced --allow "${bad%%;*}"
    case ${bad%%;*} in
    stale-fetch@) claim "--allow ${bad%%;*} is of code that has no name" has_status 0 ;;
    *) claim "--allow ${bad%%;*} is refused, with what may be meant" refused 64 ".*--allow: ${bad#*;}" ;;
    esac
done
traced --allow ''
claim 'an empty rule is refused' refused 64 '.*--allow'
traced --quiet --allow stale-fetch@some_module:its_function
claim 'a function of a module may come later' has_status 0
in_module() {
    run run --quiet --console none --audit fail --memory 128M --initrd "$BUILD/guest-kernel/atomic/modules.cpio" \
        --append 'script="insmod /lib/modules/trace_sample.ko depth=3; rmmod trace_sample"' \
        --allow missing-local-fence --allow "stale-fetch@$1" "$BUILD/guest-kernel/atomic-no-local-fence/kernel.elf"
}
in_module trace_sample:sample_init
claim '... and is allowed then' has_status 0
in_module trace_sample:sample_exit
claim '... it and no other' has_status 80
# A register is part of what a finding is called.
# The guest itself fails: its status is 1.
register() {
    run run --quiet --console none --audit fail --harts 2 "$@" "$BUILD/guest-kernel/pfe8-a7-not-restored/kernel.elf" \
        --append 'script="echo function > /sys/kernel/tracing/current_tracer; work calls 1"'
}
register --allow clobbered-register/a7
claim '--allow clobbered-register/REG allows that register' has_status 1
register --allow clobbered-register/a6
claim '... and no other' has_status 80
register --allow clobbered-register
claim '... without one: all' has_status 1
register --audit warn --write-baseline "$work/known"
claim_line 'a baseline has the register' '^clobbered-register/a7 by - at ' "$work/known"
register --baseline "$work/known"
claim '... and knows it' has_status 1
sed -i 's,/a7,/a6,' "$work/known"
register --baseline "$work/known"
claim '... and no other' has_status 80
sed -i 's,/a6,,' "$work/known"
register --baseline "$work/known"
claim '... without one: all' has_status 1
riscv64_image() { "${CROSS}objcopy" -O binary "$mute" "$work/Image.bin"; }
riscv64_image
run run --quiet --max-insns 10 --allow stale-fetch@schedule "$work/Image.bin"
claim 'without symbols no function can be found' refused 64 '.*no symbols'

# --baseline.
traced --write-baseline "$work/known"
claim 'a baseline has a line for each finding' test "$(head -n 1 "$work/known")" = 'rvftrace-baseline 2' \
    and line_count 1 '^missing-remote-fence by replace_pair at schedule( [a-z_]+)+$' "$work/known"
traced --audit fail --baseline "$work/known" --report "$work/r.json"
claim 'what is in the baseline does not fail the run' has_status 0
claim '... is marked and counted' has_line '^known: missing-remote-fence: ' "$err" and no_line '^error' "$err" and has_line '^audit: +1 in the baseline; ' "$err"
claim '... and in the report' json_has "$work/r.json" "r['findings'][0]['known'] and r['baseline_gone'] == []"
run run --console none --harts 3 --seed 7 --append "$on" --audit fail --baseline "$work/known" "$mute"
claim '... also with another number of harts, and another seed' has_status 0
echo 'stale-fetch by vanished at here' >>"$work/known"
traced --baseline "$work/known" --report "$work/r.json"
claim_line 'a line that does not occur any more is said' '^rvftrace: .*/known:4: does not occur any more: stale-fetch by vanished at here$' "$err"
claim '... and is in the report' json_has "$work/r.json" "r['baseline_gone'] == ['stale-fetch by vanished at here']"
printf 'rvftrace-baseline 2\nmissing-remote-fence by another at schedule\n' >"$work/other"
traced --audit fail --baseline "$work/other" --report "$work/r.json"
claim 'another finding fails the run' has_status 80
claim '... and then nothing is said of the lines, for the run was stopped' has_status 80 and no_line 'any more' "$err" \
    and no_line 'baseline_gone' "$work/r.json"
traced --allow missing-remote-fence --write-baseline "$work/empty"
claim 'what is allowed is not in a baseline' test "$(wc -l <"$work/empty")" -eq 2
traced --baseline "$work/known" --write-baseline "$work/known"
claim 'a baseline can be written anew' has_status 0 and test "$(wc -l <"$work/known")" -eq 3
run run --quiet --baseline "$work/none" "$mute"
claim 'a baseline that is not there is status 66' refused 66 '.*/none: no such file'
run run --quiet --baseline "$work" "$mute"
claim '... a directory 74' refused 74 '.*: Is a directory'
run run --quiet --baseline "$mute" "$mute"
claim '... another file 65' refused 65 '.*kernel.elf: no baseline'
printf 'rvftrace-baseline 2\nstale-fetch by\n' >"$work/bad"
printf 'rvftrace-baseline 1\nstale-fetch by w at here\n' >"$work/old"
run run --quiet --baseline "$work/old" "$mute"
claim '... one with the keys of former versions, and what to do' refused 65 '.*/old: its first line is .*write it again with --write-baseline'
run run --quiet --baseline "$work/bad" "$mute"
claim '... a damaged one, too, with the line' refused 65 '.*/bad:2: not a line of a baseline'
run run --quiet --audit fail --write-baseline "$work/x" "$mute"
claim '--write-baseline with --audit=fail is refused' refused 64 '--write-baseline needs all findings'
for option in allow=stale-fetch baseline="$work/known" write-baseline="$work/x" sarif="$work/x" junit="$work/x"; do
    run run --quiet --audit off "--$option" "$mute"
    claim "--${option%%=*} without the auditor is refused" refused 64 "--${option%%=*} needs the auditor"
done

# --sarif.
sarif() { python3 "$here/sarif_check.py" "$work/s.sarif" "$@"; }
traced --sarif "$work/s.sarif"
claim 'SARIF: a result for the finding' sarif "len(results) == 1 and results[0]['ruleId'] == 'missing-remote-fence' and results[0]['level'] == 'error'"
place="results[0]['locations'][0]['physicalLocation']"
claim '... at the source line that patched' sarif "$place['artifactLocation']['uri'].endswith('/arch/riscv/ftrace/code.c') and $place['region']['startLine'] > 1" \
    "results[0]['locations'][0]['logicalLocations'][0]['fullyQualifiedName'] == 'replace_pair'"
# A frame of a program has no function.
named="['location'].get('logicalLocations', [dict(fullyQualifiedName='')])[0]['fullyQualifiedName']"
frames="[[f$named for f in s['frames']] for s in results[0]['stacks']]"
claim '... with the call stacks of writer and hart' sarif "$frames[0][:3] == ['patch_insn_write', 'patch_text_nosync', 'replace_pair']" \
    "$frames[-1][-1] == 'ret_from_kernel_thread'" "results[0]['stacks'][1]['message']['text'] == 'asked by sh, pid 1'" "results[0]['stacks'][0]['message']['text'].startswith('written by hart 0')"
flows="[[x$named for x in t['locations']] for t in results[0]['codeFlows'][0]['threadFlows']]"
claim '... and as code flows, from the outermost function to the store' sarif "$flows == [s[::-1] for s in $frames]" \
    "[x['nestingLevel'] for x in results[0]['codeFlows'][0]['threadFlows'][0]['locations']][:2] == [0, 1]"
claim '... with the other places and all facts' sarif "len(results[0]['relatedLocations']) >= 4 and len(results[0]['properties']['facts']) >= 8" \
    "any('schedule+0x' in x['message']['text'] for x in results[0]['relatedLocations'])" "'in memory auipc' in results[0]['message']['markdown']"
claim '... how often, and how the run ended' sarif "results[0]['occurrenceCount'] > 1 and run['invocations'][0].items() >= dict(executionSuccessful=True, exitCode=0, exitCodeDescription='exit', toolExecutionNotifications=[]).items()"
register --audit warn --sarif "$work/s.sarif"
claim '... of a trampoline that breaks its contract, at that' sarif \
    "results[0]['locations'][0]['logicalLocations'][0]['fullyQualifiedName'] == 'ftrace_caller'"
traced --sarif "$work/s.sarif"
claim '... every rule with what to do' sarif "len(run['tool']['driver']['rules']) >= 5 and all(r['help']['text'] for r in run['tool']['driver']['rules'])"
traced --audit fail --sarif "$work/s.sarif"
claim '... the status of a run that fails' sarif "run['invocations'][0]['exitCode'] == 80 and 'baselineState' not in results[0]"
traced --sarif "$work/s.sarif" --allow missing-remote-fence --baseline "$work/other"
claim '... an allowed finding is suppressed' sarif "results[0]['suppressions'] and results[0]['baselineState'] == 'new'"
traced --sarif "$work/s.sarif" --baseline "$work/known"
claim '... one of the baseline is unchanged' sarif "results[0]['baselineState'] == 'unchanged' and 'suppressions' not in results[0]"
run run --quiet --firmware none --findings-max 10 --sarif "$work/s.sarif" "$causes"
claim '... and what was left out is told' sarif "len(results) == 10 and '491 more breaches' in run['invocations'][0]['toolExecutionNotifications'][0]['message']['text']"
mkdir "$work/a dir#1"
"${CROSS}strip" -o "$work/a dir#1/kernel%.elf" "$causes"
run run --quiet --firmware none --findings-max 10 --sarif "$work/s.sarif" "$work/a dir#1/kernel%.elf"
claim '... without source lines and symbols the place is the image, as a URI' sarif \
    "all(r['locations'][0]['physicalLocation']['artifactLocation']['uri'].endswith('/a%20dir%231/kernel%25.elf') for r in results)" \
    "results and all('logicalLocations' not in r['locations'][0] for r in results)"
run run --quiet --console none --append 'script="work calls 1"' --sarif - "$mcount"
cp "$out" "$work/s.sarif"
claim '... a run without findings has no results' sarif "results == []"

# --junit.
junit() {
    python3 - "$work/j.xml" "$1" <<'END'
import sys, xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
suite, = root
assert (root.tag, suite.tag) == ("testsuites", "testsuite")
cases = [member for member in suite if member.tag != "properties"]
names = [case.get("name") for case in cases]
failures = {case.get("name"): case[0] for case in cases if len(case) and case[0].tag == "failure"}
outputs = {case.get("name"): case[0].text for case in cases if len(case) and case[0].tag == "system-out"}
for level in root, suite:
    assert int(level.get("tests")) == len(cases) and int(level.get("failures")) == len(failures)
    assert level.get("errors") == "0" and level.get("name")
assert all(case.tag == "testcase" and case.get("classname") == "rvftrace.audit" and len(case) <= 1 for case in cases)
assert len(failures) + len(outputs) == sum(len(case) for case in cases)
assert eval(sys.argv[2]), (names, failures, outputs)
END
}
traced --junit "$work/j.xml"
claim 'JUnit: a test case for each rule and each error, which fails' junit \
    "'missing-remote-fence by replace_pair' in failures and len(names) >= 5 and 'stale-fetch' in names and 'missing-remote-fence' not in names"
claim '... with its evidence' junit "any('  written   by hart 0 in patch_insn_write' in f.text and '  stack     patch_insn_write' in f.text and f.get('type') == 'missing-remote-fence' and 'at schedule' in f.get('message') for f in failures.values())"
for option in '--allow missing-remote-fence' "--baseline $work/known"; do
    # shellcheck disable=SC2086 # an option and its value
    traced --junit "$work/j.xml" $option
    claim "${option%% *}: passes, with its evidence as output" junit "not failures and '  written ' in outputs['missing-remote-fence']"
done
run run --quiet --console none --harts 4 --junit "$work/j.xml" \
    --append 'script="echo function > /sys/kernel/tracing/current_tracer; work calls 1"' "$BUILD/guest-kernel/atomic/kernel.elf"
claim 'a note does not fail' junit "not failures and list(outputs) == ['patch-window']"
run run --quiet --firmware none --junit "$work/j.xml" "$causes"
claim 'a hundred errors are a hundred test cases' junit "len(failures) == 100 and 'missing-local-fence by change1' in failures"
ln -s "$(realpath "$causes")" "$work/<&\"'>"
run run --quiet --firmware none --junit "$work/j.xml" "$work/<&\"'>"
claim '... of an image with an odd name' junit "suite.get('name') == '$work/' + '<&\"' + chr(39) + '>'"

# Files that cannot be written.
for option in sarif junit write-baseline; do
    run run --quiet --max-insns 1 "--$option" "$work/no/where" "$mute"
    claim "a place for --$option that is not there is status 74, before the run" refused 74 '.*no/where: cannot be created'
    run run --quiet --max-insns 1 "--$option" /dev/full "$mute"
    claim '... a full disk, too' has_status 74 and has_line '/dev/full: No space left on device' "$err"
    run run --quiet --max-insns 1 "--$option" "$work/one" --report "$work/one" "$mute"
    claim '... and one file for two options' refused 74 '.*one.part: is being written already'
    { try "$rvftrace" run --quiet --console none --max-insns 1M "--$option" - "$mute" </dev/null 2>"$err"; echo "$status" >"$work/status"; } | :
    claim_line '... and a reader that goes away' '^74$' "$work/status"
    echo old >"$work/f"
    "$rvftrace" run --quiet --console none "--$option" "$work/f" "$programs/loop.elf" </dev/null >"$out" 2>"$err" &
    pid=$!
    tries=0
    while [ ! -e "$work/f.part" ] && [ $((tries += 1)) -lt 300 ]; do sleep 0.1; done
    kill -KILL $pid
    wait_killed $pid 2>"$work/why"
    claim '... a killed run leaves the former file' has_status 137 and has_line '^old$' "$work/f"
    rm -f "$work/f.part"
done
run run --quiet --console none --append "$on" --sarif /dev/full --junit "$work/j2.xml" --report "$work/r2.json" "$mcount"
claim 'if one cannot be written the others are' has_status 74 and python3 -m json.tool "$work/r2.json" \
    and has_line '</testsuites>' "$work/j2.xml"

# The same run gives the same files.
for i in 1 2; do traced --quiet --sarif "$work/s$i" --junit "$work/j$i" --write-baseline "$work/b$i"; done
claim 'the same run gives the same files' cmp "$work/s1" "$work/s2" and cmp "$work/j1" "$work/j2" and cmp "$work/b1" "$work/b2"
finish
