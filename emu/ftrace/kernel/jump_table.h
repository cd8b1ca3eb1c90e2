/*
 * jump_table.h - Linux's table of jump labels: the places where a static key has its nop or jump.
 */
#ifndef FTRACE_JUMP_TABLE_H
#define FTRACE_JUMP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct symbols;

enum { JUMP_LABEL_BYTES = 4, JUMP_ENTRY_BYTES = 16 };

/* An entry of the table: distances from the fields themselves. */
struct jump_entry {
    int32_t code, target;
    int64_t key;
};

struct jump_place {
    uint64_t va, pa;
    uint64_t key;    /* the key's address */
    uint64_t target; /* of its jump */
    uint64_t entry;  /* the address of its entry */
    bool branch;     /* it is a jump while the key is off, and a nop while it is on */
    bool init;       /* in a part that was only needed at the start, as the kernel has noted */
};

/* The place of the entry at `at`, without its pa. */
struct jump_place jump_entry_place(const struct jump_entry *e, uint64_t at);

/*
 * Whether the instruction at a place is the `nop` of a label, or its `jal zero`; neither is
 * compressed.
 */
bool jump_insn_is_nop(uint32_t insn);
bool jump_insn_is_jump(uint32_t insn);

/* Whether the instruction may be at the place va of a label with this target. */
bool jump_insn_fits(uint32_t insn, uint64_t va, uint64_t target);

/* The number of entries in the image's table, at most; 0: it has none. */
size_t jump_table_length(const struct image *im, const struct symbols *symbols);

/* Calls add() for each place in the image's text, in the order of the table. */
void jump_table_read(const struct image *im, const struct symbols *symbols,
                     void (*add)(void *ctx, const struct jump_place *place), void *ctx);

#endif
