/*
 * image_labels.h - the jump labels of the image, in the order of their physical addresses. All that
 * need them share this: a kernel may have very many.
 */
#ifndef FTRACE_IMAGE_LABELS_H
#define FTRACE_IMAGE_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "ftrace/kernel/jump_table.h"

struct image;
struct image_labels;
struct symbols;

/*
 * Of several entries with one place it has the first. The image must outlive it, the symbols need
 * not. Never NULL.
 */
struct image_labels *image_labels_new(const struct image *im, const struct symbols *symbols);
void image_labels_free(struct image_labels *l); /* NULL is allowed */

size_t image_labels_count(const struct image_labels *l);

/* The number of the first label at or after pa; their count if there is none. */
size_t image_labels_from(const struct image_labels *l, uint64_t pa);

/* The place of a label, i < image_labels_count(); it is read out of the image. */
struct jump_place image_labels_get(const struct image_labels *l, size_t i);
uint64_t image_labels_pa(const struct image_labels *l, size_t i);

/* The label that has a byte in [pa, pa + size): its number; SIZE_MAX: there is none. */
size_t image_labels_find(const struct image_labels *l, uint64_t pa, unsigned size);

#endif
