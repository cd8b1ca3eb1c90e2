/*
 * jump_table.h - Linux's table of jump labels: the places where a static key has its nop or jump.
 */
#ifndef FTRACE_JUMP_TABLE_H
#define FTRACE_JUMP_TABLE_H

#include <stdint.h>

struct image;
struct symbols;

enum { JUMP_LABEL_BYTES = 4 };

struct jump_place {
    uint64_t va, pa;
    uint64_t key; /* the key's address */
};

/* Calls add() for each place in the image's text, in the order of the table. */
void jump_table_read(const struct image *im, const struct symbols *symbols,
                     void (*add)(void *ctx, const struct jump_place *place), void *ctx);

#endif
