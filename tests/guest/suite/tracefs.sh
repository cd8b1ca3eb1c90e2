# tracefs.sh - the files are there, say what they hold and refuse what makes no sense.
. /suite/lib.sh
ls $T
ls $T/options
cat available_tracers
for tracer in $(cat available_tracers); do
    echo $tracer > current_tracer && cat current_tracer
done
for clock in local global counter uptime perf mono mono_raw boot tai; do
    echo $clock > trace_clock && cat trace_clock
done
echo local > trace_clock
grep -c . README > /dev/null && echo 'README says something'
cat trace
echo bogus > current_tracer; echo $?; cat current_tracer
echo bogus > trace_clock
echo x > tracing_on
echo 0 > tracing_on; cat tracing_on; echo 1 > tracing_on; cat tracing_on
echo x > available_tracers
cat trace_marker
cat nothing
cat $T
echo 3 > max_graph_depth; cat max_graph_depth; echo -1 > max_graph_depth; cat max_graph_depth
rm trace; mkdir new; echo x > new
reset
