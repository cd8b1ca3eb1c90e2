#!/bin/sh
# shell.sh - what the guest's shell does beyond what a host's can be asked; the rest is in suite.sh.
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
finish
