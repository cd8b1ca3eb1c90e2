#!/bin/sh
# output.sh - where output is written, and what happens if it cannot be.
. "$(dirname "$0")/../machine/common.inc"

T=/sys/kernel/tracing
demo="script=\"work calls 1; echo function > $T/current_tracer; work calls 1\""

run run --append "$demo" --rows 1000 "$mcount"
claim 'the console goes to standard output, our report to standard error' \
    has_line '^work calls' "$out" and no_line 'ftrace sites' "$out" and has_line 'ftrace sites' "$err" \
    and no_line '^work calls' "$err"
claim 'the report names sites, their cost, and the verdict' \
    has_line '^calls_once ' "$err" and has_line '^disabled: ' "$err" and has_line '^audit: *no findings' "$err"
run run --append "$demo" --rows 2 "$mcount"
claim_line '--rows cuts the table' 'the busiest 2 of ' "$err"
grep -A 2 '^disabled: ' "$err" | tr -s '\n ' ' ' >"$work/disabled"
claim 'the disabled cost says what it leaves out, and what shows that' \
    has_line 'frames, saved registers and code size .* tools/bench and docs/cost.md' "$work/disabled"
run run --quiet --append "$demo" "$mcount"
claim '--quiet prints nothing on standard error' says_nothing
run run --append "$demo" --console none "$mcount"
claim '--console none prints nothing on standard output' has_status 0 and test ! -s "$out"
run run --quiet --append "$demo" --console "$work/console" "$mcount"
claim '--console FILE takes the console' \
    has_line '^work calls' "$work/console" and test ! -s "$out"
# follows COMMAND...: whether the console appears in a file while the command runs.
follows() {
    : >"$work/console"
    "$@" </dev/null >>"$work/console" 2>"$err" &
    pid=$!
    tries=0
    while [ ! -s "$work/console" ] && [ $((tries += 1)) -lt 100 ]; do sleep 0.1; done
    kill $pid
    try wait $pid
    [ $tries -lt 100 ] && has_status 143
}
claim 'what a guest prints comes to a file before it has printed 4 KiB' \
    follows "$rvftrace" run --quiet "$programs/loop.elf"
claim '... also when it is idle' follows "$rvftrace" run --quiet --timeout 60 --append 'script="echo here; sleep 100000000"' "$mcount"
run run --quiet --account off --append "$demo" "$mcount"
claim '--account off runs all the same' has_status 0

json_has() { python3 -c "import json, sys; r = json.load(open(sys.argv[1])); assert $2, r['run']" "$1"; }
run run --quiet --console none --report - --append "$demo" "$mcount"
claim '--report - with --console none is JSON and nothing else' python3 -m json.tool "$out"
claim '... that tells what was run' json_has "$out" \
    "r['version'] == 3 and r['run']['image'] == '$mcount' and r['run']['seed'] == 1 and r['run']['ended'] == 'exit'"
claim '... has the totals, the sites, and no finding' json_has "$out" \
    "r['totals']['off']['entries'] > 0 and len(r['sites']) > 100 and r['findings'] == []"
claim '... and the updates with the fence after each' json_has "$out" \
    "r['updates'] and all(u['harts'][0]['fence_cycle'] for u in r['updates']) and sum(u['patches'] for u in r['updates']) == r['patch_counts']['sites']"
claim 'totals are the sums of the sites' json_has "$out" \
    "all(r['totals'][s]['entries'] == sum(x[s]['entries'] for x in r['sites'] if x['kind'] == 'function') for s in ('init', 'off', 'on'))"
claim 'each row of a list is a line of its own' json_has "$out" \
    "sum(len(r[x]) for x in ('sites', 'trampolines', 'jump_labels')) == sum(line.startswith('  {\"address\":') for line in open(sys.argv[1]))"
claim 'cycles are entries times the cost of one' json_has "$out" \
    "all(x[s]['cycles'] == x[s]['entries'] * sum(x[s]['per_entry'].values()) for x in r['sites'] for s in ('init', 'off', 'on'))"
run run --quiet --console none --report "$work/r.json" --append 'a "quoted\" word' --max-insns 10 "$mcount"
claim 'what is odd in a boot line is quoted in the report' python3 -m json.tool "$work/r.json"
run run --quiet --console none --report "$work/r.json" --seed 18446744073709551615 --harts 2 --isa rv64gc_zba \
    --fetch random:9223372036854775808 --max-insns 10 "$mcount"
claim 'a seed beyond 2^63 is that number in the report' json_has "$work/r.json" \
    "r['run']['seed'] == 2**64 - 1 and r['run']['fetch_seed'] == 2**63"
claim 'the report says what the machine was' json_has "$work/r.json" \
    "r['run']['harts'] == 2 and r['run']['isa'].startswith('rv64imafdc_') and r['run']['isa'].endswith('_zba')"
claim '... and which rvftrace ran it' json_has "$work/r.json" \
    "'rvftrace ' + r['run']['rvftrace'] + (' (%s)' % r['run']['revision'] if r['run']['revision'] else '') == '$("$rvftrace" --version | head -n 1)'"
printf 'x' >"$work/bytes"
run run --quiet --console none --report "$work/r.json" --append "$(printf 'caf\351')" --max-insns 10 "$mcount"
claim 'a boot line that is no UTF-8 makes no broken report' \
    python3 -m json.tool "$work/r.json"
claim '... and is there, as far as it can be' json_has "$work/r.json" \
    "r['run']['bootargs'] == 'caf' + chr(0xfffd)"

# Files that cannot be written.
for option in report console dump-dtb record; do
    run run --quiet "--$option" "$work/no/where" "$programs/hello.elf"
    claim "a place for --$option that is not there is status 74" has_status 74
    claim '... and one line' says_one_line '.*no/where: cannot be created: No such file'
    claim '... before anything is run' test ! -s "$out"
    run run --quiet "--$option" "$work" "$programs/hello.elf"
    claim "a directory for --$option is, too" has_status 74
    claim '... and one line' says_one_line "$work: cannot be created: Is a directory"
done
run run --quiet --report /dev/full --append "$demo" "$mcount"
claim 'a report to a full disk is status 74' has_status 74
claim '... and one line, with a remedy' says_one_line '/dev/full: No space left on device; make room there'
run run --quiet --dump-dtb /dev/full --append "$demo" "$mcount"
claim 'a device tree to a full disk is status 74' has_status 74
claim '... and one line' says_one_line '/dev/full: No space left'
run run --quiet --console /dev/full --append "$demo" "$mcount"
claim 'a console to a full disk is status 74' has_status 74
claim '... and one line' says_one_line 'console: No space left'
try timeout 300 "$rvftrace" run --quiet --append "$demo" "$mcount" </dev/null >/dev/full 2>"$err"
claim 'standard output to a full disk is status 74' has_status 74
try timeout 300 "$rvftrace" run --quiet --console none --report - "$mcount" --append "$demo" </dev/null >/dev/full 2>"$err"
claim 'a report on a full standard output is status 74' has_status 74
claim '... and one line' says_one_line 'standard output: No space left'
try timeout 300 "$rvftrace" run --append "$demo" "$mcount" </dev/null >"$out" 2>/dev/full
claim 'a text report on a full standard error is status 74' has_status 74
run run --max-insns 1M "$mcount"
claim 'why a run was ended is the last thing said, behind the report' \
    has_status 75 and test "$(tail -n 1 "$err")" = 'rvftrace: error: stopped by --max-insns'
for word in --help --version 'run --help' cores 'cores c906'; do
    # shellcheck disable=SC2086 # two words
    try "$rvftrace" $word >/dev/full 2>"$err"
    claim "$word on a full standard output is status 74" has_status 74
done

# piped COMMAND...: sets the status of a command whose reader exits.
piped() {
    { try timeout 300 "$@" </dev/null 2>"$err"; echo "$status" >"$work/status"; } | head -c 1 >/dev/null
    status=$(cat "$work/status")
}
{ yes "cat $T/available_filter_functions" | head -n 200; echo poweroff; } >"$work/loud"
piped "$rvftrace" run --quiet --input "$work/loud" "$mcount"
claim 'a reader that goes away is status 74, not a signal' has_status 74
claim '... and one line' says_one_line 'console: Broken pipe'
piped "$rvftrace" run --quiet --console none --append "$demo" --report - "$mcount"
claim 'the same for a report' has_status 74
yes stepi | head -n 500 >"$work/steps"
piped "$rvftrace" debug --quiet --commands "$work/steps" "$mcount"
claim 'and for a session' has_status 74
claim '... and one line' says_one_line 'standard output: a part of'

# Files get their final names when they are complete.
echo old >"$work/r.json"
"$rvftrace" run --quiet --console none --report "$work/r.json" "$programs/loop.elf" </dev/null >"$out" 2>"$err" &
pid=$!
tries=0
while [ ! -e "$work/r.json.part" ] && [ $((tries += 1)) -lt 300 ]; do sleep 0.1; done
claim 'a report is written beside its name' test -e "$work/r.json.part"
run run --quiet --console none --report "$work/r.json" --max-insns 1 "$programs/loop.elf"
claim '... by one run at a time: another is refused with status 74' has_status 74
claim '... and one line' says_one_line '.*r.json.part: is being written already; give each run'
kill -KILL $pid
wait_killed $pid 2>"$work/why"
claim 'a killed run leaves the former report' has_status 137 and has_line '^old$' "$work/r.json"
run run --quiet --console none --report "$work/r.json" --max-insns 10 "$programs/loop.elf"
claim 'the next run replaces it' json_has "$work/r.json" "r['run']['ended'] == 'max-insns'"
claim '... and leaves no other file' test ! -e "$work/r.json.part"
run run --quiet --report "$work/r.json" --record "$work/tape" --trace "$work/trace" "$work/no.elf"
claim 'a run that does not begin leaves no file' \
    test ! -e "$work/r.json.part" and test ! -e "$work/tape.part" and test ! -e "$work/tape" and test ! -e "$work/trace.part"
run run --quiet --report "$work/one" --trace "$work/one" --max-insns 1 "$programs/loop.elf"
claim 'two options that name one file are refused' has_status 74 \
    and has_line 'error: .*one.part: is being written already' "$err"

# An output never takes the place of an input, or of another output that is written where it is.
cp "$programs/loop.elf" "$work/kept.elf"
cp "$programs/loop.elf" "$work/disk"
both() { # FILES OPTION...: refused, and the file is as it was
    what=$1
    shift
    run run --quiet --max-insns 1 "$@" "$work/kept.elf"
    claim "$what is refused" refused 64 '.*; give each a file of its own' and cmp "$work/kept.elf" "$programs/loop.elf" \
        and cmp "$work/disk" "$programs/loop.elf"
}
both 'a report in place of the image' --report "$work/kept.elf"
both 'a console in place of the image' --console "$work/kept.elf"
both 'a port in place of a disk' --drive "$work/disk" --port x="$work/disk"
both 'a log in place of the initrd' --initrd "$work/disk" --log "$work/disk"
both 'a recording in place of the input' --input "$work/disk" --record "$work/disk"
run run --quiet --max-insns 1 --console /dev/null --report /dev/null "$work/kept.elf"
claim 'a device takes several' has_status 75
run run --quiet --max-insns 1 --report "$work/r.json" --log "$work/r.log" "$work/kept.elf"
run report --html "$work/r.json" "$work/r.json"
claim 'a page in place of its report is refused' refused 64 '.*r.json: .report. reads it and --html would overwrite it;.*'
run log --to folded --output "$work/r.log" "$work/r.log"
claim 'a conversion in place of its log, too' refused 64 '.*r.log: .log. reads it and --output would overwrite it;.*'

run run --quiet --port z=/dev/full --append 'script="echo lost > /dev/vport0p1"' "$mcount"
claim 'a port that cannot be written ends with status 74' has_status 74 and has_line '/dev/full: cannot be written' "$err"

run run --quiet --harts 3 --memory 64M --append 'word' --dump-dtb "$work/dtb" --max-insns 1 "$mcount"
claim '--dump-dtb writes a tree that dtc reads back' \
    has_status 75 and dtc -q -I dtb -O dts -o "$work/dts" "$work/dtb"
# The interrupt controllers of the harts have no #address-cells on QEMU either.
dtc -W no-interrupt_provider -I dtb -O dts -o /dev/null "$work/dtb" >"$work/warnings" 2>&1
claim_no_line '... without a warning' '' "$work/warnings"
claim '... with three harts, 64 MiB and the boot line' \
    test "$(grep -c 'device_type = "cpu"' "$work/dts")" -eq 3 \
    and has_line 'reg = <0x00 0x80000000 0x00 0x4000000>' "$work/dts" and has_line 'bootargs = "word"' "$work/dts"

printf 'work calls 1\necho typed by a file\npoweroff\n' >"$work/input"
run run --quiet --input "$work/input" "$mcount"
claim '--input feeds the shell' \
    has_status 0 and line_count 1 '^typed by a file' "$out"
try timeout 300 "$rvftrace" run --quiet "$mcount" <"$work/input" >"$out" 2>"$err"
claim 'and so does standard input' \
    has_status 0 and line_count 1 '^typed by a file' "$out"
run run --quiet --input "$work/input" "$mcount"
cp "$out" "$work/first"
run run --quiet --input "$work/input" "$mcount"
claim 'the same input is the same run' cmp "$out" "$work/first"
{ printf 'echo %2000s | x\n' | tr ' ' a; printf 'echo still there\npoweroff\n'; } >"$work/input"
run run --quiet --input "$work/input" "$mcount"
claim_line 'much input at once loses nothing' '^still there' "$out"

strip_elf=$work/stripped
${CROSS}strip -o "$strip_elf" "$mcount"
run run --append "$demo" "$strip_elf"
claim 'a stripped kernel runs, without sites' has_status 0 and line_count 0 'ftrace sites' "$err"
run run --rows 1000 --append "$demo" --symbols "$mcount" "$strip_elf"
claim_line '--symbols from another ELF brings the sites back' '^calls_once ' "$err"
run run --rows 1000 --append "$demo" --symbols "${mcount%.elf}.map" "$strip_elf"
claim_line '--symbols from a System.map does, too' '^calls_once ' "$err"
image=${mcount%kernel.elf}Image
run run --quiet --append "$demo" "$image"
claim_line 'the raw Image boots' '^work calls' "$out"
run run --rows 1000 --append "$demo" --symbols "${mcount%.elf}.map" "$image"
claim 'the raw Image with symbols runs' has_status 0
for layout in mcount pfe16 pfe8 atomic callops; do
    kernel=$BUILD/guest-kernel/$layout
    [ -e "$kernel/Image" ] || continue
    run run --quiet --console none --max-insns 1 --report "$work/elf.json" "$kernel/kernel.elf"
    run run --quiet --console none --max-insns 1 --report "$work/image.json" --symbols "$kernel/kernel.map" "$kernel/Image"
    claim "$layout: sites and layout are the same from the Image and its symbols" has_status 75 and python3 -c '
import json, sys
elf, image = (json.load(open(path)) for path in sys.argv[1:3])
assert elf["layout"] == image["layout"] == sys.argv[3], image["layout"]
assert elf["sites"] == image["sites"] and len(elf["sites"]) > 100, len(image["sites"])
' "$work/elf.json" "$work/image.json" $layout
done
# limited OPTION AMOUNT ARGUMENTS...: a run with a limit of the shell's.
limited() {
    limit=$1 amount=$2
    shift 2
    # shellcheck disable=SC3045 # dash and bash have them
    (ulimit -c 0 && ulimit "$limit" "$amount" && timeout 300 "$rvftrace" "$@" </dev/null >"$out" 2>"$err")
}
rm -rf "$work/limited" && mkdir "$work/limited"
try limited -f 8 run -q --console none --append "$demo" --report "$work/limited/r.json" --log "$work/limited/r.log" --rings "$work/limited/r.dat" "$mcount"
claim 'a file beyond the limit of sizes is status 74' has_status 74
for file in r.json r.log.part r.dat; do
    claim_line "... with a line about $file" "^rvftrace: error: .*/$file: File too large" "$err"
done
try limited -v 120000 run -q --firmware none --console none --memory 16M --max-insns 8M --log "$work/limited/v.log" "$programs/hostile/deep.elf"
claim 'memory beyond the limit is status 70 and a line' has_status 70 and says_one_line "out of the host's memory"
finish
