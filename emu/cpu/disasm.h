/*
 * disasm.h - instructions as text, in the manner of binutils' objdump.
 */
#ifndef CPU_DISASM_H
#define CPU_DISASM_H

#include <stddef.h>
#include <stdint.h>

enum { DISASM_MAX = 96 };

/* What an address is called ("schedule+0x1c"); empty text: it has no name. */
struct disasm_names {
    void (*name)(void *ctx, uint64_t address, char *text, size_t size);
    void *ctx;
};

/*
 * Writes one instruction, with the usual aliases (ret, mv, nop, li, j, beqz).
 * `word` as insn_decode takes it; `names` may be NULL. Returns its size in
 * bytes; what is no instruction is written as a directive (.2byte or .4byte).
 */
unsigned disasm(uint64_t pc, uint32_t word, const struct disasm_names *names,
                char text[DISASM_MAX]);

/* The name of a CSR, or NULL. */
const char *csr_name(unsigned number);

#endif
