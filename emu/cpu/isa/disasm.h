/*
 * disasm.h - instructions as text, in the manner of binutils' objdump.
 */
#ifndef CPU_DISASM_H
#define CPU_DISASM_H

#include <stddef.h>
#include <stdint.h>

enum { DISASM_MAX = 96 };

/* Names addresses ("schedule+0x1c"): name() writes at most `size` bytes; empty: no name. */
struct disasm_names {
    void (*name)(void *ctx, uint64_t address, char *text, size_t size);
    void *ctx;
};

/*
 * Writes one instruction as text, with the usual aliases (ret, mv, nop, li, j,
 * beqz). `word` is as for insn_decode; `names` may be NULL. Returns the size of
 * the instruction in bytes. An illegal word becomes a directive (.2byte, .4byte).
 */
unsigned disasm(uint64_t pc, uint32_t word, const struct disasm_names *names,
                char text[DISASM_MAX]);

/* vtype as a vsetvli writes it: "e32,m1,ta,ma"; a reserved value as a number. */
void disasm_vtype(unsigned vtype, char text[DISASM_MAX]);

/* The name of a CSR, or NULL. */
const char *csr_name(unsigned number);

#endif
