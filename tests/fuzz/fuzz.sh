#!/bin/sh
# fuzz.sh - runs fuzz targets (make fuzz, make test).
#
#   tests/fuzz/fuzz.sh --replay [TARGET]...       the corpus, without libFuzzer: $BUILD/tests/fuzz/replay
#   tests/fuzz/fuzz.sh --seconds N [TARGET]...    from the corpus, each for N seconds
#
# A target is tests/fuzz/fuzz_TARGET.c, built as $BUILD/fuzz/fuzz_TARGET; if none is named, all.
# New inputs of a long run are stored in $BUILD/fuzz/found/TARGET, inputs that fail in
# $BUILD/fuzz/crashes. When the defect is corrected, the input belongs in
# tests/fuzz/corpus/TARGET, named after the defect.
. "$(dirname "$0")/../claims.sh"
cd "$claims_path/.." || exit 1
crashes=$BUILD/fuzz/crashes

usage() {
    echo "usage: tests/fuzz/fuzz.sh --replay | --seconds N [TARGET]..." >&2
    exit 64
}

mode=${1-}
case $mode in
--replay) shift ;;
--seconds) [ $# -ge 2 ] || usage; seconds=$2; shift 2 ;;
*) usage ;;
esac
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(ls tests/fuzz | sed -n 's/^fuzz_\(.*\)\.c$/\1/p')

for target; do
    program=$BUILD/fuzz/fuzz_$target
    [ "$mode" != --replay ] || program=$BUILD/tests/fuzz/replay
    [ -x "$program" ] && continue
    if [ -f "tests/fuzz/fuzz_$target.c" ]; then
        echo "fuzz.sh: $program: not built; make ${program#"$PWD/"}" >&2
    else
        echo "fuzz.sh: there is no target $target" >&2
    fi
    exit 66
done

# Inputs take milliseconds; ten seconds count as a hang. With little memory in quarantine fewer pages
# are new, and with short stacks of allocations less is unwound: half as many inputs again.
run() { # target, libFuzzer's arguments
    target=$1
    shift
    ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=4 "$BUILD/fuzz/fuzz_$target" -timeout=10 -close_fd_mask=1 -print_final_stats=1 \
        -artifact_prefix="$crashes/$target-" "$@" </dev/null
}

replay() {
    # shellcheck disable=SC2046 # names without blanks
    claim_status 0 "$1: $(find "tests/fuzz/corpus/$1" -type f | wc -l) kept inputs do no harm" \
        "$BUILD/tests/fuzz/replay" "$1" $(find "tests/fuzz/corpus/$1" -type f | sort)
}

fuzz() {
    mkdir -p "$BUILD/fuzz/found/$1"
    try run "$1" -max_total_time="$seconds" "$BUILD/fuzz/found/$1" "tests/fuzz/corpus/$1" >"$out" 2>&1
    claim "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out") inputs, none does harm" has_status 0
}

mkdir -p "$crashes"
for target in "$@"; do
    case $mode in
    --replay) replay "$target" ;;
    *) fuzz "$target" ;;
    esac
done
finish
