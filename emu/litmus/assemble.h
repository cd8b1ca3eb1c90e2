/*
 * assemble.h - the programs of litmus tests as machine code, by the toolchain's assembler: one
 * process for many tests.
 */
#ifndef LITMUS_ASSEMBLE_H
#define LITMUS_ASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "litmus/test.h"

/* The code of a hart's program. */
struct code {
    uint8_t *bytes;
    size_t size;
    uint32_t *offsets; /* of the program's lines */
};

/* The code of a test. */
struct assembled {
    struct code codes[LITMUS_HARTS_MAX];
    VEC_OF(char *) insn_texts; /* the instructions that are values, each once */
    VEC_OF(uint32_t) insns;    /* their encodings; of a jump, relative to its own address 0 */
    char *problem;             /* NULL: none; why the test cannot be assembled */
};

/* The assemblers that are tried without --as, the first that there is. */
extern const char *const assemblers[];

/*
 * Assembles tests[i] into out[i], which is all zero before. Tests that are no RISC-V tests are
 * passed over. `program': the assembler, or NULL. Returns EXIT_PASS also if some tests have
 * problems; other statuses: a message was given.
 */
MUST_USE enum exit_status assemble(struct test *const *tests, size_t count, const char *program,
                                   const struct diag *d, struct assembled *out);
void assembled_free(struct assembled *a);

/* The offset of a jump or branch to its target; 0: it is another instruction. */
int64_t insn_offset(uint32_t insn);
/* The jump or branch with an offset that is greater by that; other instructions as they are. */
uint32_t insn_move(uint32_t insn, int64_t by);

#endif
