#!/bin/sh
# shellcheck disable=SC2317 # claim calls by name
# ftracetest-inside.sh - Linux's own tests of ftrace (tools/testing/selftests/ftrace, those of 6.1) inside the guest kernel,
# with Debian's static busybox as its shell.
#
# The results are compared with those of Linux 6.1 on the same machine, which ftracetest.sh has kept beside that kernel.
# ftracetest-differences.txt explains each difference (name, Linux's result, the result here, the reason): one that is not in it
# fails, and so does a line that holds no more. docs/guest-tests.md has the reasons.
# TESTS runs some of the tests, for example test.d/kprobe; then only what they say is printed. LINES: that much of the
# log of each test that did not pass.
. "$(dirname "$0")/../machine/common.inc"

cache=${LINUX_CACHE:-.cache/linux}
linux=$cache/linux-6.1-tracers/ftracetest
known=$(dirname "$0")/ftracetest-differences.txt
layout=${LAYOUT:-pfe8}
kernel=$BUILD/guest-kernel/$layout
if [ ! -e "$cache/ftracetest.cpio" ] || [ ! -e "$cache/busybox" ]; then
    skip 'ftracetest inside the guest kernel' "there is no $cache/ftracetest.cpio: tests/linux/guests.sh makes it"
    finish
fi

# As in ftracetest.sh: numbers of processes are long, so that they are in no time stamp, and the tests of the function
# profiler are left out.
mkdir -p "$work/root/bin" "$work/root/tmp"
cp "$cache/busybox" "$work/root/bin/busybox"
ln -s busybox "$work/root/bin/sh"
cat >"$work/root/init" <<END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export HOME=/ PATH=/bin
rm /bin/ping; mv /tmp/ping /tmp/nice /bin
mount -t debugfs debugfs /sys/kernel/debug
cd /proc/sys/kernel; echo 4000000 > pid_max; echo 1000000 > ns_last_pid
mkdir -p /lib/modules/\$(uname -r); mv /lib/modules/*.ko /lib/modules/\$(uname -r); depmod
cd /ftrace; rm -f test.d/ftrace/func_profile*.tc; sh ./ftracetest -l /tmp/log ${TESTS-} > /dev/null
cat /tmp/log/ftracetest.log
[ -z "${LINES-}" ] || tail -n ${LINES-} /tmp/log/[0-9]*
exit 0
END
# The tests of histograms wait for the wake-ups of a task that is called ping. There is no network; this one waits for others.
printf '#!/bin/sh\nfor i in 1 2 3; do sleep 0.1; done\n' >"$work/root/tmp/ping"
# Nor has busybox a nice.
printf '#!/bin/sh\nrenice -n $2 -p $$ >/dev/null; shift 2; exec "$@"\n' >"$work/root/tmp/nice"
chmod +x "$work/root/init" "$work/root/tmp/ping" "$work/root/tmp/nice"
(cd "$work/root" && find . | cpio -o -H newc --quiet) | cat - "$kernel/modules.cpio" "$cache/ftracetest.cpio" >"$work/initrd"

# results FILE: one a line, without the numbers: "its name<tab>PASS".
results() { tr -d '\r' <"$1" | sed -n 's/^\[[0-9]*\] *\(.*[^	 ]\)[	 ]*\[\([A-Z]*\)\]$/\1	\2/p'; }

# Each difference: name, Linux's result, the result here (-: the test did not run).
differences() {
    awk -F '\t' 'NR == FNR { linux[$1] = $2; next }
        { here[$1] = $2; if (linux[$1] != $2) print $1 FS (linux[$1] == "" ? "-" : linux[$1]) FS $2 }
        END { for (t in linux) if (!(t in here)) print t FS linux[t] FS "-" }' "$1" "$2" | sort
}
is_explained() { cut -f 1-3 "$known" | sort | diff - "$work/differences"; }

for harts in 1 2; do
    try timeout "${LIMIT:-3600}" "$rvftrace" run --quiet --harts $harts --memory 512M --audit warn --initrd "$work/initrd" \
        "$kernel/kernel.elf" >"$out" 2>"$err" </dev/null
    results "$out" >"$work/here"
    claim "ftracetest runs to its end in the guest kernel with $harts harts" has_status 0 and test -s "$work/here"
    claim_no_line '... and no error in how it patches' '^(error|warning): [a-z-]*: ' "$err"
    [ -z "${LINES-}" ] || cat "$out"
    echo "# the guest kernel:$(cut -f 2 "$work/here" | sort | uniq -c | tr -s ' \n' ' ')"
    if [ $harts -ne 1 ] || [ ! -s "$linux" ] || [ -n "${TESTS-}" ]; then continue; fi
    results "$linux" >"$work/linux"
    echo "# Linux 6.1:$(cut -f 2 "$work/linux" | sort | uniq -c | tr -s ' \n' ' ')"
    differences "$work/linux" "$work/here" >"$work/differences"
    claim 'each difference from Linux 6.1 is explained in ftracetest-differences.txt, and no other' is_explained
done
finish
