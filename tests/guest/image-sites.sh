#!/bin/sh
# image-sites.sh - the images are what the layouts promise, by an independent disassembler.
. "$(dirname "$0")/lib.sh"
: >"$out"

image=$BUILD/guest-kernel/mcount/kernel.elf
objdump=${CROSS}objdump
nm=${CROSS}nm

symbol() { $nm "$1" | awk -v name="$2" '$3 == name { print $1 }'; }

# Addresses in an image's site table, as hex digits, in the order they have there.
table() {
    start=$(symbol $1 __start_mcount_loc) stop=$(symbol $1 __stop_mcount_loc)
    $objdump -s --start-address=0x$start --stop-address=0x$stop $1 |
        awk '/^ [0-9a-f]+ / { sub("  .*", ""); for (i = 2; i <= NF; i++) printf "%s", $i }' |
        fold -w 16 | awk 1 | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/'
}

# Every auipc ra whose jalr ra goes to _mcount, found by disassembly.
sites() {
    $objdump -d --no-show-raw-insn $image | awk -v target="$(symbol $image _mcount)" '
        /auipc\tra,/ { at = $1; sub(":", "", at); next }
        /jalr/ && at != "" && index($0, "<_mcount>") { print at }
        { at = "" }'
}

table $image >"$work_dir/table"
sites >"$work_dir/sites"
check 'there are sites' test -s "$work_dir/sites"
check 'the table is sorted' sort -c "$work_dir/table"
check 'the table lists exactly the calls of _mcount' cmp "$work_dir/table" "$work_dir/sites"

# Where the compiler padded: runs of so many bytes of c.nop that begin at a function or, with
# callops, eight bytes before one; by disassembly.
padded() {
    $objdump -d $1 | awk -v bytes=$2 -v before=$3 '
        /^$/ { next }
        /^[0-9a-f]+ <.*>:$/ {
            # What is farther before the function than wanted aligns it.
            begin = n - before / 2 + 1
            inside = begin > 0
            n = inside ? before / 2 : 0
            for (i = 1; i <= n; i++) at[i] = at[begin + i - 1]
            next
        }
        /\t0001 +\tnop$/ && (!inside || n < bytes / 2) {
            at[++n] = $1; sub(":", "", at[n])
            if (inside && n == bytes / 2) { print at[1]; inside = n = 0 }
            next
        }
        { inside = n = 0 }'
}
for layout in pfe16:16:0:2 pfe8:8:0:2 atomic:8:0:4 callops:16:8:8; do
    IFS=: read -r name bytes before align <<-END
	$layout
	END
    patchable=$BUILD/guest-kernel/$name/kernel.elf
    table $patchable >"$work_dir/table"
    padded $patchable $bytes $before >"$work_dir/sites"
    check "$name: there are sites" \
        test "$(wc -l <"$work_dir/table")" -gt 100
    check "$name: the table is sorted" sort -c "$work_dir/table"
    check "$name: the table lists exactly the padded functions" \
        cmp "$work_dir/table" "$work_dir/sites"
    check "$name: every site is aligned to $align bytes" \
        sh -c "! awk -v align=$align '{ if (index(\"0123456789abcdef\", substr(\$1, 16)) % align != 1 % align) print }' '$work_dir/table' | grep ."
done
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
