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

try timeout 300 "$rvftrace" run --quiet --append 'script="poweroff"' "$mcount" <&- >"$out" 2>"$err"
claim 'nor is a closed standard input an error' has_status 0
try timeout 300 "$rvftrace" run --quiet --append 'script="poweroff"' "$mcount" </dev/null 2>"$err" >&-
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

# A guest that waits for input after its end cannot go on.
printf 'some input' >"$work/some"
waits='the input has ended and the guest only waits for more'
run run --quiet --input /dev/null "$mcount"
claim 'a shell that waits for input after its end ends the run' has_status 75 and says_one_line "$waits"
run run --quiet --report "$work/ended" --input "$work/some" "$mcount"
claim '... when it has taken all there was' has_status 75 and has_line '# some input' "$out"
claim '... which the report says' has_line '"ended":"input-ended"' "$work/ended"
run run --input /dev/null --max-cycles 400G "$mcount"
claim 'with a limit that limit is the end' has_status 75 and no_line "$waits" "$err"
run run --input /dev/null "$programs/tick.elf"
claim 'a guest that looks at its console now and then, and ends itself, ends so' has_status 0 and no_line "$waits" "$err"
run run --input /dev/null --append 'script="sleep 200; poweroff"' "$mcount"
claim '... and one that sleeps for minutes' has_status 0 and no_line "$waits" "$err"
run run --input /dev/null --append 'script="work threads 200; work mixed 200"' "$mcount"
claim '... and one that works' no_line "$waits" "$err"
run run --input /dev/null --timeout 0.6 "$mcount"
claim 'until --timeout the guest may wait' has_status 75 and has_line 'stopped by --timeout' "$err"

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
