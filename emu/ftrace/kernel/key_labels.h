/*
 * key_labels.h - the jump labels of each static key, of the kernel and its modules, and what a key
 * demands of them: that the instruction of each is a jump to its target, or a nop.
 */
#ifndef FTRACE_KEY_LABELS_H
#define FTRACE_KEY_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ftrace/kernel/jump_table.h"

struct cluster;
struct hart;
struct image;
struct key_labels;
struct state_io;
struct symbols;

struct key_label {
    struct jump_place place;
    uint64_t loader; /* of a module whose loading is not complete: the task that loads it; else 0 */
};

/* With the labels of the image. All must outlive it. Never NULL. */
struct key_labels *key_labels_new(struct cluster *c, const struct image *im,
                                  const struct symbols *symbols);
/* The number of labels of modules that were not kept: there were too many. */
uint64_t key_labels_left_out(const struct key_labels *k);

void key_labels_free(struct key_labels *k); /* NULL is allowed */

/* Adds a label of a module that this task loads, or removes one. */
void key_labels_add(struct key_labels *k, const struct jump_place *place, uint64_t loader);
void key_labels_remove(struct key_labels *k, uint64_t pa);

/*
 * The labels of modules that the task loads count as complete from now on. Calls key() with the
 * keys of these, some perhaps twice.
 */
void key_labels_complete(struct key_labels *k, uint64_t loader,
                         void (*key)(void *ctx, uint64_t key), void *ctx);

/* The key of the label that has its first byte in [pa, pa + size); 0: there is none. */
uint64_t key_labels_key_at(const struct key_labels *k, uint64_t pa, unsigned size);

/* The labels in ascending order of key and address, until one is added; i < key_labels_count(). */
size_t key_labels_count(const struct key_labels *k);
const struct key_label *key_labels_get(struct key_labels *k, size_t i);
size_t key_labels_first(struct key_labels *k, uint64_t key); /* the first one of a key */

/* What a label has, and what it must have. */
struct label_state {
    uint32_t count; /* of the key's users; -1 while the first one turns it on */
    uint32_t insn;  /* at the label's place, in memory */
    bool jumps;     /* its key demands a jump */
    bool holds;     /* the instruction is what its key demands */
};

/*
 * Reads the state of a label as the hart maps its key. False: the key or the place is not in
 * memory, or the label is in a part of its module that the kernel does not patch any more.
 */
bool key_label_read(const struct key_labels *k, struct hart *h, const struct key_label *l,
                    struct label_state *state);

/* Saves or restores the labels of modules. */
void key_labels_state_io(struct state_io *io, struct key_labels *k);

#endif
