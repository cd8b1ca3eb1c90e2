/*
 * image_priv.h - what the readers of ELF and raw images share; for emu/load only.
 *
 * A reader fills in kind, entry, segments and texts of an image whose path and
 * file are set. On EXIT_BAD_FILE it has printed why; image_open frees the rest.
 */
#ifndef LOAD_IMAGE_PRIV_H
#define LOAD_IMAGE_PRIV_H

#include "load/image.h"

bool elf_is_elf(const struct file *f); /* starts with ELF's magic number */

MUST_USE enum exit_status elf_read_image(struct image *im, uint64_t raw_base, const struct diag *d);
/* Gives the pages of symbols and debug information back that are in no segment. */
void elf_forget_names(struct image *im);
MUST_USE enum exit_status raw_read_image(struct image *im, uint64_t base, const struct diag *d);

/* Whether these bytes begin with Linux's Image header; *pa: its load address (see image_open). */
bool raw_linux_place(const uint8_t *bytes, size_t size, uint64_t base, uint64_t *pa);

/* Append to the image's arrays. */
void image_add_segment(struct image *im, struct image_segment segment);
void image_add_text(struct image *im, struct image_text text);

#endif
