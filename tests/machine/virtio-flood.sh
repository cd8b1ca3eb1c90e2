#!/bin/sh
# virtio-flood.sh - a queue that asks for 500 GiB at once does not block the emulator: the run can
# be ended at any time, and is deterministic.
. "$(dirname "$0")/common.inc"

flood=$programs/virtio-flood.elf
truncate -s 5G "$work/disk"

# ended_within SECONDS OPTION...: whether the run ends in time after a request to end.
ended_within() {
    start=$(date +%s)
    limit=$1
    shift
    try timeout -k 1 60 "$@" "$flood" </dev/null >/dev/null 2>"$err"
    [ "$(($(date +%s) - start))" -le "$limit" ]
}

for device in "--drive $work/disk,readonly" --virtio-console; do
    name=${device%% *}
    claim "$name: --timeout 1 ends the run" ended_within 8 "$rvftrace" run --quiet --timeout 1 $device
    claim '... with status 75' has_status 75
    for signal in INT TERM; do
        claim "$name: SIG$signal ends the run" \
            ended_within 8 timeout -s $signal 1 "$rvftrace" run --quiet $device and has_status 124
    done
    for turn in 1 2; do
        run run --quiet --max-insns 20M --report "$work/report$turn" $device "$flood"
        mv "$out" "$work/console$turn"
    done
    claim "$name: two runs are the same" cmp "$work/report1" "$work/report2"
    claim '... and their consoles' cmp "$work/console1" "$work/console2"
done
finish
