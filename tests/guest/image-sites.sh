#!/bin/sh
# image-sites.sh - the images are what the layouts promise, by an independent disassembler.
. "$(dirname "$0")/lib.sh"
: >"$out"

image=$BUILD/guest-kernel/mcount/kernel.elf
objdump=${CROSS}objdump
nm=${CROSS}nm

symbol() { $nm "$1" | awk -v name="$2" '$3 == name { print $1 }'; }

# Addresses in the site table, as hex digits, in the order they have there.
table() {
    start=$(symbol $image __start_mcount_loc) stop=$(symbol $image __stop_mcount_loc)
    $objdump -s --start-address=0x$start --stop-address=0x$stop $image |
        awk '/^ [0-9a-f]+ / { for (i = 2; i <= 5 && $i ~ /^[0-9a-f]+$/; i++) printf "%s", $i }' |
        fold -w 16 | awk 1 | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/'
}

# Every auipc ra whose jalr ra goes to _mcount, found by disassembly.
sites() {
    $objdump -d --no-show-raw-insn $image | awk -v target="$(symbol $image _mcount)" '
        /auipc\tra,/ { at = $1; sub(":", "", at); next }
        /jalr/ && at != "" && index($0, "<_mcount>") { print at }
        { at = "" }'
}

table >"$work_dir/table"
sites >"$work_dir/sites"
check 'there are sites' test -s "$work_dir/sites"
check 'the table is sorted' sort -c "$work_dir/table"
check 'the table lists exactly the calls of _mcount' cmp "$work_dir/table" "$work_dir/sites"
check 'no page is writable and executable' \
    sh -c "! ${CROSS}readelf -lW $image | grep -q 'LOAD.*RWE'"
check 'layout none has no site and no tracer' \
    sh -c "! $nm $BUILD/guest-kernel/none/kernel.elf | grep -Eq ' (_mcount|ftrace_caller)\$'"
check 'no object of the tracer or the patcher has a site' sh -c "
    for f in \$(ls $BUILD/guest-kernel/mcount/kernel/trace/*.o | grep -v '_test.o\|selftest_dynamic') \
        $BUILD/guest-kernel/mcount/arch/riscv/kernel/patch.o $BUILD/guest-kernel/mcount/arch/riscv/mm/cacheflush.o \
        $BUILD/guest-kernel/mcount/arch/riscv/mm/init.o $BUILD/guest-kernel/mcount/arch/riscv/ftrace/*.o; do
        ${CROSS}objdump -r \$f | grep 'CALL.* _mcount' && exit 1; done; exit 0"

fence_in() {
    $objdump -d "$BUILD/guest-kernel/$1/kernel.elf" --no-show-raw-insn |
        awk '/^[0-9a-f]+ <flush_icache_(all|range)>:/ { on = 1 } /^$/ { on = 0 } on' | grep -c "$2"
}
check 'the kernel fences locally and asks the other harts' \
    sh -c "[ $(fence_in mcount 'fence\.i') -gt 0 ] && [ $(fence_in mcount sbi_remote_fence_i) -gt 0 ]"
check 'no-local-fence only asks the other harts' \
    sh -c "[ $(fence_in mcount-no-local-fence 'fence\.i') -eq 0 ] && [ $(fence_in mcount-no-local-fence sbi_remote_fence_i) -gt 0 ]"
check 'no-remote-fence only fences locally' \
    sh -c "[ $(fence_in mcount-no-remote-fence 'fence\.i') -gt 0 ] && [ $(fence_in mcount-no-remote-fence sbi_remote_fence_i) -eq 0 ]"
finish
