#!/bin/sh
# load_against_binutils.sh - compares emu/load's symbols and lines with binutils'.
#
#     load_against_binutils.sh LOAD_QUERY
#
# LOAD_QUERY is tests/unit/load_query.c, compiled. A sample of two C files and
# one assembler file is built in several ways, without relaxation, which leaves
# stale function lengths in gas's DWARF; for every parcel the answers must agree.
. "$(dirname "$0")/../claims.sh"
set -eu

query=$(realpath "$1")
cd "$work"

cat >one.c <<'C'
#include "inline.h"
int two_entry(int);
static int table[16];
static __attribute__((noinline)) int fill(int n)
{
    for (int i = 0; i < n; i++)
        table[i & 15] = square(i) + clamp(i, 3, 9);
    return table[n & 15];
}
void one_entry(void)
{
    for (int i = 0; i < 10; i++)
        two_entry(fill(i));
}
C
cat >inline.h <<'C'
static inline int square(int a)
{
    return a * a;
}
static inline int clamp(int a, int low, int high)
{
    if (a < low)
        return low;
    return a > high ? high : a;
}
C
cat >two.c <<'C'
#include "inline.h"
int unused_entry(int a)
{
    return a + 1;
}
int two_entry(int a)
{
    switch (a) {
    case 1: return square(a + 5);
    case 2: return clamp(a, 1, 7);
    case 9: return 11;
    default: return a / 3;
    }
}
C
cat >entry.S <<'S'
    .globl _start, inner
    .type _start, @function
_start:
    la sp, _start
    call one_entry
local_label:
    nop
inner:
    nop
1:  j 1b
    .size _start, . - _start
S

claim_same() { # claim_same TEXT FILE FILE: the two must be equal, and not empty
    claim "$1" test -s "$2" and diff "$2" "$3"
}

build() { # build FLAGS...
    rm -f ./*.o
    for source in one.c two.c entry.S; do
        "${CROSS}gcc" -march=rv64imac -mabi=lp64 -mcmodel=medany -mno-relax "$@" -c "$PWD/$source"
    done
    "${CROSS}gcc" -nostdlib -Wl,-Ttext=0x80000000,--gc-sections,-e,_start ./*.o -o sample.elf
}

# Every parcel's address, from the sections that hold code.
text_addresses() {
    "${CROSS}objdump" -d sample.elf | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p'
}

# The line table as "address file line", in order; the end of a sequence has line "-".
# Read with readelf and not addr2line, whose 2.40 gives the wrong file for a
# function that a header defines.
line_rows() {
    "${CROSS}readelf" -W --debug-dump=decodedline sample.elf | awk '
        $3 ~ /^0x/ { addr = sprintf("%16s", substr($3, 3)); gsub(" ", "0", addr)
                     print addr, $2 != "-", NR, $1, $2 }' |
        sort -k1,1 -k2,2n -k3,3n | cut -d' ' -f1,4,5
}

compare_lines() { # compare_lines NAME
    line_rows >rows
    sed 's/^/0000000000000000/; s/.*\(................\)$/\1/' addresses | awk '
        NR == FNR { at[NR] = $1; place[NR] = $2 " " $3; rows = NR; next }
        { while (i < rows && at[i + 1] <= $1) i++; print place[i] }' rows - >theirs
    cut -d' ' -f3- answers | sed 's,[^ ]*/,,' >ours
    claim_same "$1: file and line of every parcel are readelf's" theirs ours
    "${CROSS}addr2line" -f -e sample.elf <addresses | awk 'NR % 2' >theirs
    cut -d' ' -f2 answers >ours
    claim_same "$1: the function of every parcel is addr2line's" theirs ours
}

compare_symbols() { # compare_symbols NAME
    "${CROSS}objdump" -t sample.elf | awk '$2 ~ /[gl]/ && $3 == "F" { print $1, $NF }' |
        sort >symbols
    cut -d' ' -f1 symbols >places
    try "$query" sample.elf <places >named
    cut -d' ' -f1 named >ours
    cut -d' ' -f2 symbols >theirs
    claim_same "$1: the name at every symbol's address is objdump's" theirs ours
    # objdump labels each parcel by the nearest symbol; it, too, counts the local one.
    "${CROSS}objdump" -d sample.elf | awk '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3)
                              if (name == "local_label") name = "_start" }
        /^ *[0-9a-f]+:\t/ { print name }' >theirs
    cut -d' ' -f1 answers >ours
    claim_same "$1: the symbol of every parcel is objdump's" theirs ours
}

compare() { # compare NAME FLAGS...
    name=$1
    shift
    build "$@"
    text_addresses >addresses
    try "$query" sample.elf <addresses >answers
    has_status 0
    compare_symbols "$name"
    compare_lines "$name"
}

compare "-O2 -g" -O2 -g
compare "-O0 -g" -O0 -g
compare "-Os -gdwarf-4" -Os -gdwarf-4
compare "-O2 -g -ffunction-sections" -O2 -g -ffunction-sections
compare "-O2 -g -gz" -O2 -g -gz
finish
