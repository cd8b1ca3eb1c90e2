#!/bin/sh
# disasm_against_objdump.sh [IMAGE...] - compares the disassembler with binutils'.
#
# Over every row of the instruction table with random operands, over words that
# differ from a row by one bit and random words, over every 16-bit parcel, and
# over each ELF image given. Extensions that binutils 2.40 does not know are
# compared with LLVM. objdump_differences.txt lists the differences with reasons;
# other differences fail, and so do unused lines of it. A word must be legal for
# both, or be listed. SEED and WORDS (per row) may be set; a failure prints the seed.
#
# Needs: CC (gcc), CROSS (riscv64-unknown-elf-), LLVM_OBJDUMP (llvm-objdump-19).
. "$(dirname "$0")/../claims.sh"

here=$(cd "$(dirname "$0")" && pwd)
emu=$here/../../emu
objdump=${CROSS}objdump
llvm=${LLVM_OBJDUMP:-llvm-objdump-19}
known=rv64gcv_zfh_zawrs_zba_zbb_zbc_zbs_zicbom_zicbop_zicboz_zihintpause_svinval
seed=${SEED:-1}
words=${WORDS:-400}
differences=$here/objdump_differences.txt

# shellcheck disable=SC2086 # CFLAGS is a list
try "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O1 ${CFLAGS:-} -I"$emu" -o "$work/compare" \
    "$here/objdump_compare.c" "$emu/cpu/isa/disasm.c" "$emu/cpu/isa/decode.c" "$emu/cpu/isa/isa.c" \
    "$emu/cpu/isa/extension.c" "$emu/cpu/isa/float.c" "$emu/base/alloc.c" "$emu/base/new_file.c" "$emu/base/diag.c"
has_status 0 || { claim "the comparing program builds" has_status 0; finish; }
for tool in "$objdump" "$llvm"; do
    command -v "$tool" >/dev/null || { claim "$tool is there (tools/bootstrap.sh --test installs it)" false; finish; }
done
: >"$work/needed"

# An object of $work/NAME.bin for the extensions that the tools know. Without
# the mapping symbol of .incbin the words are code, not data.
make_object() { # make_object NAME
    printf '.attribute arch, "%s"\n.incbin "%s"\n' "$known" "$work/$1.bin" |
        "${CROSS}as" -o "$work/$1.o" - && "${CROSS}strip" -N '$d' "$work/$1.o"
}

claim_text() { # claim_text NAME CLAIM: $work/NAME.txt, as objdump writes it
    [ -s "$work/$1.txt" ] || { claim "$2" false; return; }
    claim_status 0 "$2" "$work/compare" check "$differences" "$work/needed" <"$work/$1.txt"
}

compare_words() { # compare_words NAME CLAIM: the words of $work/NAME.bin
    make_object "$1" && "$objdump" -d -z "$work/$1.o" >"$work/$1.txt"
    claim_text "$1" "$2"
}

# LLVM's output differs in blanks, and in what SED changes.
compare_with_llvm() { # compare_with_llvm NAME FEATURES CLAIM [SED]
    make_object "$1" && "$llvm" -d -z --mattr="$2" "$work/$1.o" |
        sed 's/^ *\([0-9a-f]*\): \([0-9a-f]\{4,8\}\) *\t/\1:\t\2\t/; s/, /,/g; '"${4:-}" >"$work/$1.txt"
    claim_text "$1" "$3"
}

"$work/compare" rows "$seed" "$words" >"$work/rows.bin"
compare_words rows "every row reads as objdump has it, $words random words each (SEED=$seed)"
"$work/compare" neighbours "$seed" 50 >"$work/neighbours.bin"
compare_words neighbours "words near and far from a row are legal when objdump says so (SEED=$seed)"
"$work/compare" rows "$seed" "$words" Zicond >"$work/zicond.bin"
compare_with_llvm zicond +zicond "Zicond reads as LLVM has it, $words random words a row (SEED=$seed)"
"$work/compare" rows "$seed" "$words" Zalasr >"$work/zalasr.bin"
compare_with_llvm zalasr +experimental-zalasr "Zalasr reads as LLVM has it, $words random words a row (SEED=$seed)"
"$work/compare" rows "$seed" "$words" Zfa >"$work/zfa.bin"
compare_with_llvm zfa +zfa,+d,+zfh "Zfa reads as LLVM has it, $words random words a row (SEED=$seed)"
for extension in Zabha Zacas Zimop Zihintntl Zicfilp Zicfiss; do
    "$work/compare" rows "$seed" "$words" "$extension" >"$work/$extension.bin"
    compare_with_llvm "$extension" +zabha,+experimental-zacas,+zimop,+zihintntl,+experimental-zicfilp,+experimental-zicfiss,+a,+c "$extension reads as LLVM has it, $words random words a row (SEED=$seed)"
done
# LLVM writes immediates of rounds in hexadecimal, which binutils 2.44 does not.
# shellcheck disable=SC2046 # a list of numbers, each twice
decimal=$(printf 's/,0x%x\(\|,v0.t\)$/,%d\\1/;' $(seq 0 63 | sed 's/.*/& &/'))
for extension in Zvbb Zvbc Zvkb Zvkg Zvkned Zvknha Zvksed Zvksh; do
    "$work/compare" rows "$seed" "$words" "$extension" >"$work/$extension.bin"
    compare_with_llvm "$extension" +v,+zvbb,+zvbc,+zvkng,+zvksg "$extension reads as LLVM has it, $words random words a row (SEED=$seed)" \
        "$decimal"
done
# LLVM writes zext.b as the andi that it is, and offsets in hexadecimal.
for extension in Zcb Zcmop; do
    "$work/compare" rows "$seed" "$words" "$extension" >"$work/$extension.bin"
    compare_with_llvm "$extension" +zcb,+zcmop,+experimental-zicfiss,+zbb,+zba,+c,+m "$extension reads as LLVM has it, $words random words a row (SEED=$seed)" \
        "s/0x\([0-3](\)/\1/; s/andi\t\([a-z0-9]*\),\1,0xff$/zext.b\t\1,\1/"
done
"$work/compare" parcels >"$work/parcels.bin"
compare_words parcels "every 16-bit parcel reads as objdump has it"

# Images come last, so that they do not count as uses of a line of the list.
grep -v -e '^#' -e '^$' "$differences" | sort -u >"$work/listed"
sort -u "$work/needed" | comm -23 "$work/listed" - >"$work/idle"
claim_no_line "every listed difference still occurs" '' "$work/idle"

for image; do
    "$objdump" -d -z "$image" >"$work/image.txt" || : >"$work/image.txt"
    claim_text image "the text of $(basename "$image") reads as objdump has it"
done
finish
