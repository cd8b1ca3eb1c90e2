# lib.sh - for the scripts of seeds, which the guest's shell runs: what an article shows, checked where it happens.
cd /sys/kernel/debug/tracing

# claim SENTENCE COMMAND...: the sentence holds if the command succeeds.
claim() {
    sentence=$1
    shift
    if "$@" > /claim; then echo "ok - $sentence"; else echo "not ok - $sentence"; cat /claim; fi
}
# has FILE PATTERN, lacks FILE PATTERN: a line of the file that matches.
has() { grep -Eq "$2" "$1"; }
lacks() { ! grep -Eq "$2" "$1"; }
is() { test "$(cat $1)" = "$2"; }
# A child process, and a page fault or more.
fork_some() { (cat /proc/version) > /x; (cat /proc/version) > /x; }
reset() { echo nop > current_tracer; echo 0 > events/enable; echo > set_ftrace_filter; echo > set_ftrace_notrace; echo > trace; echo 1 > tracing_on; }
