/*
 * module_labels.h - finds the jump labels of the guest's modules, from the kernel's announcement of
 * a module until it frees the module's memory.
 *
 * When the kernel announces a module to its static keys (jump_label_module_notify() of Linux,
 * jump_label_add_module() of the guest kernel), struct module has the address of the table of its
 * labels and the number of entries, at an offset that depends on version and configuration. The
 * table is recognised by its entries: each describes a nop, or a jump to the entry's target, in the
 * module's memory.
 */
#ifndef FTRACE_MODULE_LABELS_H
#define FTRACE_MODULE_LABELS_H

#include <stdint.h>

struct cluster;
struct image;
struct jump_labels;
struct key_labels;
struct module_labels;
struct state_io;
struct symbols;
struct text_map;

/*
 * `labels`: counts their cycles; `keys`: gets the labels, and saves those that it has; both may be
 * NULL. All must outlive it. Never NULL.
 */
struct module_labels *module_labels_new(struct cluster *c, const struct image *im,
                                        const struct symbols *symbols, struct text_map *text,
                                        struct jump_labels *labels, struct key_labels *keys);
void module_labels_free(struct module_labels *m); /* NULL is allowed */

/* Saves or restores the labels of modules, also those in the text map. */
void module_labels_state_io(struct state_io *io, struct module_labels *m);

#endif
