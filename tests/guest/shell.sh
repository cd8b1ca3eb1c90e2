#!/bin/sh
# shell.sh - the guest's shell as the first program and at the terminal; its language is tested by suite.sh.
. "$(dirname "$0")/lib.sh"

scripts=$(cd "$(dirname "$0")/shell" && pwd)
(cd "$scripts" && find . -name '*.sh' | sort | cpio -o -H newc --quiet) >"$work_dir/initrd"

run_guest mcount 2 "cat < /nothing; echo x > $T/current_tracer; echo \$?; /words.sh;
    kill 12345; nosuch; cd /none; exit 3" -initrd "$work_dir/initrd"
check 'what cannot be opened is said' console_has 'sh: cannot open /nothing: No such file or directory'
check 'what a file of the kernel refuses is said' console_has 'sh: write error: Invalid argument'
check 'a file that may not be executed is not' console_has 'sh: /words.sh: Permission denied'
check 'no such process' console_has 'sh: kill: 12345: No such process'
check 'no such command' console_has 'sh: nosuch: not found'

printf '#!/bin/sh\necho "script $0 with $#: $1"\nexit 4\n' >"$work_dir/boot.sh"
chmod +x "$work_dir/boot.sh"
(cd "$work_dir" && echo boot.sh | cpio -o -H newc --quiet) >"$work_dir/boot.cpio"
timeout 60 "$BUILD/rvftrace" run --quiet --initrd "$work_dir/boot.cpio" \
    --append 'script="/boot.sh one; test $? = 4 && exit 0; exit 1"' \
    "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$out" 2>"$work_dir/errors"
status=$?
check 'a script of the initrd is a command' grep -q 'script /boot.sh with 1: one' "$out"
check 'exit 0 is success' test $status -eq 0
timeout 60 "$BUILD/rvftrace" run --quiet --append 'script="exit 3"' \
    "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null >"$out" 2>"$work_dir/errors"
status=$?
check 'exit with another status is the machine'"'"'s, on rvftrace' test $status -eq 3
timeout 60 qemu-system-riscv64 -machine virt -display none -monitor none -serial stdio -no-reboot \
    -kernel "$BUILD/guest-kernel/mcount/kernel.elf" -append 'script="exit 3"' \
    </dev/null >"$out" 2>"$work_dir/errors"
status=$?
check 'and on QEMU' test $status -eq 3

# ---- which program is the first ----

# run_init BOOTARGS [OPTIONS...]: without a script, on rvftrace; $status.
run_init() {
    args=$1
    shift
    timeout 60 "$BUILD/rvftrace" run --quiet --audit fail --memory 128M --append "$args" "$@" \
        "$BUILD/guest-kernel/mcount/kernel.elf" </dev/null 2>"$work_dir/errors" | tr -d '\r' >"$out"
}
run_init 'COLOUR=blue init=/bin/hello -- one two' --initrd "$BUILD/guest-kernel/initrd.cpio"
check 'init= names the first program' console_has 'hello from U-mode'
check 'it gets the words after --' console_has 'argv\[2\] = two'
check 'and, as variables, what the kernel does not know' console_has 'environ\[2\] = COLOUR=blue'
printf 'no program\n' >"$work_dir/init" && chmod +x "$work_dir/init"
(cd "$work_dir" && echo init | cpio -o -H newc --quiet) >"$work_dir/init.cpio"
run_init 'script="echo the shell"' --initrd "$work_dir/init.cpio"
check 'an /init that is no ELF file is told' console_has '\[.*\] Failed to execute /init: Exec format error'
check 'and the next program is tried' console_has 'the shell'
printf '#!/bin/hello from\n' >"$work_dir/init"
(cd "$work_dir" && echo init | cpio -o -H newc --quiet) | cat "$BUILD/guest-kernel/initrd.cpio" - >"$work_dir/init.cpio"
run_init '-- one two' --initrd "$work_dir/init.cpio"
check 'a script can be /init, for its interpreter' console_has 'argv\[2\] = /init'
run_init 'script="kill -9 $$; kill $$; echo alive"'
check 'init survives signals that it does not catch' console_has alive

tests/machine/talk.py 60 "$BUILD/rvftrace" run --quiet --audit fail --append 'rdinit=/none init=/none' \
    "$BUILD/guest-kernel/mcount/kernel.elf" >"$out" 2>"$work_dir/errors" <<'STEPS'
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
check 'without a first program there is an emergency console' \
    grep -q 'Failed to execute /none: No such file or directory' "$out"
check 'its poweroff is the end' grep -q 'poweroff' "$out"

# ---- at the terminal ----

tests/machine/talk.py 60 "$BUILD/rvftrace" run --quiet --audit fail --harts 2 \
    "$BUILD/guest-kernel/mcount/kernel.elf" >"$out" 2>"$work_dir/errors" <<'STEPS'
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
check '^C ends a loop, a command in a loop, a pipeline, and a line half typed' \
    sh -c "grep -q 'inner 7' '$out' && ! grep -q '^not reached' '$out' && ! test -s '$work_dir/errors'"
finish
