/*
 * unwind.h - from the registers of a frame to those of its caller.
 *
 * By the call frame information of the debug information (load/cfi.h, and libdw for what that
 * leaves to it); for code without it, by the prologue of the function and the chain of frame
 * pointers (frame.c). A trap's frame leads to the interrupted code, by the registers that the
 * kernel has saved. A return address that the graph tracer has replaced leads to the true one.
 *
 * What the guest has in its stacks may be anything: a frame that cannot be right has no caller.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct hart;
struct lines;
struct symbols;

enum { UNWIND_REGS = 32 }; /* x0 to x31 */

struct unwound {
    uint64_t pc;
    /*
     * The instruction at pc is the next one to run. False: pc is a return address, and the code of
     * the frame is before it.
     */
    bool exact;
    bool user;     /* interrupted in user mode */
    unsigned hart; /* by whose page tables code and memory of the frame are read */
    uint64_t reg[UNWIND_REGS];
    uint64_t at[UNWIND_REGS]; /* where the value is in memory; 0: still in the register */
    uint32_t lost;            /* registers whose value is not known, as bits */
    uint64_t pc_at; /* where the return address pc is in memory; 0: in a register, or not known */
    uint64_t cfa;   /* sp at the function's entry */
    bool cfa_known;
    unsigned handlers; /* number of replaced return addresses in the frames from the innermost one
                          to this */
};

/* The CSRs of the supervisor that are needed, by their numbers. */
enum unwind_csr { UNWIND_SSTATUS = 0x100, UNWIND_STVEC = 0x105, UNWIND_SEPC = 0x141 };

/* What frames are read from. `ctx` is passed to the functions. */
struct unwind_source {
    void *ctx;
    const struct symbols *symbols; /* NULL: none */
    struct lines *lines;           /* their file has the call frame information; NULL: none */
    bool (*read)(void *ctx, unsigned hart, uint64_t va, void *to, unsigned len);
    uint64_t (*csr)(void *ctx, unsigned hart, enum unwind_csr csr); /* 0: not known */

    /* Any of these may be NULL. */
    /* The image's virtual address for a physical one; any other address as it is. */
    uint64_t (*canonical)(void *ctx, uint64_t address);
    /*
     * The address by which symbols and debug information know the code, if it is not its own: that
     * of a site before the function that it belongs to.
     */
    bool (*known_as)(void *ctx, unsigned hart, uint64_t code, uint64_t *address);
    /* The offset in struct pt_regs at which the kernel saves a register. */
    bool (*saved_at)(void *ctx, const char *reg, uint64_t *offset);
    /*
     * The address that was replaced by that of return_to_handler, of the function that was entered
     * with this sp: by the machine's record of calls.
     */
    bool (*replaced)(void *ctx, uint64_t sp, uint64_t *address);
    /*
     * The same by the kernel's return stack, of the frame `u`: `back` entries below its top; or of
     * an entry beside that whose function has this code. code 0: the function is not known.
     */
    bool (*on_return_stack)(void *ctx, const struct unwound *u, unsigned back, uint64_t code,
                            uint64_t *address);
};

/*
 * Finds the frame that called u. False: there is none, or it cannot be found. Sets u's cfa in any
 * case, if it is known.
 */
MUST_USE bool unwind_step(const struct unwind_source *s, struct unwound *u, struct unwound *caller);

/* Returns an address in the code of the frame, as symbols and debug information have it. */
uint64_t unwind_code_of(const struct unwind_source *s, const struct unwound *u);

#endif
