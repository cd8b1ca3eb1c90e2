#!/bin/sh
# determinism.sh - a run is a function of image, options, input and seed.
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work threads 2; head -n 40 $T/trace;
echo nop > $T/current_tracer; ps"
script=$(echo "$script" | tr '\n' ' ')

# boot NAME OPTIONS...: leaves NAME.out, NAME.err and NAME.json.
boot() {
    name=$1
    shift
    run run --append "script=\"$script\"" --report "$work/$name.json" "$@" "$mcount"
    mv "$out" "$work/$name.out"
    mv "$err" "$work/$name.err"
}
same() {
    cmp "$work/$1.out" "$work/$2.out" && cmp "$work/$1.err" "$work/$2.err" &&
        cmp "$work/$1.json" "$work/$2.json"
}
instructions() { grep '"instructions"' "$work/$1.json"; }
differ() { [ "$(instructions "$1")" != "$(instructions "$2")" ]; }

for harts in 1 2 4; do
    boot first --harts $harts --seed 7
    boot second --harts $harts --seed 7
    claim "twice the same run on $harts harts, to the last byte" same first second
done
boot first --harts 2 --fetch random:5
boot second --harts 2 --fetch random:5
claim 'twice the same run with random fetches' same first second
boot first --harts 2 --seed 1
boot second --harts 2 --seed 2
claim 'another seed interleaves two harts in another way' differ first second
claim '... and both come to the end' has_status 0 and has_line '^work ' "$work/first.out" \
    and has_line '^work ' "$work/second.out"
boot first --harts 1 --seed 1
boot second --harts 1 --seed 2
claim 'a seed means nothing to one hart' cmp "$work/first.out" "$work/second.out"
boot first --harts 2 --account off --audit off
boot second --harts 2
claim 'who looks on changes nothing' cmp "$work/first.out" "$work/second.out"
claim '... not even an instruction' \
    test "$(instructions first)" = "$(instructions second)"
boot first --harts 2 --console none
claim 'nor does a console that leads nowhere' \
    test "$(instructions first)" = "$(instructions second)"

# The output of a run that is stopped early is the beginning of the whole run's output.
prefix() { head -c "$(stat -c %s "$work/cut.out")" "$work/second.out" | cmp - "$work/cut.out"; }
for insns in 1 4097 100003 400000; do
    boot cut --harts 2 --max-insns $insns
    claim "the first $insns instructions are those of the whole run" prefix
    claim "... and their number is exactly $insns" test \
        "$(python3 -c "import json; print(sum(h['instructions'] for h in json.load(open('$work/cut.json'))['harts']))")" \
        -eq $insns
done

# The debugger divides the run into pieces, which must make no difference.
printf 'stepi 1000\nstepi 1\nstepi 777\nstepi 12345\ncontinue\n' >"$work/commands"
run debug --harts 2 --append "script=\"$script\"" --console "$work/pieces.out" --report "$work/pieces.json" \
    --commands "$work/commands" "$mcount"
claim 'a run in the steps of a debugger has the same console' has_status 0 and cmp "$work/pieces.out" "$work/second.out"
claim '... and as many instructions' \
    test "$(instructions pieces)" = "$(instructions second)"
finish
