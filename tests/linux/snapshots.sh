#!/bin/sh
# shellcheck disable=SC2119,SC2317 # claim calls by name
# snapshots.sh - Linux that is continued from a file: the same report as without, and a booted Debian
# kernel in less than 300 ms. guests.sh fetches the kernels.
. "$(dirname "$0")/../machine/common.inc"

cache=${LINUX_CACHE:-.cache/linux}
file=$work/booted.rvs

{
    yes '' | head -n 50 # Linux's serial driver empties the receiver several times when it starts
    echo 'cd /sys/kernel/tracing; echo function > current_tracer; ls / > /dev/null'
    echo 'echo function_graph > current_tracer; ls /; echo nop > current_tracer; echo done; poweroff -f'
} >"$work/input"

# linux OPTION...: a boot, its report in $work/$1.
linux() {
    name=$1
    shift
    run run --quiet "$@" --report "$work/$name"
}

# The middle of what the guest does after its last byte of input, in cycles.
middle() {
    awk '/^input/ { last = $3 } /^end/ { printf "%d", (last + $3) / 2 }' "$work/tape"
}

# Equal to the byte, but for the name of the recording.
same_report() {
    sed 's/"replay":[^,]*//' "$work/whole" >"$work/a"
    sed 's/"replay":[^,]*//' "$work/rest" >"$work/b"
    [ -s "$work/a" ] && cmp "$work/a" "$work/b"
}

for guest in 'linux-6.1/vmlinux 1' 'linux-6.1/vmlinux 2' 'debian-13/Image 2'; do
    image=$cache/${guest% *} harts=${guest##* }
    set -- --harts "$harts" --memory 512M --append console=ttyS0 --initrd "$cache/initramfs.cpio"
    LIMIT=300 linux whole "$@" --input "$work/input" --record "$work/tape" "$image"
    claim "${guest% *} with $harts harts runs a script" has_status 0
    LIMIT=300 linux saved "$@" --replay "$work/tape" --save-at "$(middle)" --save "$file" "$image"
    claim '... saves its state in the midst of it' has_status 0 and test -s "$file"
    linux rest --restore "$file" --replay "$work/tape"
    claim '... goes on from there, to the same report' same_report
    claim '... and the same end' has_status 0
done

# The time of the host's processors, the least of five: a busy host has less of it for us, not more of it to spend.
restore_time() {
    python3 -c 'import resource, subprocess, sys
def used():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime
def once():
    before = used()
    assert subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 75
    return used() - before
print(min(once() for i in range(5)))' "$rvftrace" run --quiet --restore "$file" --max-insns 1
}

for kernel in debian-13 debian-sid; do
    LIMIT=300 run run --quiet --memory 512M --append console=ttyS0 --initrd "$cache/initramfs.cpio" --max-cycles 4G \
        --save "$file" "$cache/$kernel/Image"
    claim "$kernel at its prompt takes less than 32 MiB" has_status 75 and test "$(stat -c %s "$file")" -lt 33554432
    printf 'echo after $((6 * 7))\npoweroff -f\n' >"$work/input"
    run run --quiet --restore "$file" --input "$work/input"
    claim '... and goes on' has_status 0 and has_line '^after 42' "$out"
    seconds=$(restore_time)
    echo "# restored with $seconds s of processor time"
    claim '... in less than 300 ms' awk "BEGIN { exit !($seconds > 0.01 && $seconds < 0.3) }"
done
finish
