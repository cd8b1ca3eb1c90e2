# modules.sh - a module comes, can be used, and goes when nobody uses it any more.
M=/lib/modules
lsmod
insmod $M/sample_user.ko
insmod $M/trace_sample.ko depth=3; cat /proc/trace_sample
insmod $M/sample_user.ko start=-5 greeting=hi
lsmod | cut -d ' ' -f 1
rmmod trace_sample
insmod $M/trace_sample.ko
rmmod sample_user; rmmod trace_sample; rmmod trace_sample
cat /proc/trace_sample
insmod $M/trace_sample.ko depth=99; insmod $M/trace_sample.ko depth=x; insmod $M/nothing.ko
echo nonsense > /junk; insmod /junk; lsmod
