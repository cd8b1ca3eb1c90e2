#!/bin/sh
# mounts.sh - debugfs, tracefs and mounts behave as in Linux, in every layout, on QEMU and on rvftrace.
. "$(dirname "$0")/lib.sh"

D=/sys/kernel/debug

# What the n-th command that begins with a text showed (or is that text, with `$` at its end).
said() {
    awk -v cmd="# $1" -v nth="${2:-1}" 'on && /^# / { exit } on { print }
        !on && (index($0, cmd) == 1 || $0 "$" == cmd) && ++n == nth { on = 1 }' "$out"
}
says() { test "$(said "$1" "${3:-1}")" = "$2"; }
mounted() { has_line "^$1 on $2 type $3 \($4\)$" "$out"; }

# both LAYOUT SCRIPT: on both machines; $out is then rvftrace's console.
both() {
    run_guest "$1" 2 "$2"
    timeless <"$out" >"$work/qemu"
    run_on_rvftrace "$1" 2 "$2" --fetch "${fetch:-stale}"
    timeless <"$out" >"$work/ours"
    claim "$1: both consoles are the same" diff "$work/qemu" "$work/ours"
    claim "$1: the audit finds nothing" has_status 0
}

# ---- what articles tell their readers to type ----

articles="mount; ls -ld $D/tracing; cat $D/tracing/current_tracer; mount | tail -n 1;
    echo fib > $D/tracing/set_ftrace_filter; echo function > $D/tracing/current_tracer; work calls 1;
    echo 0 > $D/tracing/tracing_on; cat $T/current_tracer; grep -q ' fib <-' $D/tracing/trace; echo traced \$?;
    echo 1 > $T/tracing_on; cd $D/tracing; pwd; echo nop > current_tracer;
    cd ..; pwd; cat tracing/current_tracer; ls; cd /; mount -t debugfs none $D; echo status \$?;
    umount $D; echo status \$?; ls -a $D; cat $D/tracing/current_tracer; mount -t debugfs none $D;
    echo status \$?; cat $D/tracing/current_tracer; mount -t debugfs nodev /mnt; cat /mnt/tracing/tracing_on;
    ls /mnt; umount /mnt; mount nodev /mnt -t tracefs; cat /mnt/current_tracer; echo 0 > /mnt/tracing_on;
    cat $T/tracing_on; umount /mnt < /mnt/trace; echo 1 > $T/tracing_on; umount /mnt;
    mount -t tracefs nodev $T; echo status \$?; umount $T; ls -a $T; mount -t tracefs nodev $T; cat $T/tracing_on;
    mount -o remount,mode=755 $T; ls -ld $T $D/tracing; mount -t tracefs; cat /proc/filesystems; echo the end"

tracing_layout() {
    both "$1" "$articles"
    claim "$1: init has mounted debugfs" mounted debugfs $D debugfs rw,nosuid,nodev,noexec,relatime
    claim "$1: looking at tracing does not mount it" says "ls -ld $D/tracing" "dr-xr-xr-x  2        0 $D/tracing"
    claim "$1: a path through it does" says 'mount | tail' \
        "tracefs on $D/tracing type tracefs (rw,nosuid,nodev,noexec,relatime)"
    claim "$1: its files are the tracer's" says "cat $T/current_tracer" function
    claim "$1: and the trace is there" says 'echo traced' 'traced 0'
    claim "$1: cd goes in" says pwd $D/tracing
    claim "$1: and .. out" says pwd $D 2
    claim "$1: a second debugfs at the same place is refused" says "mount -t debugfs none $D" \
        "sh: mount: $D: none already mounted or mount point busy"
    claim "$1: with status 32" says 'echo status' 'status 32'
    claim "$1: umount takes the tracefs in debugfs along" says 'echo status' 'status 0' 2
    claim "$1: and leaves an empty directory" says "ls -a $D" "$(printf '%s\n' . ..)"
    claim "$1: mount -t debugfs none $D" says "cat $D/tracing/current_tracer" nop 3
    claim "$1: mount -t debugfs nodev /mnt" says 'cat /mnt/tracing/tracing_on' 1
    claim "$1: mount -t tracefs nodev /mnt shows the one tree there is" says 'cat /mnt/current_tracer' nop
    claim "$1: which a write changes everywhere" says "cat $T/tracing_on" 0
    claim_line "$1: while a file is open the mount is busy" '^sh: umount: /mnt: target is busy$' "$out"
    claim "$1: a second tracefs at $T is refused" says 'echo status' 'status 32' 4
    claim "$1: without tracefs $T is empty" says "ls -a $T" "$(printf '%s\n' . ..)"
    claim "$1: mount -t tracefs nodev $T" says "cat $T/tracing_on" 1 2
    claim "$1: -o remount,mode= changes it wherever it is" says "ls -ld $T" \
        "$(printf '%s  7        0 %s\n' drwxr-xr-x $T drwxr-xr-x $D/tracing)"
    claim "$1: mount -t TYPE lists those of a type" says 'mount -t tracefs' "$(printf '%s\n' \
        "tracefs on $D/tracing type tracefs (rw,relatime,mode=755)" \
        "nodev on $T type tracefs (rw,relatime,mode=755)")" 3
    claim_line "$1: /proc/filesystems has it" '^nodev	tracefs$' "$out"
    claim_line "$1: all of it was done" '^the end$' "$out"
}

set -- stale coherent random:3 stale coherent random:5
for layout in static $dynamic_layouts; do
    fetch=$1
    shift
    tracing_layout $layout
done

# ---- a kernel without a tracer ----

both none "ls -a $D; ls $T; ls -d $D/tracing; mount -t debugfs nodev /mnt; ls -la /mnt; mount -t tracefs nodev $T;
    mount -t tracefs nodev /mnt; grep -c tracefs /proc/filesystems; echo the end"
claim 'none: debugfs is there, for kprobes' says "ls -a $D" "$(printf '%s\n' . .. kprobes)"
claim 'none: and can be mounted elsewhere' says 'ls -la /mnt' \
    "$(printf '%s\n' 'drwx------  3        0 .' 'drwxr-xr-x  8        0 ..' 'dr-xr-xr-x  2        0 kprobes')"
claim 'none: tracefs has no place' says "mount -t tracefs nodev $T" "sh: mount: $T: No such file or directory"
claim 'none: and is no type' says 'mount -t tracefs nodev /mnt' "sh: mount: /mnt: unknown filesystem type 'tracefs'"
claim 'none: nor listed as one' says 'grep -c tracefs' 0

# ---- mounts of any kind ----

both mcount "mkdir /m '/a b#'; echo below > /m/below; ls -la /m; mount -t ramfs first /m; ls -a /m; ls -la /m; echo 1 > /m/one;
    mount -t tmpfs second /m; ls -a /m; cat /proc/mounts | tail -n 2; umount /m; ls /m; umount /m; cat /m/below; umount /m;
    mount -t tmpfs 'x y' '/a b#' -o ro,noexec,mode=700; cat /proc/mounts | tail -n 1; mount | tail -n 1; ls -ld '/a b#';
    mkdir '/a b#/d'; mount -o remount,noexec '/a b#'; cp /bin/sh '/a b#/sh'; '/a b#/sh' -c 'echo ran';
    mount -o remount,rw '/a b#'; '/a b#/sh' -c 'echo ran'; mv '/a b#/sh' /sh; mv '/a b#' /c; rmdir '/a b#';
    cd '/a b#'; umount '/a b#'; umount -l '/a b#'; pwd; ls .; cat /proc/self/mounts | wc -l; cd /; rmdir '/a b#'; echo gone \$?;
    mount -t nosuch none /m; mount -t ramfs none /m/below; mount -t ramfs none /none; mount -t sysfs -o x none /m;
    umount /m/below; umount /none; mount; mount -t ramfs /m; echo status \$?; mount -t proc p /m; cat /m/self/comm; umount /m; help | grep mount"
claim 'a mount hides what was there' says 'ls -a /m' "$(printf '%s\n' . ..)"
claim 'ls -la shows the directory below as it was made' says 'ls -la /m' \
    "$(printf '%s\n' 'drwxr-xr-x  2        0 .' 'drwxr-xr-x 10        0 ..' '-rw-r--r--  1        6 below')"
claim 'and what is mounted there afterwards, with the parent outside of it' says 'ls -la /m' \
    "$(printf '%s\n' 'drwxr-xr-x  2        0 .' 'drwxr-xr-x 10        0 ..')" 2
claim 'a second one hides the first' says 'ls -a /m' "$(printf '%s\n' . ..)" 2
claim '/proc/mounts tells both, in order' says 'cat /proc/mounts | tail -n 2' \
    "$(printf '%s\n' 'first /m ramfs rw,relatime 0 0' 'second /m tmpfs rw,relatime 0 0')"
claim 'umount brings the first back' says 'ls /m' one
claim 'and then what was below' says 'cat /m/below' below
claim 'a third umount is an error' says 'umount /m' 'sh: umount: /m: not mounted' 3
claim '/proc/mounts writes blanks as octal numbers' says 'cat /proc/mounts | tail -n 1' \
    'x\040y /a\040b# tmpfs ro,noexec,relatime,mode=700 0 0'
claim 'which mount undoes' says 'mount | tail' 'x y on /a b# type tmpfs (ro,noexec,relatime,mode=700)'
claim 'mode= is the directory'"'"'s' says "ls -ld '/a b#'" 'drwx------  2        0 /a b#'
claim 'ro lets nothing be made' says "mkdir '/a b#/d'" 'sh: mkdir: /a b#/d: Read-only file system'
claim 'noexec lets nothing be run' says "'/a b#/sh'" 'sh: /a b#/sh: Permission denied'
claim 'until it is remounted' says "'/a b#/sh'" ran 2
claim 'a name does not move from mount to mount' says "mv '/a b#/sh'" 'sh: mv: /a b#/sh: Invalid cross-device link'
claim 'a mount point is not renamed' says "mv '/a b#' /c" 'sh: mv: /a b#: Device or resource busy'
claim 'nor removed' says "rmdir '/a b#'" 'sh: rmdir: /a b#: Device or resource busy'
claim 'a working directory keeps it busy' says "umount '/a b#'" 'sh: umount: /a b#: target is busy'
claim 'but for umount -l, after which it is nowhere' says pwd '(unreachable)/'
claim 'and still used' says 'ls .$' sh
claim 'though not listed' says 'cat /proc/self/mounts | wc' 6
claim 'its directory can be removed' says 'echo gone' 'gone 0'
claim 'an unknown type is told' says 'mount -t nosuch none /m' "sh: mount: /m: unknown filesystem type 'nosuch'"
claim 'a file is no place to mount' says 'mount -t ramfs none /m/below' 'sh: mount: /m/below: Not a directory'
claim 'a place that is not there, neither' says 'mount -t ramfs none /none' \
    'sh: mount: /none: No such file or directory'
claim 'an unknown option is an error where options are known' says 'mount -t sysfs' 'sh: mount: /m: Invalid argument'
claim 'a file that is no mount' says 'umount /m/below' 'sh: umount: /m/below: not mounted'
claim 'a path that is none' says 'umount /none' 'sh: umount: /none: No such file or directory'
claim 'mount lists what is there' says 'mount$' "$(printf '%s\n' 'rootfs on / type rootfs (rw)' \
    'proc on /proc type proc (rw,nosuid,nodev,noexec,relatime)' \
    'sysfs on /sys type sysfs (rw,nosuid,nodev,noexec,relatime)' \
    'devtmpfs on /dev type devtmpfs (rw,nosuid,noexec,relatime)' \
    "tracefs on $T type tracefs (rw,nosuid,nodev,noexec,relatime)" \
    "debugfs on $D type debugfs (rw,nosuid,nodev,noexec,relatime)")"
claim 'a device and a directory are needed' says 'echo status' 'status 2'
claim 'proc can be mounted anywhere' says 'cat /m/self/comm' cat
claim 'help tells of mount and umount' says 'help' "$(printf '%s\n' \
    'mount [-r] [-t TYPE] [-o OPTION,...] [DEVICE] [DIRECTORY]' 'umount [-fl] DIRECTORY...')"
finish
