/*
 * whole_insn.h - judges whether a change of text replaces whole instructions by whole instructions.
 *
 * Where instructions begin is counted from the start of the function, over the text as it was
 * before. Pure functions.
 */
#ifndef FTRACE_WHOLE_INSN_H
#define FTRACE_WHOLE_INSN_H

#include <stdbool.h>
#include <stdint.h>

struct decoder;

/* A change of text. All addresses are those at which it is run. */
struct text_change {
    uint64_t start, end; /* of the function; start 0: not known */
    uint64_t va, size;   /* what was written */
    /* The parcel (two bytes) at an address, before and after. False: it cannot be read. */
    bool (*before)(void *ctx, uint64_t va, uint16_t *parcel);
    bool (*after)(void *ctx, uint64_t va, uint16_t *parcel);
    void *ctx;
    const struct decoder *decoder; /* of all extensions */
};

enum change_fault {
    CHANGE_WHOLE,          /* whole instructions, or nothing was changed */
    CHANGE_UNKNOWN,        /* the function is not known, or has data before the place */
    CHANGE_BREAK_INSIDE,   /* a breakpoint in the middle of an instruction */
    CHANGE_BREAK_TOO_LONG, /* a breakpoint that is longer than the instruction below it */
    CHANGE_PART,           /* a part of an instruction was written, the rest is another one's */
    CHANGE_REST,           /* what follows is the rest of an instruction */
    CHANGE_ILLEGAL,        /* what was written is no instruction */
    CHANGE_NOT_RESTORED,   /* a breakpoint was removed, and the instruction is not back */
    CHANGE_TARGET,         /* a jump to where no instruction begins */
    CHANGE_FAULTS,
};

struct change_verdict {
    enum change_fault fault;
    uint64_t insn; /* a fault: where the instruction that is meant begins */
};

/* All faults but CHANGE_NOT_RESTORED and CHANGE_TARGET. */
struct change_verdict change_judge(const struct text_change *c);

/*
 * Whether what was written is a breakpoint; *va and *size are then the bytes that it has changed,
 * of which the first two or four are the instruction.
 */
bool change_is_breakpoint(const struct text_change *c, uint64_t *va, unsigned *size);

/* Whether the text differs from what it was before. */
bool change_is_any(const struct text_change *c);

/*
 * Finds the next direct jump or branch, or auipc and jalr, from *at on among the instructions that
 * were written. *at is then the address after it, and *insn and *target its own and that which it
 * leads to. Begins at 0. False: there is no other one.
 */
bool change_next_jump(const struct text_change *c, uint64_t *at, uint64_t *insn, uint64_t *target);

/*
 * Whether an instruction begins at an address of a function that starts at `start`, in the text
 * before. True if it has data before the address, as that is not known then.
 */
bool change_begins_insn(const struct text_change *c, uint64_t start, uint64_t va);

#endif
