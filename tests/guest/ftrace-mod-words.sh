#!/bin/sh
# ftrace-mod-words.sh - a filter for a module that is not there waits for it, visibly, and then holds.
. "$(dirname "$0")/lib.sh"

f=$T/set_ftrace_filter
run_on_rvftrace mcount 1 "echo 'foo:mod:bar' > $f; echo 'fib :mod:bar' >> $f; cat $f; echo read;
    echo '!foo:mod:bar' >> $f; cat $f; echo read; echo > $f; cat $f; echo read;
    echo '!foo:mod:bar' >> $f; echo 'x:mod:' >> $f; echo 'x:bogus:y' >> $f; echo 'foo:mod:!bar' >> $f;
    echo foo:mod:bar > $T/set_graph_function; echo 'foo:mod:bar' > $T/set_ftrace_notrace; cat $T/set_ftrace_notrace
    echo read; echo 'foo:mod:bar' ':mod:bar' 'foo:mod:baz' > $f; echo '!*:mod:bar' >> $f; cat $f; echo read
    insmod /lib/modules/trace_sample.ko; echo 'nosuch:mod:trace_sample' > $f; cat $f" \
    --initrd "$BUILD/guest-kernel/mcount/modules.cpio"
# What was read the n-th time, on one line.
shown() { grep -v '^#  *' "$out" | grep -Ev '^\[|^sh:' | awk -v n="$1" '/^read$/ { k++; next } k == n - 1' | xargs; }
claim 'words that wait stand behind the functions' has_status 0 and test "$(shown 1)" = 'fib foo:mod:bar :mod:bar'
claim '! takes back a word that waits' test "$(shown 2)" = 'fib :mod:bar'
claim 'an empty filter waits for nothing' test "$(shown 3)" = '#### all functions enabled ####'
claim 'what cannot come true is EINVAL' \
    test "$(sed '/insmod .*ko$/,$d' "$out" | grep -cx 'sh: write error: Invalid argument')" -eq 5
claim 'set_ftrace_notrace waits, too' test "$(shown 4)" = '#### no functions disabled #### foo:mod:bar'

claim '!* takes back all that waits for a module' \
    test "$(shown 5)" = '#### all functions enabled #### foo:mod:baz'
claim 'nothing waits for a module that is there' test "$(shown 6)" = '#### all functions enabled ####' \
    and test "$(grep -cx 'sh: write error: Invalid argument' "$out")" -eq 6

# From its very first function on; and nothing comes back with the next module at its place.
run_on_rvftrace mcount 2 "echo ':mod:trace_sample' > $f; echo sample_leaf:mod:trace_sample > $T/set_ftrace_notrace;
    echo function > $T/current_tracer; insmod /lib/modules/trace_sample.ko depth=2; cat $f; echo read;
    cat /proc/trace_sample; grep -c 'sample_init .trace_sample.' $T/trace; grep -c 'sample_leaf ' $T/trace;
    rmmod trace_sample; cat $f; echo read; insmod /lib/modules/trace_sample.ko; cat $f; echo read;
    cat $T/enabled_functions; echo read" --initrd "$BUILD/guest-kernel/mcount/modules.cpio"
claim 'when it comes its functions are in the filter' \
    has_status 0 and test "$(shown 1)" = 'sample_leaf [trace_sample] sample_branch [trace_sample] sample_show [trace_sample] sample_init [trace_sample] sample_exit [trace_sample]'
claim '... and the auditor has nothing to say' test ! -s "$err"
claim 'its first call is traced, and what notrace names is not' \
    test "$(grep -Ex '[0-9]+' "$out" | xargs)" = '1 0'
grep -v '^#' "$out" | sed '1,/^read/d' >"$work/afterwards"
claim_no_line 'when it goes so do they' 'sample_' "$work/afterwards"
finish
