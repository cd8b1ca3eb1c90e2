#!/bin/sh
# ftrace-mod-words.sh - a filter for a module that is not there waits for it, visibly.
. "$(dirname "$0")/lib.sh"

f=$T/set_ftrace_filter
run_on_rvftrace mcount 1 "echo 'foo:mod:bar' > $f; echo 'fib :mod:bar' >> $f; cat $f; echo read;
    echo '!foo:mod:bar' >> $f; cat $f; echo read; echo > $f; cat $f; echo read;
    echo '!foo:mod:bar' >> $f; echo 'x:mod:' >> $f; echo 'x:bogus:y' >> $f; echo 'foo:mod:!bar' >> $f;
    echo foo:mod:bar > $T/set_graph_function; echo 'foo:mod:bar' > $T/set_ftrace_notrace; cat $T/set_ftrace_notrace"
# What was read the n-th time, on one line.
shown() { grep -v '^#  *' "$out" | grep -Ev '^\[|^sh:' | awk -v n="$1" '/^read$/ { k++; next } k == n - 1' | xargs; }
check 'words that wait stand behind the functions' test "$(shown 1)" = 'fib foo:mod:bar :mod:bar'
check '! takes back a word that waits' test "$(shown 2)" = 'fib :mod:bar'
check 'an empty filter waits for nothing' test "$(shown 3)" = '#### all functions enabled ####'
check 'what cannot come true is EINVAL' \
    test "$(grep -cx 'sh: write error: Invalid argument' "$out")" -eq 5
check 'set_ftrace_notrace waits, too' test "$(shown 4)" = '#### no functions disabled #### foo:mod:bar'
finish
