# shellcheck shell=sh disable=SC2034 # the variables are for the script that sources this
# lib.sh - for the guest's tests: claims.sh, and what runs a guest kernel on QEMU and on rvftrace.
. "$(dirname "$0")/../claims.sh"

T=/sys/kernel/tracing
# Layouts whose sites are patched.
dynamic_layouts='mcount pfe16 pfe8 atomic callops'
# With this QEMU's time is the guest's own: a busy host cannot make a call, or a turn, look long.
own_time='-icount shift=5,sleep=off'

# run_guest LAYOUT HARTS SCRIPT [QEMU OPTIONS...]: tries the script on QEMU; BOOTARGS are put before it. The console is
# then in $out, without carriage returns and without the firmware's part.
run_guest() {
    layout=$1 harts=$2 script=$3
    shift 3
    try timeout "${GUEST_TIMEOUT:-600}" qemu-system-riscv64 -machine virt -m 128M -smp "$harts" \
        -display none -monitor none -serial stdio -no-reboot \
        -kernel "$BUILD/guest-kernel/$layout/kernel.elf" \
        -append "$BOOTARGS script=\"$script\"" "$@" </dev/null >"$work/raw" 2>"$err"
    tr -d '\r' <"$work/raw" | sed -n '/Memory:/,$p' >"$out"
}

# run_on_rvftrace LAYOUT HARTS SCRIPT [OPTIONS...]: the same on our emulator, under audit.
run_on_rvftrace() {
    layout=$1 harts=$2 script=$3
    shift 3
    try "$BUILD/rvftrace" run --quiet --audit fail --harts "$harts" --memory 128M \
        --timeout "${GUEST_TIMEOUT:-600}" --append "$BOOTARGS script=\"$script\"" "$@" \
        "$BUILD/guest-kernel/$layout/kernel.elf" </dev/null >"$work/raw" 2>"$err"
    tr -d '\r' <"$work/raw" | sed -n '/Memory:/,$p' >"$out"
}

# guest_claims COUNT: the last guest has made COUNT claims of its own, and each holds; nor has rvftrace or QEMU a message.
guest_claims() { has_status 0 && line_count "$1" '^ok - ' "$out" && no_line '^not ok' "$out" && test ! -s "$err"; }

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
