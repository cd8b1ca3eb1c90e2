# lib.sh - for the guest's tests: run an image on QEMU, say what held.
#
# A test sources this, calls run_guest and check, and ends with finish.  BUILD
# is where the images are; the console of the last run is in $out, without
# carriage returns and without the firmware's part.

BUILD=${BUILD:-build}
CROSS=${CROSS:-riscv64-unknown-elf-}
T=/sys/kernel/tracing
# Layouts whose sites are patched.
dynamic_layouts='mcount pfe16 pfe8 atomic callops'
# With this QEMU's time is the guest's own: a busy host cannot make a call, or a turn, look long.
own_time='-icount shift=5,sleep=off'
work_dir=$(mktemp -d)
trap 'rm -rf "$work_dir"' EXIT
out=$work_dir/console
failed=0

# run_guest LAYOUT HARTS SCRIPT [QEMU OPTIONS...]; BOOTARGS are put before the script.
run_guest() {
    layout=$1 harts=$2 script=$3
    shift 3
    timeout "${GUEST_TIMEOUT:-120}" qemu-system-riscv64 -machine virt -m 128M -smp "$harts" \
        -display none -monitor none -serial stdio -no-reboot \
        -kernel "$BUILD/guest-kernel/$layout/kernel.elf" \
        -append "$BOOTARGS script=\"$script\"" "$@" </dev/null 2>"$work_dir/errors" |
        tr -d '\r' | sed -n '/Memory:/,$p' >"$out"
}

# run_on_rvftrace LAYOUT HARTS SCRIPT [OPTIONS...]: the same on our emulator, under audit; $status.
run_on_rvftrace() {
    layout=$1 harts=$2 script=$3
    shift 3
    "$BUILD/rvftrace" run --quiet --audit fail --harts "$harts" --memory 128M \
        --timeout "${GUEST_TIMEOUT:-120}" --append "$BOOTARGS script=\"$script\"" "$@" \
        "$BUILD/guest-kernel/$layout/kernel.elf" </dev/null >"$work_dir/raw" 2>"$work_dir/errors"
    status=$?
    tr -d '\r' <"$work_dir/raw" | sed -n '/Memory:/,$p' >"$out"
}

# check SENTENCE COMMAND...: the sentence is true if the command succeeds.
check() {
    sentence=$1
    shift
    if "$@" >"$work_dir/why" 2>&1; then
        echo "ok - $sentence"
    else
        echo "not ok - $sentence"
        sed 's/^/# /' "$work_dir/why" "$out" "$work_dir/errors" 2>/dev/null | tail -n 60
        failed=1
    fi
}

# Lines of the console that match all of a pattern.
console_has() { grep -Eqx -- "$1" "$out"; }
console_lacks() { ! grep -Eq -- "$1" "$out"; }
# What `work NAME` said of FIELD, one line for each run.
work_field() { sed -n "s/^work $1: .*$2=\([^ ]*\).*/\1/p" "$out"; }

# Without what each machine has of its own: times, overhead marks, counters, pids and harts.
timeless() {
    sed -E '/unhandled signal|\] epc : /d; s/^\[ *[0-9.]+\]/[time]/; s/ cycles=.*//; s/#P:[0-9]+/#P:n/
        s/ +[0-9]+\.[0-9]{6}: / time: /; s/^((\[time\])? +[a-z]+)-[0-9]+ +\[[0-9]+\] /\1-pid [cpu] /
        s/^( +[a-z]+)-[0-9]+ +[0-9](.{5}) +[0-9]+us.: /\1-pid cpu\2 time: /
        s/^( +[a-z]+) +[0-9]+ +[0-9]+ 0 [0-9a-f]{8} [0-9a-f]{8} \[[0-9a-f]+\] .*ms\): /\1 pid cpu time: /
        s/^ [0-9]\) [ +!#*@$] +[0-9.]+ us +\|/ cpu) us |/; s/^ [0-9]\)  +\|/ cpu)    |/
        s/\+0x[0-9a-f]+\/0x[0-9a-f]+/+offset/
        s/ [1-9][0-9]* ([0-9]+)\)/ n \1)/g; s/(\([0-9] [0-9] [0-9] [0-9n]+) [1-9][0-9]*\)/\1 n)/g'
}

finish() { exit $failed; }
