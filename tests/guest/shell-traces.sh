#!/bin/sh
# shell-traces.sh - a script from the initrd drives the tracer as one would on Linux.
. "$(dirname "$0")/lib.sh"

cat >"$work/drive.sh" <<'EOS'
#!/bin/sh
cd /sys/kernel/tracing || exit 1
echo 'fib' 'tree_*' > set_ftrace_filter
for tracer in $(cat available_tracers); do
    echo $tracer > current_tracer || echo "cannot set $tracer"
    [ "$(cat current_tracer)" = $tracer ] && echo "set $tracer"
done
echo nop > current_tracer; echo > trace
n=$(wc -l < set_ftrace_filter)
[ $n -eq $(grep -c -E '^(fib|tree_)' available_filter_functions) ] && echo "the filter has what the glob has"
echo function > current_tracer
echo "$(echo begin)" > trace_marker
work tree 1 | cut -d ' ' -f 1-3
echo 0 > tracing_on
calls=$(grep -c ': tree_.* <-' trace)
[ $calls -gt 0 ] && [ $calls -eq $(grep ': tree_.* <-' trace | wc -l) ] && echo "the trace has calls"
grep -q 'begin' trace && echo "and the mark"
grep -v '^#' trace | sort | uniq | head -n 1 | grep -q . && echo "deep pipelines read it"
echo bogus > current_tracer 2>/err || echo "refused: $(cat /err)"
{ echo nop > current_tracer; echo 1 > tracing_on; echo > trace; } 2>&1 | wc -c
for f in *; do [ -d $f ] || [ ! -r $f ] || [ $f = trace_pipe ] || [ $f = trace_pipe_raw ] ||
    cat $f > /dev/null || echo "cannot read $f"; done
echo fib > set_ftrace_filter; echo function > current_tracer
if [ -e trace_pipe ]; then
    : > /piped; cat trace_pipe > /piped & reader=$!
    work calls 1 > /dev/null
    until grep -q fib /piped; do usleep 1000; done
    kill $reader; wait $reader; echo "trace_pipe was read until $?"
fi
echo nop > current_tracer; echo > set_ftrace_filter; cat set_ftrace_filter
exit 7
EOS
chmod +x "$work/drive.sh"
(cd "$work" && echo drive.sh | cpio -o -H newc --quiet) >"$work/initrd"
command='/drive.sh; echo status $?'

for harts in 1 4; do
    run_guest mcount $harts "$command" -initrd "$work/initrd"
    cp "$out" "$work/qemu.$harts"
    run_on_rvftrace mcount $harts "$command" --initrd "$work/initrd"
    for machine in rvftrace qemu; do
        [ $machine = qemu ] && cp "$work/qemu.$harts" "$out"
        for line in 'set nop' 'set function' 'set function_graph' \
            'the filter has what the glob has' 'work tree: n=1' 'the trace has calls' \
            'and the mark' 'deep pipelines read it' \
            'refused: sh: write error: Invalid argument' '0' \
            'trace_pipe was read until 143' '#### all functions enabled ####' 'status 7'; do
            claim_line "$machine, $harts harts: $line" "^$line$" "$out"
        done
        claim "$machine, $harts harts: nothing failed" has_status 0 and no_line 'cannot' "$out"
    done
done
finish
