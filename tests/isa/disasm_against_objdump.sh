#!/bin/sh
# disasm_against_objdump.sh [IMAGE...] - our disassembler against binutils'.
#
# Over every row of the instruction table with random operands, over every
# 16-bit parcel, and over each ELF image given. Where the two differ, and why,
# is said in objdump_differences.txt; a difference that is not there fails, and
# so does a line there that no longer finds one. SEED and WORDS (a row) may be
# set; a failure names the seed to run again with.
#
# Needs: CC (gcc), CROSS (riscv64-unknown-elf-).
set -u

here=$(cd "$(dirname "$0")" && pwd)
emu=$here/../../emu
objdump=${CROSS:-riscv64-unknown-elf-}objdump
seed=${SEED:-1}
words=${WORDS:-400}
differences=$here/objdump_differences.txt
failed=0

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

claim() { # claim STATUS TEXT
    if [ "$1" -eq 0 ]; then
        echo "ok - $2"
    else
        echo "not ok - $2"
        failed=1
    fi
}

# shellcheck disable=SC2086 # CFLAGS is a list
"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O1 ${CFLAGS:-} -I"$emu" -o "$work/compare" \
    "$here/objdump_compare.c" "$emu/cpu/disasm.c" "$emu/cpu/decode.c" "$emu/cpu/isa.c" "$emu/cpu/float.c" || {
    claim 1 "the comparing program builds"
    exit 1
}
command -v "$objdump" >/dev/null || {
    claim 1 "$objdump is there (tools/bootstrap.sh --test installs it)"
    exit 1
}
: >"$work/needed"

# Objdump knows an extension only in an ELF file that declares it.
march=rv64gc_zfh
cross=${CROSS:-riscv64-unknown-elf-}
echo nop | "${cross}as" -march=$march -o "$work/frame.o" - || {
    claim 1 "the assembler takes -march=$march"
    exit 1
}

compare_words() { # compare_words NAME CLAIM: the words of $work/NAME.bin
    "${cross}objcopy" --update-section .text="$work/$1.bin" "$work/frame.o" "$work/$1.o" &&
        "$objdump" -z -d "$work/$1.o" >"$work/$1.txt" &&
        "$work/compare" check "$differences" "$work/needed" <"$work/$1.txt"
    claim $? "$2"
}

"$work/compare" rows "$seed" "$words" >"$work/rows.bin"
compare_words rows "every row reads as objdump has it, $words random words each (SEED=$seed)"
"$work/compare" parcels >"$work/parcels.bin"
compare_words parcels "every 16-bit parcel reads as objdump has it"

# Images come last: what they need does not keep a line of the list alive.
grep -v -e '^#' -e '^$' "$differences" | sort -u >"$work/listed"
sort -u "$work/needed" | comm -23 "$work/listed" - >"$work/idle"
sed 's/^/# needed by nothing: /' "$work/idle"
[ ! -s "$work/idle" ]
claim $? "every listed difference still occurs"

for image; do
    "$objdump" -d -z "$image" >"$work/image.txt" &&
        "$work/compare" check "$differences" "$work/needed" <"$work/image.txt"
    claim $? "the text of $(basename "$image") reads as objdump has it"
done
exit $failed
