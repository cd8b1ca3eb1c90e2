# load.sh - tracers come and go while threads on all harts work; their result is what it always is.
. /suite/lib.sh
work_result threads 12
work threads 12 > /result &
for round in 1 2; do
    for tracer in function function_graph nop; do
        [ -e current_tracer ] && echo $tracer > current_tracer; sleep 0.001
    done
done
wait
cut -d ' ' -f 1-5 /result
for name in calls tree sort mixed; do work_result $name 2; done
[ ! -e current_tracer ] || reset
