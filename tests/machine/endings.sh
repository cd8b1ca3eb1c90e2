#!/bin/sh
# endings.sh - every way in which a run can end: its status and message.
. "$(dirname "$0")/common.inc"

run run --quiet "$programs/hello.elf"
claim 'a pass is status 0' has_status 0
claim '... and nothing is said' says_nothing
run run --quiet "$programs/fail.elf"
claim "a failure is the guest's own status" has_status 42
claim '... and nothing is said' says_nothing
run run --quiet "$programs/htif.elf"
claim 'an exit through tohost is its code' has_status 7
claim 'odd and even characters come through tohost' console_is 'through tohost\n'
run run "$programs/reset.elf"
claim 'a reset ends the run with status 0' has_status 0
claim_line '... and is said' '^rvftrace: the guest asked for a reset' "$err"

claim_line '... with the way it took' 'through the test finisher, which ends the run \(hart 0 at main\+0x' "$err"
# ends_by WORDS NAME STATUS PROGRAM ARGUMENTS...: the message about the end, and its fields in the report.
ends_by() {
    words=$1 name=$2 code=$3
    shift 3
    run run --console none --report "$work/report" "$@"
    has_status "$code" &&
        has_line "^rvftrace: ended by the guest through $words, with status $code.* \(hart [0-9]* at " "$err" &&
        python3 -c "import json; assert json.load(open('$work/report'))['run']['ended_by'] == '$name'"
}
# ends_with PATTERN: the last message.
ends_with() { tail -n 1 "$err" >"$work/last" && has_line "$1" "$work/last"; }
claim 'the last line says that the guest ended the run, and how: the finisher' \
    ends_by 'the test finisher' finisher 42 "$programs/fail.elf"
claim '... HTIF' ends_by 'HTIF \(tohost\)' htif 7 "$programs/htif.elf"
claim '... SBI' ends_by 'SBI system reset' sbi-reset 0 --append 'script="poweroff"' "$mcount"
run run --console none "$programs/hello.elf"
claim 'a good end has no last exception' has_status 0 and no_line 'last exception' "$err"
run run --console none --append 'script="echo c > /proc/sysrq-trigger"' "$mcount"
claim_line 'a bad one has' '^rvftrace: the last exception of hart 0: .*, at .* in [MSU]-mode, [0-9]+ instructions? ago$' "$err"
claim '... before the reason, which stays the last line' \
    ends_with 'ended by the guest'

run run --quiet "$programs/stuck.elf"
claim 'a handler that cannot run is status 76' has_status 76
claim '... with hart and address' says_one_line 'hart 0 is in an endless trap loop at 0x1000'
claim_line '... and the exception that it was to handle' \
    'the first trap was ecall from M-mode at 0x[0-9a-f]+ in M-mode$' "$err"

run run --quiet "$programs/badstack.elf"
claim 'a handler that faults in itself is status 76, whatever its stack pointer' has_status 76
claim '... with where, and the exception that it was to handle' says_one_line \
    'hart 0 is in an endless trap loop at 0x800[0-9a-f]+: its trap handler at 0x800[0-9a-f]+ traps there itself \(store access fault on 0x[0-9a-f]+\); the first trap was ecall from M-mode at 0x'

# stuck_with HINT ARGUMENTS...: the result for a file that is not a kernel, or not for this machine.
stuck_with() {
    hint=$1
    shift
    run run --quiet "$@"
    has_status 76 && says_one_line 'hart 0 is in an endless trap loop at 0x0: .*first trap was' && has_line "$hint" "$err"
}
{ head -c 1000 README.md; printf '\001'; } >"$work/data" # a text is refused
claim 'data is asked whether it is a program' stuck_with 'neither an ELF nor a Linux Image' "$work/data"
claim '... or whether it is firmware' stuck_with 'is the file of --firmware' --firmware "$work/data" "$mcount"
claim 'compressed code without C: --isa is named' \
    stuck_with 'illegal instruction 0x.* in S-mode; .*--isa leaves out' --isa rv64g "$mcount"
claim 'a kernel for S-mode in M-mode is told so' \
    stuck_with 'fetch access fault at 0xffffffff8.* in M-mode; .*--firmware builtin' --firmware none "$mcount"
claim 'firmware in S-mode is told so, with its instruction' \
    stuck_with '\(csrr a0,mhartid\) at 0x80200000 in S-mode; .*--firmware none' /usr/lib/u-boot/qemu-riscv64/u-boot.bin
run run --quiet "$programs/asleep.elf"
claim 'a sleep without an end is status 76' has_status 76
claim '... and is said' says_one_line 'every hart waits for an interrupt'
run run --quiet --harts 4 "$programs/asleep.elf"
claim 'and so on four harts' has_status 76
printf 'nobody reads this' >"$work/input"
LIMIT=10
run run --quiet --input "$work/input" "$programs/asleep.elf"
claim 'input that nobody takes does not keep the machine awake' has_status 76
run run --quiet --console none "$programs/plic-uart.elf"
claim 'a guest that waits for input that can never come is status 76 at once' has_status 76
run run --quiet --input /dev/null "$programs/plic-uart.elf"
claim '... and so when its input has ended' has_status 76
LIMIT=60

for limit in --max-insns=1 --max-insns=100k --max-cycles=1 --max-cycles=100K --timeout=0.2; do
    run run --quiet $limit "$programs/loop.elf"
    claim "$limit ends an endless run with status 75" has_status 75
    claim '... and is named' says_one_line "stopped by ${limit%=*}\$"
done
run run --quiet --max-insns=0 "$programs/loop.elf"
claim '--max-insns=0 executes nothing' has_status 75
# The kernel turns the MMU on by a page fault; later ones come from programs that the script starts.
run run --console none --max-insns 10M "$mcount"
claim_line 'a limit says how long ago the last exception was' \
    '^rvftrace: the last exception of hart 0: .*, at .* in [MSU]-mode, [0-9]{4,7} instructions ago$' "$err"

# The limit is exact on any number of harts.
insns() {
    python3 -c "import json; print(sum(h['instructions'] for h in json.load(open('$work/report'))['harts']))"
}
for harts in 1 2 3; do
    run run --quiet --max-insns 54321 --harts $harts --report "$work/report" "$programs/loop.elf"
    claim "54321 instructions are 54321 on $harts harts" test "$(insns)" -eq 54321
done
run run --quiet --max-insns 10M --timeout 50 --max-cycles 1G "$programs/hello.elf"
claim 'a guest that ends before its limits ends as without them' has_status 0

# A signal ends the run orderly, with the report.
"$rvftrace" run --report "$work/report" "$programs/loop.elf" </dev/null >"$out" 2>"$err" &
pid=$!
sleep 0.5
kill -INT $pid 2>/dev/null || kill -TERM $pid
sleep 0.2
kill -TERM $pid 2>/dev/null
try wait $pid
claim 'a run that a signal ends has 128 and its number as status' \
    test "$status" -eq 130 -o "$status" -eq 143
claim_line '... says so' 'interrupted' "$err"
claim '... has written its console' console_is 'endless loop\n'
claim '... and its report' python3 -m json.tool "$work/report"
finish
