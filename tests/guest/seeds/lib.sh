# lib.sh - for the scripts of seeds, which the guest's shell runs: what an article shows, claimed where it happens, in the
# words of tests/claims.sh.
cd /sys/kernel/debug/tracing

# claim SENTENCE COMMAND...: the sentence holds if the command succeeds.
claim() {
    sentence=$1
    shift
    if "$@" > /claim; then echo "ok - $sentence"; else echo "not ok - $sentence"; cat /claim; fi
}
# claim_line SENTENCE PATTERN FILE, claim_no_line SENTENCE PATTERN FILE: a line of the file that matches.
claim_line() { claim "$1" grep -Eq "$2" "$3"; }
no_line() { [ -e "$2" ] && ! grep -E "$1" "$2"; }
claim_no_line() { claim "$1" no_line "$2" "$3"; }
# is FILE TEXT: all that the file has.
is() { test "$(cat $1)" = "$2"; }
# A child process, and a page fault or more.
fork_some() { (cat /proc/version) > /x; (cat /proc/version) > /x; }
reset() { echo nop > current_tracer; echo 0 > events/enable; echo > set_ftrace_filter; echo > set_ftrace_notrace; echo > trace; echo 1 > tracing_on; }
