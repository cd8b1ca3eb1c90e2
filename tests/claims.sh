# shellcheck shell=sh disable=SC2034 # the variables are for the script that sources this
# claims.sh - what a test claims: one line for each claim, and more about those that do not hold (claims.py: the same in Python).
#
# A test is a script in a folder of tests/. It sources this file, or the one of its folder that is built on it
# (tests/machine/common.inc runs rvftrace, tests/guest/lib.sh guest kernels, tests/debug/common.inc the debugger,
# tests/bench/lib.sh the benchmarks, tests/linux/linux.inc Linux), and ends with `finish':
#
#     . "$(dirname "$0")/../claims.sh"
#     try "$BUILD/rvftrace" run --quiet "$BUILD/guest/hello.elf" </dev/null >"$out" 2>"$err"
#     claim 'a pass is status 0, without a message' has_status 0 and test ! -s "$err"
#     claim_line 'the guest prints a greeting' '^hello' "$out"
#     claim_no_line 'nothing is wrong in it' 'warning|error' "$out"
#     claim_status 64 'an unknown command is refused' "$BUILD/rvftrace" frobnicate
#     finish
#
# Each claim is a line `ok - SENTENCE' or `not ok - SENTENCE' (TAP), which tests/run counts; the lines that begin with `#'
# say more. The script's status is 0 if all claims hold. A sentence says what is true, and one that begins with `...' goes
# on with the one before. What a claim must never do is to hold for a program that has crashed, so:
#
# - `!' is for no program under test. Say with which status it ends: claim_status, or try and has_status.
# - That a file lacks a line says nothing of the program that wrote it: claim its status, too.
# - A program under test is not the first one of a pipe, whose status is lost. Redirect its output to a file.
#
# BUILD is make's build directory, CROSS the prefix of the cross tools. The test's files are in $work; output, messages and
# status of the last program that was tried belong in $out, $err and $status.

BUILD=${BUILD:-build}
CROSS=${CROSS:-riscv64-unknown-elf-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
out=$work/out
err=$work/err
claims_path=$(cd "$(dirname "$0")/.." && pwd) || exit 1
status=
about= # is put before each sentence
failed=0

# ---- claims ----

# claim SENTENCE COMMAND... [and COMMAND...]...: the commands succeed. What they print is shown if one does not.
claim() {
    if commands_succeed "$@" >"$work/why" 2>&1; then
        echo "ok - $about$1"
    else
        claim_fails "$@"
    fi
}

# claim_status STATUS SENTENCE COMMAND...: the command ends with exactly this status, which is then in $status.
claim_status() {
    run_after 2 "$@" >"$work/why" 2>&1
    if [ "$status" -eq "$1" ]; then
        echo "ok - $about$2"
    else
        claim_fails_after 1 "$@"
    fi
}

# claim_line SENTENCE PATTERN FILE: the file has a line that matches the extended regular expression.
claim_line() { claim "$1" has_line "$2" "$3"; }

# claim_no_line SENTENCE PATTERN FILE: the file is there, and has no such line.
claim_no_line() { claim "$1" no_line "$2" "$3"; }

# claims_of COMMAND...: the claims that a program makes itself, in its output. It must make some, and end with status 0 or
# have said which one does not hold. A program in Python may import claims.
claims_of() {
    claims_status=0
    PYTHONPATH=$claims_path PYTHONDONTWRITEBYTECODE=1 "$@" >"$work/claims" 2>"$work/why" || claims_status=$?
    sed -E "s/^((not )?ok - )/\\1$(printf %s "$about" | sed 's/[&\\/]/\\&/g')/" "$work/claims"
    if grep -q '^not ok ' "$work/claims"; then
        sed 's/^/# /' "$work/why" | tail -n 40
        failed=1
    elif [ "$claims_status" -ne 0 ]; then
        claim_fails "$1 ends with status 0, not $claims_status" "$@"
    elif ! grep -q '^ok ' "$work/claims"; then
        claim_fails "$1 makes a claim" "$@"
    fi
}

# skip SENTENCE WHY: what cannot be tested here counts as a claim that holds.
skip() { echo "ok - $about$1 # SKIP $2"; }

# finish: ends the test; it has failed if a claim does not hold, or if a program that was tried has crashed.
finish() {
    if [ -s "$work/crashes" ]; then
        sed 's/^/not ok - no crash: /' "$work/crashes"
        failed=1
    fi
    exit $failed
}

# ---- programs under test ----

# try COMMAND...: runs it; its status is then in $status. If it crashes the test fails, whatever is claimed of its output.
try() {
    status=0
    "$@" || status=$?
    case $status in # SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL (the host has no memory left), SIGSEGV
    132 | 133 | 134 | 135 | 136 | 137 | 139) echo "$* (status $status)" >>"$work/crashes" ;;
    esac
}

# wait_killed PID: waits for a program that the test has sent a signal; its status is then in $status. No status is a crash.
wait_killed() {
    status=0
    wait "$1" || status=$?
}

# ---- what may be claimed ----

# has_status STATUS: with which the last program ended that was tried.
has_status() { [ "$status" -eq "$1" ]; }

# has_line PATTERN FILE, no_line PATTERN FILE: as in claim_line and claim_no_line.
has_line() { grep -Eq -e "$1" "$2"; }
no_line() {
    grep -E -e "$1" "$2"
    [ $? -eq 1 ] # 2: the file cannot be read
}

# line_count NUMBER PATTERN FILE: NUMBER lines match.
line_count() { [ "$(grep -Ec -e "$2" "$3")" -eq "$1" ]; }

# ---- parts of the above ----

# commands_succeed SENTENCE COMMAND... [and COMMAND...]...: whether all of the commands succeed, one after the other.
commands_succeed() {
    claim_commands=
    claim_words=1 claim_word=
    while [ "$claim_words" -lt $# ]; do
        claim_words=$((claim_words + 1))
        eval "claim_word=\${$claim_words}"
        if [ "$claim_word" = and ]; then
            claim_commands="$claim_commands &&"
        else
            claim_commands="$claim_commands \"\${$claim_words}\""
        fi
    done
    [ -n "$claim_commands" ] && eval "$claim_commands"
}

# run_after COUNT WORD...: tries the command that follows the first COUNT words.
run_after() {
    shift "$(($1 + 1))"
    try "$@"
}

# claim_fails SENTENCE COMMAND...: the claim does not hold; shows the last output.
claim_fails() {
    echo "not ok - $about$1"
    failed=1
    shift
    echo "# $* (the last status is ${status:-none})"
    for claim_file in "$work/why" "$err" "$out" "$work"/*.out; do
        [ ! -s "$claim_file" ] || tail -n 40 "$claim_file" | sed 's/^/# /'
    done
}

# claim_fails_after COUNT WORD...: the same without the first COUNT words.
claim_fails_after() {
    shift "$(($1 + 1))"
    claim_fails "$@"
}
