#!/bin/sh
# shellcheck disable=SC2016,SC2317 # inner shells expand their own words; claim calls by name
#
# recordmcount.sh - tests of build/recordmcount, compared with binutils.
#
# The tables are compared with readelf's output for the relocations and objdump's
# for the linked code.

. "$(dirname "$0")/../claims.sh"

root=$(realpath "$claims_path/..")
recordmcount=${RECORDMCOUNT:-$(realpath "$BUILD/recordmcount")}
LC_ALL=C
export LC_ALL
cd "$work" || exit 70

# compile ARCH SOURCE OBJECT [FLAGS...]
compile() {
    arch=$1 source=$2 object=$3
    shift 3
    "${CROSS}gcc" -O2 -pg -mno-relax -march="$arch" -mabi=lp64 -mcmodel=medany "$@" \
        -c "$source" -o "$object"
}

assemble() { # ARCH SOURCE OBJECT [FLAGS...], without -mno-relax of its own
    arch=$1 source=$2 object=$3
    shift 3
    "${CROSS}gcc" -march="$arch" -mabi=lp64 "$@" -c "$source" -o "$object"
}

# link OUTPUT ARGUMENTS... with kernel.ld
link() {
    output=$1
    shift
    "${CROSS}ld" --no-warn-rwx-segments -T kernel.ld -o "$output" "$@"
}

# Section and offset of every call of _mcount, as readelf sees it.
calls_by_readelf() {
    "${CROSS}readelf" -rW "$1" | awk '
        /^Relocation section/ { gsub(/\047/, ""); section = $3; sub(/^\.rela/, "", section) }
        /R_RISCV_CALL/ && $5 == "_mcount" { sub(/^0+/, "", $1); print section, "0x" $1 }' |
        sed 's/ 0x$/ 0x0/' | sort
}

# The same of the records; the symbols are section symbols, named like their sections.
records_by_readelf() {
    "${CROSS}readelf" -rW "$1" | awk '
        /^Relocation section/ { ours = /__mcount_loc/ }
        ours && /R_RISCV_64/ { print $5, "0x" $7 }' | sort
}

# Both once more by objdump -r, for objects whose sections are too many for readelf -r, which takes minutes.
relocations_by_objdump() { # OBJECT calls|records
    "${CROSS}objdump" -rw "$1" | awk -v want="$2" '
        /^RELOCATION RECORDS/ {
            section = substr($4, 2, length($4) - 3)
            ours = section == "__mcount_loc"
        }
        want == "calls" && /R_RISCV_CALL/ && $3 == "_mcount" { print section "+0x" $1 }
        want == "records" && ours && /R_RISCV_64/ {
            print $3 ($3 ~ /[+]0x/ ? "" : "+0x0000000000000000")
        }' | sort
}

# Address of the auipc of every call of _mcount in a linked image, as objdump sees it, sorted.
calls_by_objdump() {
    "${CROSS}objdump" -d "$1" | awk '
        $3 == "auipc" && $4 ~ /^ra,/ { sub(/:/, "", $1); auipc = $1 }
        $3 == "jalr" && $NF == "<_mcount>" { print auipc }' | sort
}

# The table of a linked image in the file's order, as objcopy sees it.
table_by_objcopy() {
    "${CROSS}objcopy" -O binary -j .mcount_loc "$1" table.bin
    od -An -v -tx8 -w8 table.bin | tr -d ' '
}

# is_shuffled IMAGE: it is sorted, and was not in order before.
is_shuffled() { try "$recordmcount" --sort -v "$1" >sorting.txt && has_status 0 && no_line already sorting.txt; }
# has_section NAME OBJECT
has_section() { "${CROSS}readelf" -SW "$2" >sections.txt && has_line "$1" sections.txt; }

same() { # command, command: equal output, and some
    eval "$1" >left.txt && eval "$2" >right.txt && [ -s left.txt ] && diff left.txt right.txt
}

# The files in the directory, except those of `refused`.
folder_now() {
    find . -maxdepth 1 ! -name out.txt ! -name err.txt ! -name 'files.*' | sort
}

# refused STATUS PATTERN ARGUMENTS... FILE: one line with the pattern, that status, the file unchanged and no other file
# left.
refused() {
    expected=$1 pattern=$2
    shift 2
    for file in "$@"; do :; done
    [ ! -f "$file" ] || cp -p "$file" before.bin
    folder_now >files.before
    try "$recordmcount" "$@" >out.txt 2>err.txt
    folder_now >files.after
    cat err.txt
    has_status "$expected" && test "$(wc -l <err.txt)" -eq 1 && grep -q "^recordmcount: $file: .*$pattern.*" err.txt &&
        { [ ! -f "$file" ] || cmp "$file" before.bin; } && diff files.before files.after
}

# ---- samples ----

cat >kernel.ld <<'EOF'
SECTIONS {
    . = 0xffffffff80000000;
    .text : { *(.text .text.*) }
    . = ALIGN(8);
    .mcount_loc : { __start_mcount_loc = .; *(__mcount_loc) __stop_mcount_loc = .; }
    .data : { *(.rodata .rodata.* .data .sdata .bss .sbss) }
}
EOF
cat >a.c <<'EOF'
int outside(int);
int table[10];
static __attribute__((noinline)) int inner(int a) { return table[a] + 3; }
int first(int a) { return outside(a) + inner(a) + 1; }
__attribute__((cold)) int rare(int a) { return outside(a); }
int leaf(void) { return 3; }
EOF
cat >b.c <<'EOF'
int first(int), rare(int), leaf(void);
int outside(int a) { return a ? leaf() + a : 2; }
int entry(int a) { return first(a) + rare(a); }
EOF
cat >mcount.S <<'EOF'
    .option norelax
    .globl _mcount
    .type _mcount, @function
_mcount: ret
EOF
assemble rv64imac mcount.S mcount.o

# ---- recording, sorting, listing ----

for arch in rv64imac rv64ima; do
    compile "$arch" a.c a.o
    compile "$arch" a.c split.o -ffunction-sections
    compile "$arch" b.c b.o
    assemble "$arch" mcount.S mcount.o
    chmod 640 a.o
    cp -p a.o plain.o
    for o in a split b; do
        cp $o.o $o.plain
        claim_status 0 "$arch: recordmcount takes $o.o" "$recordmcount" $o.o
        claim "$arch: the records of $o.o are readelf's calls of _mcount" \
            same "calls_by_readelf $o.plain" "records_by_readelf $o.o"
    done
    "${CROSS}objcopy" -O binary -j __mcount_loc --set-section-flags __mcount_loc=alloc,contents split.o slots.bin
    claim "$arch: the slots hold zeros, eight bytes a call" test -s slots.bin and test "$(tr -d '\0' <slots.bin | wc -c)" = 0
    for f in plain a; do
        { "${CROSS}objdump" -s -j .text -j .text.unlikely $f.o | sed 1,2d && "${CROSS}readelf" -sW $f.o; } >$f.contents
    done
    claim "$arch: code, data and symbols stay as they were" test -s a.contents and cmp plain.contents a.contents
    claim "$arch: the mode of the file is kept" test "$(stat -c %a a.o)" = 640
    cp a.o once.o
    claim_status 0 "$arch: recording twice is accepted" "$recordmcount" a.o
    claim "$arch: recording twice changes nothing" cmp once.o a.o

    claim "$arch: the recorded objects link" link kernel.elf a.o b.o mcount.o
    claim_status 0 "$arch: the table can be sorted" "$recordmcount" --sort kernel.elf
    claim "$arch: the sorted table is objdump's list of calls" \
        same "calls_by_objdump kernel.elf" "table_by_objcopy kernel.elf"
    claim "$arch: --list prints the same addresses" \
        same "calls_by_objdump kernel.elf" \
        "\"$recordmcount\" --list kernel.elf | sed 's/^0x//; s/ .*//'"
    claim "$arch: --list names the functions as objdump does" same \
        "${CROSS}objdump -d kernel.elf | awk '/>:\$/ { f = substr(\$2, 2, length(\$2) - 3) }
            \$3 == \"jalr\" && \$NF == \"<_mcount>\" { print f }'" \
        "\"$recordmcount\" --list kernel.elf | sed 's/^[^ ]* //; s/+0x.*//'"

    cp kernel.elf sorted.elf
    table_by_objcopy kernel.elf | sort -r | while read -r word; do
        echo "$word" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/'
    done | tr -d '\n' | xargs -0 -I{} env printf '{}' >reversed.bin
    "${CROSS}objcopy" --update-section .mcount_loc=reversed.bin kernel.elf shuffled.elf
    claim "$arch: (the shuffled table is out of order)" \
        is_shuffled shuffled.elf
    claim "$arch: a shuffled table is put in order" \
        same "calls_by_objdump shuffled.elf" "table_by_objcopy shuffled.elf"
    cp shuffled.elf again.elf
    claim_status 0 "$arch: sorting twice is accepted" "$recordmcount" --sort again.elf
    claim "$arch: sorting twice changes nothing" cmp shuffled.elf again.elf
done

# ---- what the linker drops ----

compile rv64imac a.c split.o -ffunction-sections
compile rv64imac b.c b.o -ffunction-sections
"$recordmcount" split.o b.o
link gc.elf --gc-sections -e outside split.o b.o mcount.o
claim "--gc-sections drops the records with the functions" \
    same "calls_by_objdump gc.elf" "table_by_objcopy gc.elf"
claim "(it did drop some)" test "$(calls_by_objdump gc.elf | wc -l)" -eq 2
claim_status 0 "the image without them is accepted" "$recordmcount" --sort gc.elf

cat >shared.S <<'EOF'
    .option norelax
    .section .text.shared, "axG", @progbits, shared, comdat
    .weak shared
    .type shared, @function
shared:
    call _mcount
    ret
    .text
    .globl NAME
NAME:
    call _mcount
    tail shared
EOF
assemble rv64imac shared.S shared1.o -DNAME=one
assemble rv64imac shared.S shared2.o -DNAME=two
"$recordmcount" shared1.o shared2.o
"${CROSS}readelf" -gW shared1.o >groups.txt
claim "the records of a COMDAT function are in its group" has_line ' __mcount_loc' groups.txt \
    and has_line ' \.rela__mcount_loc' groups.txt
claim "two copies of a COMDAT function link" link comdat.elf shared1.o shared2.o mcount.o
claim "one copy of a COMDAT function leaves one record" \
    same "calls_by_objdump comdat.elf" "table_by_objcopy comdat.elf"
claim "objects joined by ld -r are recognised as recorded" "${CROSS}ld" -r -o joined.o shared1.o shared2.o \
    and cp joined.o joined.was and try "$recordmcount" joined.o and has_status 0 and cmp joined.o joined.was

# ---- details ----

compile rv64imac a.c silent.o
"${CROSS}gcc" -O2 -march=rv64imac -mabi=lp64 -c a.c -o silent.o
cp silent.o silent.was
claim_status 0 "an object without calls is accepted" "$recordmcount" silent.o
claim "an object without calls stays byte-identical" cmp silent.o silent.was
try "$recordmcount" silent.o >out.txt 2>&1
claim "recording says nothing by default" has_status 0 and test ! -s out.txt
try "$recordmcount" -v silent.o >out.txt
claim "--verbose prints one line" has_status 0 and test "$(wc -l <out.txt)" -eq 1
compile rv64imac a.c linked.o
ln -s linked.o link-to.o
"$recordmcount" link-to.o
claim "a symbolic link stays one" test -L link-to.o
claim "the file behind a symbolic link is recorded" \
    has_section __mcount_loc linked.o

cat >other.S <<'EOF'
    .option norelax
    call __fentry
    call _mcount
EOF
assemble rv64imac other.S other.o
claim_status 0 "--symbol chooses another callee" "$recordmcount" --symbol __fentry other.o
claim "--symbol records that callee only" \
    test "$(${CROSS}readelf -rW other.o | grep -c R_RISCV_64)" = 1

cat >debug.S <<'EOF'
    .option norelax
    call _mcount
    .section .debug_info
    .dword _mcount
EOF
assemble rv64imac debug.S debug.o
claim_status 0 "debug information may name _mcount" "$recordmcount" debug.o

cat >mapped.S <<'EOF'
    .option norelax
    .section .text.f, "ax", @progbits
    .globl f
f:  call _mcount
EOF
assemble rv64imac mapped.S mapped.o
"${CROSS}objcopy" --strip-unneeded mapped.o
claim_status 0 "an object without local symbols of its own is accepted" "$recordmcount" mapped.o

awk 'BEGIN {
    print ".option norelax"
    for (i = 0; i < 33000; i++) printf ".section .text.f%d,\"ax\",@progbits\nf%d: call _mcount\n", i, i
}' >many.S
assemble rv64imac many.S many.o
cp many.o many.plain
claim_status 0 "an object with more than 65280 sections is accepted" "$recordmcount" many.o
claim "its records are objdump's calls of _mcount" same \
    "relocations_by_objdump many.plain calls" "relocations_by_objdump many.o records"
link many.elf many.o mcount.o
claim_status 0 "it links, with a table for each call" "$recordmcount" --sort many.elf
try "$recordmcount" --list many.elf >out.txt
claim "no call of the 33000 is lost" has_status 0 and test "$(wc -l <out.txt)" -eq 33000

# The low half of the distance is signed: around 0x800 the high half carries.
for gap in 7f6 7f8 7fa 7fc 7fe 800 802 804 806 808 ff6 ff8 ffa ffc ffe 1000 17fc 17fe 1800 1802 1808; do
    cat >carry.S <<EOF
    .option norelax
    call _mcount
    .skip 0x$gap - 8
    .globl _mcount
_mcount: c.jr ra
    .skip 0x$gap - 2
    call _mcount
EOF
    assemble rv64imac carry.S carry-$gap.o && "$recordmcount" carry-$gap.o &&
        link carry.elf carry-$gap.o && "$recordmcount" --sort carry.elf || echo "gap $gap"
done >carry.log 2>&1
claim "calls at all distances around the sign of the low half are accepted" \
    no_line '' carry.log

# ---- objects that are refused ----

bad_object() { # claim, pattern, assembly lines
    printf '%s\n' "$3" >bad.S
    assemble rv64imac bad.S bad.o
    claim "$1" refused 65 "$2" bad.o
}

norelax='.option norelax'
"${CROSS}gcc" -O2 -pg -march=rv64imac -mabi=lp64 -c a.c -o relaxed.o
claim "a relaxable call is refused" refused 65 '\.text+0xa: .*-mno-relax' relaxed.o
bad_object "relaxable code before an unrelaxable call is refused" '+0x0: .*-mno-relax' \
    'call other
.option norelax
call _mcount'
bad_object "a jal to _mcount is refused" '+0x2: .*type 17' "$norelax
nop
jal ra, _mcount"
bad_object "a tail call of _mcount is refused" 'auipc' "$norelax
tail _mcount"
bad_object "a call through t0 is refused" 'auipc' "$norelax
call t0, _mcount"
bad_object "the address of _mcount in code is refused" '+0x0: ' "$norelax
lla a0, _mcount"
bad_object "a pointer to _mcount in data is refused" '\.data+0x8: ' '.data
.dword 0, _mcount'
bad_object "a call to a place behind _mcount is refused" '_mcount+4' "$norelax
call _mcount+4"
bad_object "a call relocation on other bytes is refused" '00000013 00000013' "$norelax
.option norvc
.reloc ., R_RISCV_CALL_PLT, _mcount
nop
nop"
bad_object "a call that reaches past its section is refused" 'past' "$norelax
.reloc ., R_RISCV_CALL_PLT, _mcount
auipc ra, 0"
bad_object "a call relocated twice is refused" 'overlap' "$norelax
.reloc ., R_RISCV_CALL_PLT, _mcount
call _mcount"
bad_object "a call changed by a second relocation is refused" 'second relocation' "$norelax
.reloc .+4, R_RISCV_32, other
call _mcount"
bad_object "a table of unknown origin is refused" '__mcount_loc' "$norelax
f: call _mcount
.section __mcount_loc, \"a\"
.dword f + 2"
bad_object "a table without calls is refused" 'its 1 calls are not the 0' 'f: nop
.section __mcount_loc, "a"
.dword f'
bad_object "records without relocations are refused" '__mcount_loc' "$norelax
call _mcount
.section __mcount_loc, \"a\"
.dword 0"

: >empty.o
echo 'int main(void) { return 0; }' >text.o
compile rv64imac a.c good.o
size=$(stat -c %s good.o)
poke() { # OUTPUT OFFSET OCTAL: good.o with one byte changed
    cp good.o "$1"
    printf '%b' "\\0$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
${CC:-gcc} -c a.c -o host.o
"${CROSS}gcc" -march=rv32imac -mabi=ilp32 -pg -c a.c -o bits.o
poke big.o 5 2
poke shoff.o 47 177
poke shentsize.o 58 100
poke shnum.o 61 40
poke shstrndx.o 62 7
"${CROSS}ar" rc lib.a good.o
mkdir folder.o
claim "an empty file is refused" refused 65 'empty' empty.o
claim "a text file is refused" refused 65 'not an ELF' text.o
claim "an object for another machine is refused" refused 65 'another machine' host.o
claim "a 32-bit object is refused" refused 65 '32-bit' bits.o
claim "a big-endian object is refused" refused 65 'big-endian' big.o
claim "an archive is refused" refused 65 'archive' lib.a
claim "a folder is refused" refused 65 'not a regular file' folder.o
claim "section headers past the end are refused" refused 65 '; ' shoff.o
claim "more section headers than the file holds are refused" refused 65 '; ' shnum.o
claim "section names in a wrong section are refused" refused 65 '; ' shstrndx.o
claim "a linked image is refused as an object" refused 65 'not a relocatable object' kernel.elf
claim "a missing file is status 66" refused 66 'No such file' missing.o
cut=1
while [ $cut -lt "$size" ]; do
    head -c $cut good.o >cut.o
    try "$recordmcount" cut.o 2>err.txt
    echo "$status $(wc -l <err.txt)"
    cut=$((cut + 61))
done >cuts.txt
claim "an object cut short anywhere is refused with one line" line_count "$(wc -l <cuts.txt)" '^65 1$' cuts.txt

try "$recordmcount" empty.o good.o text.o missing.o 2>err.txt
claim "the first trouble of several files gives the status" has_status 65
claim "each bad file of several has its line" test "$(wc -l <err.txt)" -eq 3
claim "the good file among them is recorded" \
    has_section __mcount_loc good.o

cp many.plain full.o
refused_full=$(
    trap '' XFSZ
    ulimit -f 8
    try "$recordmcount" full.o 2>&1
    echo "status $status"
)
claim "a copy that cannot be written is status 74 with one line" \
    sh -c 'echo "$1"; [ "$(echo "$1" | wc -l)" -eq 2 ] && [ "${1##*status }" = 74 ]' - "$refused_full"
claim "and leaves the file as it was" cmp full.o many.plain
claim "and no copy beside it" test -z "$(find . -name 'full.o.*')"

# ---- images that are refused ----

compile rv64imac a.c a.o
compile rv64imac b.c b.o
cp b.o b.plain
"$recordmcount" a.o b.o
assemble rv64imac mcount.S mcount.o

bad_table() { # claim, pattern, contents of the table's section besides the records
    printf '%s\n' '.section __mcount_loc, "a"' "$3" >bad.S
    assemble rv64imac bad.S bad.o
    link bad.elf a.o b.o mcount.o bad.o
    claim "$1" refused 65 "$2" --sort bad.elf
}
bad_table "a double entry is refused" 'twice' '.dword first + 12'
bad_table "an entry outside executable segments is refused" '\.mcount_loc+0x.*not code in' \
    '.dword 0x1000'
bad_table "a zero entry is refused" 'not code in' '.dword 0'
bad_table "an odd entry is refused" 'not code in' '.dword first + 13'
bad_table "an entry that is no call is refused" 'expected auipc ra' '.dword first'
sed 's/__stop_mcount_loc = ./__stop_mcount_loc = . - 4/' kernel.ld >short.ld
"${CROSS}ld" --no-warn-rwx-segments -T short.ld -o short.elf a.o b.o mcount.o
claim "a table of a broken length is refused" refused 65 'whole number' --sort short.elf

cat >stray.S <<'EOF'
    .option norelax
    .globl stray
stray: call leaf
    .section __mcount_loc, "a"
    .dword stray
EOF
assemble rv64imac stray.S stray.o
link stray.elf a.o b.o mcount.o stray.o
claim "an entry that calls another function is refused" refused 65 'goes to' --sort stray.elf

link missed.elf a.o b.plain mcount.o
claim "a call that the table misses is refused" refused 65 '\.text+0x.*not in the table' --sort missed.elf
cat >hidden.S <<'EOF'
    .option norelax
    .half 3
    call _mcount
EOF
assemble rv64imac hidden.S hidden.o
link hidden.elf a.o b.o mcount.o hidden.o
claim "a missed call behind data in the text is refused" refused 65 'not in the table' --sort hidden.elf
"${CROSS}gcc" -O2 -pg -march=rv64imac -mabi=lp64 -c b.c -o relaxed.o
link jal.elf a.o relaxed.o mcount.o
claim "a call that the linker shrank is refused" refused 65 'jal' --sort jal.elf
"${CROSS}ld" --no-warn-rwx-segments -e entry --defsym=_mcount=0 -o bare.elf a.o b.o
claim "an image without the table's symbols is refused" refused 65 '__start_mcount_loc' --sort bare.elf
"${CROSS}strip" -o stripped.elf kernel.elf
claim "a stripped image is refused" refused 65 'no symbol table' --sort stripped.elf
link relocs.elf --emit-relocs a.o b.o mcount.o
claim "a table with relocations left is refused" refused 65 'relocation still applies' --sort relocs.elf
claim "an object is refused as an image" refused 65 'not a linked kernel' --sort a.o
claim "--list refuses an object too" refused 65 'not a linked kernel' --list a.o
claim "--sort of a missing file is status 66" refused 66 'No such file' --sort missing.elf
link none.elf mcount.o
claim_status 0 "an image without calls and with an empty table is accepted" "$recordmcount" --sort none.elf

# ---- sites that are nops ----

cat >nops.S <<'EOF'
    .option norelax
    .balign 4
    .globl late
late: .half 1, 1, 1, 1
    ret
    .balign 4
    .globl early
early: .word 0x13
    .half 1, 1
    ret
    .section __mcount_loc, "a"
    .dword early, late
EOF
assemble rv64imac nops.S nops.o
link nops.elf mcount.o nops.o
claim_status 0 "a table of nops is sorted" "$recordmcount" --sort --nops=8 --align=4 nops.elf
"$recordmcount" --list nops.elf | sed 's/.* //' >order.txt
claim "... into the order of addresses" test "$(xargs <order.txt)" = 'late+0x0 early+0x0'
claim "without --nops they are no calls" refused 65 'expected auipc ra' --sort nops.elf
claim "fewer nops than asked for are refused" refused 65 'no 12 bytes of nops' --sort --nops=12 nops.elf
sed 's/\.balign 4/.balign 8; .half 1/' nops.S >odd.S
assemble rv64imac odd.S odd.o
link odd.elf mcount.o odd.o
claim "an entry off its alignment is refused" refused 65 'not aligned to 4 bytes' \
    --sort --nops=8 --align=4 odd.elf
claim_status 0 "which without --align is none" "$recordmcount" --sort --nops=8 odd.elf

# ---- usage ----

for arguments in '' '--sort' '--sort --list kernel.elf' '--list a.elf b.elf' '--nonsense' '--symbol' \
    '--nops=8 a.o' '--sort --nops=7 kernel.elf' '--sort --align=x kernel.elf'; do
    # shellcheck disable=SC2086 # words
    claim_status 64 "'recordmcount $arguments' is status 64" "$recordmcount" $arguments
done
claim_status 0 "--help is status 0" "$recordmcount" --help
claim_status 0 "--version is status 0" "$recordmcount" --version
version=$(sed -n '/^## /{s/^## \([0-9.]*\) .*/\1/p;q;}' "$root/CHANGELOG.md")
claim "... and names the version of rvftrace" \
    test "$("$recordmcount" --version)" = "recordmcount (rvftrace) $version"
page=$root/docs/recordmcount.1
claim_line "the man page, which is not generated, names no version" '^\.TH RECORDMCOUNT 1 "" "rvftrace" "rvftrace"$' "$page"
"$recordmcount" --help | grep -oE -- '--[a-z]+(=| |,|$)' | tr -d '=, ' | sort -u >options.txt
sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "$page" | tr -d '\\' | grep -oE -- '--[a-z]+' | sort -u >described.txt
claim "the man page describes the options of --help" test -s options.txt and diff options.txt described.txt
try "$recordmcount" --list kernel.elf >/dev/full 2>err.txt
claim "--list to a full disk is status 74" has_status 74

finish
