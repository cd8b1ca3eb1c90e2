#!/bin/sh
# bpf.sh - the verdicts of the guest kernel's verifier, and the results of programs, are those of Debian's kernel on the
# same machine: the same program asks both.
. "$(dirname "$0")/../guest/lib.sh"
debian=${LINUX_CACHE:-.cache/linux}/debian-13/Image

mkdir -p "$work_dir/root/dev"
cp "$BUILD/guest-kernel/user/bin/bpfverdicts" "$work_dir/root/init"
mknod "$work_dir/root/dev/console" c 5 1
(cd "$work_dir/root" && find . | cpio --quiet -o -H newc) >"$work_dir/initrd"
timeout 600 "$BUILD/rvftrace" run --quiet --memory 512M --initrd "$work_dir/initrd" --append 'console=ttyS0 quiet' \
    "$debian" </dev/null 2>/dev/null | tr -d '\r' | grep '^verdict' >"$work_dir/debian"
timeout 60 "$BUILD/rvftrace" run --quiet --initrd "$BUILD/guest-kernel/initrd.cpio" --append 'script="/bin/bpfverdicts"' \
    "$BUILD/guest-kernel/pfe8/kernel.elf" </dev/null 2>/dev/null | tr -d '\r' | grep '^verdict' >"$work_dir/ours"

check 'Debian is asked about every program' grep -q '^verdicts: [0-9]' "$work_dir/debian"
# Linux lets a privileged program read a stack that it has not written, since 6.3.
cat >"$work_dir/since63" <<'END'
verdict a key that was not set
verdict a key that is partly set
verdict the stack is exchanged before it was set
END
grep -vFf "$work_dir/since63" "$work_dir/debian" >"$work_dir/theirs"
grep -vFf "$work_dir/since63" "$work_dir/ours" >"$work_dir/mine"
check 'verdicts and results are the same' diff "$work_dir/theirs" "$work_dir/mine"
finish
