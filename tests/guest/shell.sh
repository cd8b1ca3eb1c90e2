#!/bin/sh
# shell.sh - the guest's shell does with a script what the host's does.
#
# The scripts are under shell/; they come to the guest in a cpio archive, and
# what they print there must be what they print here, on either machine.
. "$(dirname "$0")/lib.sh"

scripts=$(cd "$(dirname "$0")/shell" && pwd)
(cd "$scripts" && find . -name '*.sh' | sort | cpio -o -H newc --quiet) >"$work_dir/initrd"

# What the guest printed for the script that was run last.
body() { tr -d '\r' <"$1" | sed '1,/^# sh /d'; }

# same_as_here NAME LAYOUT HARTS
same_as_here() {
    name=$1 layout=$2 harts=$3
    mkdir "$work_dir/$name.$layout"
    (cd "$work_dir/$name.$layout" && sh "$scripts/$name.sh") >"$work_dir/here" 2>/dev/null
    run_guest "$layout" "$harts" "mkdir /tmp; cd /tmp; sh /$name.sh" -initrd "$work_dir/initrd"
    body "$out" >"$work_dir/qemu"
    check "$name.sh, $layout, $harts harts: QEMU" diff "$work_dir/here" "$work_dir/qemu"
    timeout 60 "$BUILD/rvftrace" run --quiet --audit fail --harts "$harts" \
        --initrd "$work_dir/initrd" --append "script=\"mkdir /tmp; cd /tmp; sh /$name.sh\"" \
        "$BUILD/guest-kernel/$layout/kernel.elf" </dev/null 2>"$work_dir/errors" >"$out"
    body "$out" >"$work_dir/ours"
    check "$name.sh, $layout, $harts harts: rvftrace" diff "$work_dir/here" "$work_dir/ours"
}

for name in words flow files text; do
    same_as_here "$name" none 1
    same_as_here "$name" mcount 4
done

# Beyond what a host's shell can be asked.
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
