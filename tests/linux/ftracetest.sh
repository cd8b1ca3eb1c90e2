#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# ftracetest.sh - Linux's own tests of ftrace (tools/testing/selftests/ftrace, those of 6.1): the
# same results here as on QEMU, and nothing in what they do to code that the audit calls an error.
#
# The kernel is linux-6.1-tracers, which has every tracer that it can have: what it cannot do is
# UNSUPPORTED. On QEMU 7.2 6.1 hangs with two harts when they stop for a patch, so the results to
# compare are those of one hart; they are kept beside the kernel. With two harts only the
# audit counts. KERNELS names other folders of the cache, TESTS some of the tests, for example test.d/ftrace.
#
# Some tests look for the number of a process anywhere in a line of the trace. A short number also
# occurs in time stamps, so that on any machine, QEMU too, their result is a matter of chance. Numbers of seven
# digits do not: the fraction of a time stamp has six.
#
# The two tests of the function profiler are left out. In this kernel they take more than 40 thousand million
# cycles, on QEMU minutes: the profiler switches interrupts off and on in every function, and for the irqsoff tracer
# each switch walks the stack, in functions that are traced in turn.
. "$(dirname "$0")/../machine/common.inc"

cache=${LINUX_CACHE:-.cache/linux}
talk=$(dirname "$0")/../machine/talk.py
tests=${TESTS-}
if [ ! -e "$cache/ftracetest.cpio" ]; then
    skip ftracetest "there is no $cache/ftracetest.cpio: tests/linux/guests.sh makes it"
    finish
fi
# Messages of the kernel must not come between those of the tests.
cat >"$work/talk" <<END
wait guest# 
send echo 1 > /proc/sys/kernel/printk; cd /proc/sys/kernel; echo 4000000 > pid_max; echo 1000000 > ns_last_pid
wait guest# 
send to=/lib/modules/\$(uname -r); [ ! -e /modules ] || { mkdir -p /lib/modules; mv /modules \$to; depmod; }
wait guest# 
send cd /ftrace; rm -f test.d/ftrace/func_profile*.tc; ./ftracetest -l /tmp/log $tests
wait guest# 
send poweroff -f
END

# results FILE: of what the console said, one a line: "[12] its name [PASS]".
results() { tr -d '\r' <"$1" | sed -n 's/^\(\[[0-9]*\] .*\[[A-Z]*\]\)$/\1/p'; }

# ask_qemu FOLDER FILE: QEMU's results of that kernel into the file, if they are not there yet.
ask_qemu() {
    [ ! -s "$2" ] || [ -n "$(find "$1/Image" "$0" -newer "$2")" ] || return 0
    try python3 "$talk" "${LIMIT:-3600}" qemu-system-riscv64 -machine virt -m 512M -display none -monitor none \
        -serial stdio -no-reboot -kernel "$1/Image" -initrd "$work/initramfs" -append console=ttyS0 \
        <"$work/talk" >"$out" 2>"$err"
    claim "ftracetest runs to its end on QEMU with $(basename "$1")" has_status 0
    results "$out" >"$work/qemu"
    has_status 0 && mv "$work/qemu" "$2"
}

same_results() { diff "$1" "$work/here"; }
no_errors() { [ -z "$(grep -E '^(error|warning): [a-z-]*: ' "$err")" ]; }
for kernel in ${KERNELS:-linux-6.1-tracers}; do
    folder=$cache/$kernel
    set -- --symbols "$folder/vmlinux"
    [ -e "$folder/vmlinux" ] || set --
    cat "$cache/initramfs.cpio" "$cache/ftracetest.cpio" >"$work/initramfs"
    [ ! -e "$folder/modules.cpio" ] || cat "$folder/modules.cpio" >>"$work/initramfs"
    on_qemu=$folder/ftracetest$(printf '%s' "$tests" | tr -c 'a-zA-Z0-9' -)
    ask_qemu "$folder" "$on_qemu"
    for harts in 1 2; do
        try python3 "$talk" "${LIMIT:-3600}" "$rvftrace" run --harts $harts --memory 512M --append console=ttyS0 \
            --audit warn --allow clobbered-register/a1@return_to_handler --allow unordered-remote-fence --initrd "$work/initramfs" "$@" "$folder/Image" <"$work/talk" >"$out" 2>"$err"
        results "$out" >"$work/here"
        claim "ftracetest runs to its end with $kernel and $harts harts" has_status 0 and test -s "$work/here"
        [ $harts -ne 1 ] || claim '... with the same results as on QEMU' same_results "$on_qemu"
        claim '... and no error in how Linux patches' no_errors
        echo "# $kernel:$(sed 's/.*\[//; s/\]//' "$work/here" | sort | uniq -c | tr -s ' \n' ' ')"
        echo "# $(grep '^audit:' "$err")"
    done
done
finish
