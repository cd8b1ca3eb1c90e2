# shellcheck shell=sh disable=SC2034 # the variables are for the including script
# lib.sh - for the tests of the benchmark tools: a scratch directory, claims.

BUILD=${BUILD:-build}
rvftrace=${RVFTRACE:-$BUILD/rvftrace}
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

claim() { # status, sentence
    if [ "$1" -eq 0 ]; then
        echo "ok - $2"
    else
        echo "not ok - $2"
        sed 's/^/# /' "$work/out" "$work/err" | tail -n 40
        failed=1
    fi
}

# check SENTENCE COMMAND...: holds if the command ends with 0. $work/out is what
# the last output of a command that was not empty, for later checks.
check() {
    sentence=$1
    shift
    "$@" >"$work/out.new" 2>"$work/err"
    set -- $? "$sentence"
    [ -s "$work/out.new" ] && mv "$work/out.new" "$work/out"
    claim "$@"
}

# exits STATUS WHAT COMMAND...: it ends with STATUS and at most one line of error.
exits() {
    status=$1 sentence="$2: exit status $1"
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    lines=$(grep -c 'error:' "$work/err")
    [ $got -eq "$status" ] && [ "$lines" -eq $((status > 1)) ] && ! grep -q Traceback "$work/err"
    claim $? "$sentence"
}

lacks() { ! grep -q -- "$1" "$2"; }
