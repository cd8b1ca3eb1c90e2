#!/bin/sh
# input.sh - files that --input accepts and refuses, and that the guest gets all of them.
# --record shows what the guest has received.
. "$(dirname "$0")/../machine/common.inc"

# The bytes of a recording's lines.
bytes_of() {
    python3 -c "
import sys
for line in open(sys.argv[1]):
    if line.startswith('input '):
        sys.stdout.buffer.write(bytes([int(line.split()[4], 16)]))" "$1"
}
took_in() { bytes_of "$work/tape" | cmp - "$1"; }

python3 -c "import sys; sys.stdout.buffer.write(bytes(range(256)) * 8)" >"$work/binary"
run run --quiet --console none --input "$work/binary" --record "$work/tape" --max-cycles 100G "$mcount"
claim 'every byte there is reaches the guest' took_in "$work/binary"

awk 'BEGIN { for (i = 0; i < 5000; i++) print "echo line", i; print "poweroff" }' >"$work/long"
run run --quiet --input "$work/long" --record "$work/tape" "$mcount"
claim 'a long script is typed to its end' has_status 0
claim '... with nothing lost' took_in "$work/long"
claim '... and done' line_count 5000 '^line [0-9]' "$out"

run run --quiet --console none --input /dev/null --max-cycles 1G "$mcount"
claim 'no input at all is input, too' has_status 75

try timeout 60 "$rvftrace" run --quiet --append 'script="poweroff"' "$mcount" <&- >"$out" 2>"$err"
claim 'nor is a closed standard input an error' has_status 0
try timeout 60 "$rvftrace" run --quiet --append 'script="poweroff"' "$mcount" </dev/null 2>"$err" >&-
claim 'a closed standard output is' has_status 74
claim '... and one line' says_one_line 'console: Bad file descriptor'

printf 'echo first line, whole\npoweroff\n' >"$work/script"
for firmware in fw_dynamic.bin fw_jump.bin; do
    for harts in 1 4; do
        run run --quiet --harts $harts --firmware "/usr/lib/riscv64-linux-gnu/opensbi/generic/$firmware" \
            --max-cycles 20G --input "$work/script" "$mcount"
        claim_line "behind OpenSBI's $firmware the first byte is the first, $harts harts" \
            '^first line, whole' "$out"
    done
done

# A guest that only its timer wakes is reported soon.
printf 'some input' >"$work/some"
waits='the input has ended and the guest waits'
for harts in 1 2; do
    for input in /dev/null "$work/some"; do
        run run --harts $harts --input "$input" "$programs/tick.elf"
        claim_line "a guest that waits and has a periodic timer is reported, $harts harts, $(basename "$input")" \
            "$waits" "$err"
        claim '... once, and it goes on' has_status 0 and line_count 1 "$waits" "$err"
    done
done
claim_line '... after all that was typed' '^some input' "$out"
run run --quiet --input /dev/null "$programs/tick.elf"
claim '... as a warning, which --quiet leaves' \
    test "$(grep -c "^rvftrace: warning: $waits" "$err").$(wc -l <"$err")" = 1.1
run run --input /dev/null --max-cycles 100G "$programs/tick.elf"
claim 'with a limit there is nothing to report' has_status 0 and no_line "$waits" "$err"
run run --input /dev/null --timeout 50 "$programs/tick.elf"
claim 'nor with one of the wall clock' has_status 0 and no_line "$waits" "$err"
run run --input /dev/null --append 'script="work threads 200; work mixed 200"' "$mcount"
claim 'nor of a guest that works' has_status 0 and no_line "$waits" "$err"

# A prompt that waits without end, without user or limit: time follows the wall clock, and the host is idle.
"$rvftrace" run "$mcount" </dev/null >"$out" 2>"$err" &
pid=$!
for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    has_line "$waits" "$err" && break
    sleep 0.1
done
claim_line 'a shell that waits for input behind its end is reported within two seconds' "$waits" "$err"
sleep 3
busy() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
before=$(busy)
sleep 2
claim 'a guest that waits for input behind its end hardly costs anything' test $(($(busy) - before)) -lt 40
claim '... which is said once' line_count 1 'the input has ended and the guest waits' "$err"
kill -TERM $pid
try wait $pid
claim '... and a signal ends it' has_status 143
run run --quiet --console none --max-cycles 2000G --account off "$mcount"
claim 'with a limit it races there' has_status 75

mkfifo "$work/fifo"
feed() { timeout 20 sh -c 'cat "$1" >"$2"' sh "$work/script" "$work/fifo"; }
printf 'echo from a FIFO\npoweroff\n' >"$work/script"
feed &
run run --quiet --input "$work/fifo" "$mcount"
claim_line 'a FIFO is waited for, and read' '^from a FIFO' "$out"

run run --quiet --input "$work" "$mcount"
claim 'a directory is refused with status 74' has_status 74
claim '... and one line' says_one_line "$work: is a directory; give"
run run --quiet --console none --input /proc/self/mem "$mcount"
claim 'a file that cannot be read ends the run with status 74' has_status 74
claim '... and one line' says_one_line '/proc/self/mem: cannot be read: Input/output error; give'
feed &
run run --quiet --record "$work/tape" --initrd "$work/fifo" "$mcount"
claim 'a recording needs files that stay' refused 74 '.*fifo: can be read only once'
finish
