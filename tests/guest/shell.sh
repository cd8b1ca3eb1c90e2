#!/bin/sh
# shell.sh - the guest's shell as the first program and at the terminal; its language is tested by suite.sh.
. "$(dirname "$0")/lib.sh"

scripts=$(cd "$(dirname "$0")/shell" && pwd)
(cd "$scripts" && find . -name '*.sh' | sort | cpio -o -H newc --quiet) >"$work/initrd"

run_guest mcount 2 "cat < /nothing; echo x > $T/current_tracer; echo \$?; /words.sh;
    kill 12345; nosuch; cd /none; exit 3" -initrd "$work/initrd"
claim_line 'what cannot be opened is said' '^sh: cannot open /nothing: No such file or directory$' "$out"
claim_line 'what a file of the kernel refuses is said' '^sh: write error: Invalid argument$' "$out"
claim_line 'a file that may not be executed is not' '^sh: /words.sh: Permission denied$' "$out"
claim_line 'no such process' '^sh: kill: 12345: No such process$' "$out"
claim_line 'no such command' '^sh: nosuch: not found$' "$out"

printf '#!/bin/sh\necho "script $0 with $#: $1"\nexit 4\n' >"$work/boot.sh"
chmod +x "$work/boot.sh"
(cd "$work" && echo boot.sh | cpio -o -H newc --quiet) >"$work/boot.cpio"
timeout 300 "$BUILD/rvftrace" run --quiet --initrd "$work/boot.cpio" \
    --append 'script="/boot.sh one; test $? = 4 && exit 0; exit 1"' \
    "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$out" 2>"$err"
status=$?
claim_line 'a script of the initrd is a command' 'script /boot.sh with 1: one' "$out"
claim 'exit 0 is success' has_status 0
timeout 300 "$BUILD/rvftrace" run --quiet --append 'script="exit 3"' \
    "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$out" 2>"$err"
status=$?
claim 'exit with another status is the machine'"'"'s, on rvftrace' has_status 3
timeout 300 qemu-system-riscv64 -machine virt -display none -monitor none -serial stdio -no-reboot \
    -kernel "$BUILD/guest-kernel/mcount/kernel.elf" -append 'script="exit 3"' \
    </dev/null >"$out" 2>"$err"
status=$?
claim 'and on QEMU' has_status 3

# ---- which program is the first ----

# run_init BOOTARGS [OPTIONS...]: without a script, on rvftrace; $status.
run_init() {
    args=$1
    shift
    try timeout 300 "$BUILD/rvftrace" run --quiet --audit fail --memory 128M --append "$args" "$@" \
        "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$work/raw" 2>"$err"
    tr -d '\r' <"$work/raw" >"$out"
}
# Its status is the number of its arguments, and init's is the machine's.
run_init 'COLOUR=blue init=/bin/hello -- one two' --initrd "$BUILD/guest-kernel/initrd.cpio"
claim 'init= names the first program' has_status 2 and has_line '^hello from U-mode$' "$out"
claim_line 'it gets the words after --' '^argv\[2\] = two$' "$out"
claim_line 'and, as variables, what the kernel does not know' '^environ\[2\] = COLOUR=blue$' "$out"
printf 'no program\n' >"$work/init" && chmod +x "$work/init"
(cd "$work" && echo init | cpio -o -H newc --quiet) >"$work/init.cpio"
run_init 'script="echo the shell"' --initrd "$work/init.cpio"
claim_line 'an /init that is no ELF file is told' '^\[.*\] Failed to execute /init: Exec format error$' "$out"
claim 'and the next program is tried' has_status 0 and has_line '^the shell$' "$out"
printf '#!/bin/hello from\n' >"$work/init"
(cd "$work" && echo init | cpio -o -H newc --quiet) | cat "$BUILD/guest-kernel/initrd.cpio" - >"$work/init.cpio"
run_init '-- one two' --initrd "$work/init.cpio"
claim 'a script can be /init, for its interpreter' has_status 4 and has_line '^argv\[2\] = /init$' "$out"
run_init 'script="kill -9 $$; kill $$; echo alive"'
claim 'init survives signals that it does not catch' has_status 0 and has_line '^alive$' "$out"

try tests/machine/talk.py 60 "$BUILD/rvftrace" run --quiet --audit fail --append 'rdinit=/none init=/none' \
    "$BUILD/guest-kernel/mcount/kernel.elf" >"$out" 2>"$err" <<'STEPS'
wait (kernel) # 
send ls /
wait proc
wait (kernel) # 
send echo tree_* > /sys/kernel/tracing/set_ftrace_filter
wait (kernel) # 
send cat /sys/kernel/tracing/set_ftrace_filter
wait tree_run
wait (kernel) # 
send cat /none
wait No such file or directory
wait (kernel) # 
send nothing
wait not found
wait (kernel) # 
send poweroff
STEPS
claim_line 'without a first program there is an emergency console' \
    'Failed to execute /none: No such file or directory' "$out"
claim 'its poweroff is the end' has_status 0 and has_line 'poweroff' "$out"

# ---- at the terminal ----

try tests/machine/talk.py 60 "$BUILD/rvftrace" run --quiet --audit fail --harts 2 \
    "$BUILD/guest-kernel/mcount/kernel.elf" >"$out" 2>"$err" <<'STEPS'
wait # 
send echo 'g'o; while :; do :; done
wait go
keys \x03
wait # 
send echo left $?
wait left 130
wait # 
send for i in 1 2 3; do echo 't'urn; sleep 100; done; echo not reached
wait turn
keys \x03
wait # 
send echo left $?
wait left 130
wait # 
keys unfinished
wait unfinished
keys \x03
wait # 
send echo 'one
wait > 
send two'
wait two
wait # 
send { echo 'p'ipe; sleep 100; } | cat
wait pipe
keys \x03
wait # 
send sleep 0.01 & wait $!; echo done $?
wait done 0
wait # 
send sh
wait # 
send exit 7
wait # 
send echo inner $?
wait inner 7
wait # 
send exit 5
STEPS
claim '^C ends a loop, a command in a loop, a pipeline, and a line half typed' \
    has_status 5 and has_line 'inner 7' "$out" and no_line '^not reached' "$out" and test ! -s "$err"
finish
