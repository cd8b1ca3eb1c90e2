#!/bin/sh
# suite.sh - a user at the console: in every layout, on 1, 2 and 4 harts, in each fetch mode, on both machines.
#
# suite/NAME.sh drives the guest, suite/NAME.console is what that shows; a layout
# (or `dynamic`, those that patch) where it shows something else has
# NAME.LAYOUT.console. Consoles are compared without times, pids and harts,
# which are each machine's own.
#
# `make test` runs a diagonal: three layouts, each count of harts and fetch mode, and
# one of the layouts on QEMU, where each hart is a thread of the host. SUITE=all is the whole product.
. "$(dirname "$0")/lib.sh"

suite=$(dirname "$0")/suite
shell='words flow files text'
everywhere="$shell modules load programs"
tracing='tracefs functions buffer pids profile'
patching='instances snapshots stack-tracer options stacks filters dumps commands graph module-traces'

scripts_of() {
    case $1 in
    none) echo $everywhere absent ;;
    static) echo $everywhere absent $tracing ;;
    *) echo $everywhere $tracing $patching ;;
    esac
}

# The scripts, and those of shell/, whose consoles the host's own shell makes.
mkdir -p "$work/root/suite"
cp "$suite"/*.sh "$(dirname "$0")"/shell/*.sh "$work/root/suite"
(cd "$work/root" && find . | sort | cpio -o -H newc --quiet) >"$work/suite.cpio"
for name in $shell; do
    mkdir -p "$work/here/$name" && (cd "$work/here/$name" && sh "$work/root/suite/$name.sh") \
        >"$work/$name.console" 2>/dev/null
    echo "== $name: status $?" >>"$work/$name.console"
done

# What NAME shows in LAYOUT. All registers are not what each trampoline saves; not each layout has the tracer blk.
expected() {
    kind=dynamic
    case $2 in none | static) kind=$2 ;; esac
    for file in "$suite/$1.$2.console" "$suite/$1.$kind.console" "$suite/$1.console" \
        "$work/$1.console"; do
        [ -f "$file" ] && break
    done
    case $2 in
    atomic | callops) sed 's/ftrace regs: /ftrace regs(no arch support): /' "$file" ;;
    *) cat "$file" ;;
    esac | case $2 in
    static) sed '/^blk$/d;/^blk_classic/d;s/^blk //' ;;
    *) cat ;;
    esac
}

# The console of one script, of those in $out.
section() { sed -n "/^== $1\$/,/^== $1: status/p" "$out" | timeless; }

# run_suite MACHINE LAYOUT HARTS [OPTIONS...], then a claim for each script.
run_suite() {
    machine=$1 layout=$2 harts=$3
    shift 3
    where="$layout, $harts harts, $machine $*"
    cat "$BUILD/guest-kernel/initrd.cpio" "$BUILD/guest-kernel/$layout/modules.cpio" \
        "$work/suite.cpio" >"$work/initrd"
    BOOTARGS=ftrace_selftest
    command="sh /suite/run.sh $(scripts_of $layout); echo the end"
    case $machine in
    qemu) run_guest $layout $harts "$command" -initrd "$work/initrd" ;;
    *) run_on_rvftrace $layout $harts "$command" "$@" --initrd "$work/initrd" ;;
    esac
    cp "$out" "$work/whole"
    sed '/# sh .suite/,$d' "$work/whole" | grep Testing | timeless >"$out"
    expected boot $layout >"$work/expected"
    claim "$where: the tracers test themselves" diff "$work/expected" "$out"
    for name in $(scripts_of $layout); do
        cp "$work/whole" "$out"
        section $name >"$work/shown"
        { echo "== $name" && expected $name $layout; } >"$work/expected"
        claim "$where: $name" diff "$work/expected" "$work/shown"
    done
    cp "$work/whole" "$out"
    claim "$where: it ended, and nothing was wrong on the way" \
        has_status 0 and has_line '^the end$' "$out" and no_line 'WARNING|BUG|Oops|panic|ftrace (failed|faulted)' "$out"
}

on_ours() { run_suite rvftrace "$1" "$2" --fetch "$3"; }
on_qemu() { run_suite qemu "$1" "$2"; }

# Layout, harts, fetch mode.
diagonal='static 1 random:1
mcount 4 stale
callops 2 random:2'
product() {
    for layout in none static $dynamic_layouts; do
        for harts in 1 2 4; do
            for fetch in stale coherent random:$harts; do echo "$layout $harts $fetch"; done
        done
    done
}

if [ "${SUITE:-}" = all ]; then product; else echo "$diagonal"; fi >"$work/runs"
while read -r layout harts fetch; do
    on_ours "$layout" "$harts" "$fetch"
done <"$work/runs"
cut -d ' ' -f 1,2 "$work/runs" | sort -u >"$work/boards"
while read -r layout harts; do
    case ${SUITE:-}$layout in
    all*) on_qemu "$layout" "$harts" ;;
    mcount) on_qemu "$layout" 2 ;;
    esac
done <"$work/boards"
finish
