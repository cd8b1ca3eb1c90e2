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
struct image_labels;
struct key_labels;
struct state_io;

struct key_label {
    struct jump_place place;
    uint64_t loader; /* of a module whose loading is not complete: the task that loads it; else 0 */
};

/* With the labels of the image. Both must outlive it. Never NULL. */
struct key_labels *key_labels_new(struct cluster *c, const struct image_labels *labels);
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

size_t key_labels_count(const struct key_labels *k);

/*
 * Calls each() for all labels, or for those of a key, in ascending order of key and address. It
 * must not change the labels, and they are valid until it returns.
 */
void key_labels_each(struct key_labels *k, void (*each)(void *ctx, const struct key_label *l),
                     void *ctx);
void key_labels_of_key(struct key_labels *k, uint64_t key,
                       void (*each)(void *ctx, const struct key_label *l), void *ctx);

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
