#!/bin/sh
# image-sites.sh - the images are what the layouts promise, by an independent disassembler.
. "$(dirname "$0")/lib.sh"

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

table $image >"$work/table"
sites >"$work/sites"
claim 'there are sites' test -s "$work/sites"
claim 'the table is sorted' sort -c "$work/table"
claim 'the table lists exactly the calls of _mcount' cmp "$work/table" "$work/sites"

# Where the compiler padded: runs of this number of bytes of c.nop that begin at a function or, with
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
    table $patchable >"$work/table"
    padded $patchable $bytes $before >"$work/sites"
    claim "$name: there are sites" \
        test "$(wc -l <"$work/table")" -gt 100
    claim "$name: the table is sorted" sort -c "$work/table"
    claim "$name: the table lists exactly the padded functions" \
        cmp "$work/table" "$work/sites"
    claim "$name: every site is aligned to $align bytes" awk -v align=$align '
        index("0123456789abcdef", substr($1, 16)) % align != 1 % align { print; bad = 1 } END { exit bad || !NR }' "$work/table"
done
${CROSS}readelf -lW "$image" >"$work/segments"
claim 'no page is writable and executable' has_line LOAD "$work/segments" and no_line 'LOAD.*RWE' "$work/segments"
$nm "$BUILD/guest-kernel/none/kernel.elf" >"$work/symbols"
claim 'layout none has no site and no tracer' has_line . "$work/symbols" \
    and no_line ' (_mcount|ftrace_caller)$' "$work/symbols"
objects=$BUILD/guest-kernel/mcount
for f in $(ls "$objects"/kernel/trace/*.o | grep -v '_test.o\|selftest_dynamic') "$objects"/arch/riscv/kernel/patch.o \
    "$objects"/arch/riscv/mm/cacheflush.o "$objects"/arch/riscv/mm/init.o "$objects"/arch/riscv/ftrace/*.o; do
    "$objdump" -r "$f"
done >"$work/relocations"
claim 'no object of the tracer or the patcher has a site' has_line R_RISCV_CALL "$work/relocations" \
    and no_line 'CALL.* _mcount' "$work/relocations"

fence_in() {
    $objdump -d "$BUILD/guest-kernel/$1/kernel.elf" --no-show-raw-insn |
        awk '/^[0-9a-f]+ <flush_icache_(all|range)>:/ { on = 1 } /^$/ { on = 0 } on' | grep -c "$2"
}
claim 'the kernel fences locally and asks the other harts' \
    test "$(fence_in mcount 'fence\.i')" -gt 0 and test "$(fence_in mcount sbi_remote_fence_i)" -gt 0
claim 'no-local-fence only asks the other harts' \
    test "$(fence_in mcount-no-local-fence 'fence\.i')" -eq 0 \
    and test "$(fence_in mcount-no-local-fence sbi_remote_fence_i)" -gt 0
claim 'no-remote-fence only fences locally' \
    test "$(fence_in mcount-no-remote-fence 'fence\.i')" -gt 0 \
    and test "$(fence_in mcount-no-remote-fence sbi_remote_fence_i)" -eq 0
finish
