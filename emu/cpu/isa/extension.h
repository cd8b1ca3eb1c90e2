/*
 * extension.h - sets of ISA extensions, and ISA strings ("rv64gc_zba").
 */
#ifndef CPU_EXTENSION_H
#define CPU_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

enum extension {
#define X(name, shown, needs, what) EXT_##name,
#include "cpu/isa/extension.def"
#undef X
    EXT_COUNT,
};

/* A set of extensions, one bit for each. Rows of insn.def and csr.def name one of these sets. */
enum extension_set {
#define X(name, shown, needs, what) EXTS_##name = INT64_C(1) << EXT_##name,
#include "cpu/isa/extension.def"
#undef X
    EXTS_D_Zfhmin = EXTS_D | EXTS_Zfhmin,
    EXTS_D_Zfa = EXTS_D | EXTS_Zfa,
    EXTS_Zfa_Zfh = EXTS_Zfa | EXTS_Zfh,
    EXTS_Zabha_Zacas = EXTS_Zabha | EXTS_Zacas,
    EXTS_A_Zicfiss = EXTS_A | EXTS_Zicfiss,
};
#define EXTS_ALL (~UINT64_C(0) >> (64 - EXT_COUNT))
/*
 * Those of a machine for which none are named: code must not rely on more order than it has to, and
 * kernels choose other code where there are landing pads or a shadow stack.
 */
#define EXTS_DEFAULT                                                                  \
    (EXTS_ALL & ~(uint64_t)(EXTS_Ztso | EXTS_Zvl256b | EXTS_Zvl512b | EXTS_Zvl1024b | \
                            EXTS_Zicfilp | EXTS_Zicfiss))
/* Those that need V, and V. */
#define EXTS_VECTOR                                                                     \
    ((uint64_t)(EXTS_V | EXTS_Zvbb | EXTS_Zvbc | EXTS_Zvfhmin | EXTS_Zvkb | EXTS_Zvkg | \
                EXTS_Zvkned | EXTS_Zvknha | EXTS_Zvknhb | EXTS_Zvksed | EXTS_Zvksh |    \
                EXTS_Zvl128b | EXTS_Zvl256b | EXTS_Zvl512b | EXTS_Zvl1024b))

_Static_assert(EXT_COUNT <= 63, "a set is an enumerator");

/* Bytes that the ISA string of any set fits in, with the terminating zero. */
enum { EXT_TEXT_MAX = 512 };

/*
 * Parses an ISA string as used in the device tree (vol. I, 35): rv64 and letters, or a profile
 * (profile.def), then names after underscores; `g` is imafd_zicsr_zifencei, `b` zba_zbb_zbs. What
 * an extension includes need not be named, names of group.def stand for several, and those of
 * promise.def change nothing. False: the
 * string is invalid, and `problem` says why.
 */
MUST_USE bool extensions_parse(const char *isa, uint64_t *set, char problem[EXT_TEXT_MAX]);

/* The ISA string of a set, in canonical order and lower case. */
void extensions_format(uint64_t set, char text[EXT_TEXT_MAX]);

/* The names of promise.def, each after an underscore, in lower case. */
const char *extensions_promises(void);

/* Writes all names that extensions_parse takes, with what they are: profiles, extensions, groups,
 * promises.
 */
void extensions_list(FILE *out);

/* Bits of a vector register of a hart with this set; 0: it has none. */
unsigned extensions_vlen(uint64_t set);

/* The name as in extension.def. */
const char *extension_name(unsigned extension); /* extension < EXT_COUNT */

#endif
