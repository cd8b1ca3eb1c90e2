/*
 * jump_labels.h - the cost of jump labels, the places of static keys: each is a nop or, while the
 * key has the unlikely value, a jump (Linux's include/linux/jump_label.h).
 *
 * They are found by __start___jump_table and __stop___jump_table, whose entries are distances from
 * their own addresses since Linux 5.12 (arch/riscv/include/asm/jump_label.h). Those of modules come
 * and go (module_labels.h).
 */
#ifndef FTRACE_JUMP_LABELS_H
#define FTRACE_JUMP_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ftrace/cost/account.h"

struct image_labels;
struct jump_labels;
struct symbols;

enum jump_state { JUMP_NOP, JUMP_JUMP, JUMP_STATES };

struct jump_label {
    uint64_t va;
    const char *function; /* the function with the place; "": unknown */
    const char *key;      /* the name of the static key; "": unknown */
    const char *module;   /* of a label that was added; "": not known; NULL: of the image */
    bool gone;            /* its module was unloaded, or has freed it */
    uint64_t entries[JUMP_STATES];
    struct site_cost parts[JUMP_STATES]; /* cycles of the nop or the jump */
};

/*
 * Has a probe at each label of the image, in the code that is decoded (cpu/cluster.h). The labels
 * and the symbols must outlive it. Never NULL.
 */
struct jump_labels *jump_labels_new(struct cluster *c, const struct image_labels *labels,
                                    const struct symbols *symbols);
void jump_labels_free(struct jump_labels *l); /* NULL is allowed */

/*
 * Adds a label of a module, with its va and copies of its names. It ends when its module is
 * unloaded, or another label is added there; its counts stay.
 */
void jump_labels_begin(struct jump_labels *l, uint64_t pa, const struct jump_label *label);
void jump_labels_end(struct jump_labels *l, uint64_t pa);

/* The number of labels that were not added, because there were too many. */
uint64_t jump_labels_left_out(const struct jump_labels *l);

/*
 * The labels: those of the image in ascending order of physical address, then the others in the
 * order in which they were added.
 */
size_t jump_labels_count(const struct jump_labels *l);
struct jump_label jump_labels_get(const struct jump_labels *l, size_t i);

/* Only the entries and parts of a label: its names are looked up. */
void jump_labels_cost(const struct jump_labels *l, size_t i, uint64_t entries[JUMP_STATES],
                      struct site_cost parts[JUMP_STATES]);

/* Saves or restores the counts, and the labels that were added. */
void jump_labels_state_io(struct state_io *io, struct jump_labels *l);

#endif
