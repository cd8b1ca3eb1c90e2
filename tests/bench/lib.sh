# shellcheck shell=sh disable=SC2034 # the variables are for the script that sources this
# lib.sh - for the tests of the benchmark tools: claims.sh, at the top of the source tree. RVFTRACE, if set, is the
# emulator to use instead of the one in BUILD.
. "$(dirname "$0")/../claims.sh"
cd "$claims_path/.." || exit 70

rvftrace=${RVFTRACE:-$BUILD/rvftrace}

# exits STATUS COMMAND...: it ends with that status, and says why in one line if that is a refusal (above 1). Its output is
# in $out.
exits() {
    expected=$1
    shift
    try "$@" >"$out" 2>"$err"
    has_status "$expected" && line_count $((expected > 1)) 'error:' "$err" && no_line Traceback "$err"
}
