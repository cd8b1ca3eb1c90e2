#!/bin/sh
# native.sh - a run is the same interpreted and as native code, to the last byte. `make check-translate' compares many more
# runs, and, with TINY= a build with tiny caches, whose memory for native code is full all the time.
. "$(dirname "$0")/common.inc"

T=/sys/kernel/tracing
script="echo function > $T/current_tracer; work threads 1; echo function_graph > $T/current_tracer; work tree 1;
echo nop > $T/current_tracer; work calls 1"
script=$(echo "$script" | tr '\n' ' ')

run run --engine translated --max-insns 1 --quiet "$mcount"
grep -q 'all is interpreted' "$err" && {
    echo 'ok - this host has no native code # skip'
    finish
}

# boot ENGINE OPTIONS...: leaves ENGINE.out, .err, .json and .log.
boot() {
    engine=$1
    shift
    LIMIT=300 run run --engine "$engine" --append "script=\"$script\"" --report "$work/$engine.json" \
        --log "$work/$engine.log" "$@" "$mcount"
    mv "$out" "$work/$engine.out"
    mv "$err" "$work/$engine.err"
}
same() {
    for what in out err json log; do
        cmp "$work/interpreter.$what" "$work/$1.$what" || return 1
    done
}

boot interpreter --harts 2 --seed 3
claim 'the demonstration runs interpreted' has_status 0
for engine in translated auto; do
    boot $engine --harts 2 --seed 3
    claim "... and the same, with --engine $engine: console, messages, report, log" has_status 0 and same $engine
done
boot interpreter --fetch random:5 --max-insns 700003
boot translated --fetch random:5 --max-insns 700003
claim 'the same with random fetches, stopped at some instruction' same translated

# share ENGINE: the share of the instructions of one hart that were native code, in percent.
share() {
    run run --engine "$1" --native-share --quiet --append 'script="work calls 20"' "$mcount"
    awk '/ were native code, / { print int($8) }' "$err"
}
claim 'interpreted, no instruction is native code' test "$(share interpreter)" = 0
claim '... nine of ten are with --engine auto' test "$(share auto)" -ge 90 -a "$(share auto)" -le 100

# Code that is executed has been in memory that can only be read and executed.
ran() { awk '/memfd:rvftrace/ { code = $2 == "r-xs" } code && /^Rss/ { print $2 }' "/proc/$1/smaps"; }
writable() { awk '$2 ~ /w.*x/' "/proc/$1/maps"; }
"$rvftrace" run --quiet --console none --append 'script="work calls 1000000"' "$mcount" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.3
    bytes=$(ran $pid)
    [ "${bytes:-0}" = 0 ] || break
done
claim 'native code is executed' test "${bytes:-0}" -gt 0
claim '... and no memory is writable and executable at once' test -z "$(writable $pid)"
kill $pid
for engine in interpreter translated; do
    run run --engine $engine --quiet "$programs/defects/stores-beside-tohost.elf"
    claim "stores around tohost, $engine: the sum that QEMU has" has_status 103
done
# Vector instructions, which are native code for the configuration that a block was translated for.
vectors() {
    run run --quiet --engine "$1" --isa "rv64gcv_zicntr_zifencei_zvl${2}b" --max-insns "$3" --save "$work/vectors" "$programs/vectors.elf"
}
same_vectors() {
    for insns in 61234 88888 123457 200003 260001; do
        vectors interpreter "$1" $insns
        mv "$work/vectors" "$work/interpreted"
        vectors "$2" "$1" $insns && cmp "$work/vectors" "$work/interpreted" || return 1
    done
}
for length in 128-249 256-10 1024-59; do
    for engine in interpreter translated auto; do
        vectors $engine ${length%-*} 1000000
        claim "loops of vectors of ${length%-*} bits, $engine: the sum that QEMU has" has_status ${length#*-}
    done
    for engine in translated auto; do
        claim "... $engine, stopped amid loops: the state that the interpreter has" same_vectors ${length%-*} $engine
    done
done
run run --engine translated --timing c906 --max-insns 1 "$mcount"
claim 'a core model is interpreted, with a line that says so' has_line '^rvftrace: --engine translated: .*core model' "$err"

[ -z "$TINY" ] || for seed in $(seq "${SEEDS:-3}"); do
    rvftrace=$TINY
    boot interpreter --harts $((seed % 3 + 1)) --seed "$seed" --max-insns 3000000
    boot translated --harts $((seed % 3 + 1)) --seed "$seed" --max-insns 3000000
    claim "tiny caches, seed $seed: the same run" same translated
done
finish
