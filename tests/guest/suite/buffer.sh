# buffer.sh - sizes, what is lost and what is kept, marks, the harts that record.
. /suite/lib.sh
cat buffer_size_kb
echo 64 > buffer_size_kb; cat buffer_size_kb
echo 128 > buffer_size_kb; cat buffer_size_kb per_cpu/cpu0/buffer_size_kb
echo 0 > buffer_size_kb; echo x > buffer_size_kb; echo 1x > buffer_size_kb; cat buffer_size_kb
ls per_cpu/cpu0
echo first > trace_marker; echo -n second > trace_marker; echo > trace_marker
grep -c tracing_mark_write trace; grep mark trace | cut -d : -f 3
echo > trace; grep -c mark trace
# Reading trace takes nothing, reading trace_pipe all.
echo one > trace_marker; echo two > trace_marker; echo 0 > tracing_on
grep -c mark trace; grep -c mark trace
cat trace_pipe | cut -d : -f 3; cat trace | grep -c mark
# While somebody reads, recording goes on, unless it is asked to pause.
echo 1 > tracing_on; { echo meanwhile > trace_marker; } < trace; grep -c meanwhile trace
echo 1 > options/pause-on-trace; { echo paused > trace_marker; } < trace; grep -c paused trace
echo 0 > options/pause-on-trace
# The oldest goes first, or the newest does not come.
echo 8 > buffer_size_kb; echo > trace; echo 1 > tracing_on
i=0; while [ $i -lt 600 ]; do i=$((i + 1)); echo "mark number $i" > trace_marker; done
grep -q 'number 600$' trace && echo the newest is there
grep -q 'number 1$' trace || echo the oldest is not
echo > trace; echo nooverwrite > trace_options
i=0; while [ $i -lt 600 ]; do i=$((i + 1)); echo "mark number $i" > trace_marker 2> /dev/null; done
grep -q 'number 600$' trace || echo the newest is not there
grep -q 'number 1$' trace && echo the oldest is
echo overwrite > trace_options; echo > trace
# No hart records, then all do.
echo 1 > tracing_cpumask; echo 0 > tracing_cpumask; cat tracing_cpumask
echo lost > trace_marker; echo x > tracing_cpumask
echo 100 > tracing_cpumask; grep -c lost trace
mask=0; for cpu in per_cpu/*; do mask=$((mask * 2 + 1)); done
case $mask in 1) ;; 3) ;; 15) mask=f ;; esac
echo $mask > tracing_cpumask; echo kept > trace_marker; grep -c kept trace
# Another clock: its stamps cannot be compared with what is there, which goes.
echo counter > trace_clock; grep -c kept trace
echo a > trace_marker; echo b > trace_marker; grep mark trace | cut -d : -f 3
echo local > trace_clock; grep -c mark trace
echo 1 > options/disable_on_free; echo > free_buffer; cat tracing_on; echo 0 > options/disable_on_free
echo 1408 > buffer_size_kb
reset
