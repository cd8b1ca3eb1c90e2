/*
 * image.h - what a file brings into memory: an ELF's segments, or a raw image
 * as one segment. Immutable once opened, but for image_link_at.
 *
 * Opening an image touches no machine. An image knows nothing of symbols beyond tohost and
 * fromhost; see symbols.h.
 */
#ifndef LOAD_IMAGE_H
#define LOAD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "load/file.h"

struct bus;

enum image_kind {
    IMAGE_ELF,
    IMAGE_RAW,
    IMAGE_LINUX, /* raw, with the header of Linux's Documentation/riscv/boot-image-header.rst */
};

/* Segment flags have the values of ELF's p_flags. */
enum image_flag { IMAGE_X = 1, IMAGE_W = 2, IMAGE_R = 4 };

struct image_segment {
    uint64_t pa, va;
    uint64_t offset;    /* in the file */
    uint64_t file_size; /* bytes that the file has; the rest of mem_size is zero */
    uint64_t mem_size;
    unsigned flags;
    unsigned index;   /* in the program header table, as readelf -l counts */
    uint64_t headers; /* bytes at its start that are the ELF's own headers and no section's */
};

/* A range that holds instructions, whole or mixed with constants. */
struct image_text {
    uint64_t pa, va, size;
};

/* What a larger memory would bring, for the messages about an image that does not fit. */
struct image_room {
    uint64_t end_max; /* where images have to end in the largest memory */
    uint64_t above;   /* bytes of RAM above them that are not theirs */
};

struct image {
    char *path;
    enum image_kind kind;
    struct file file;
    uint64_t entry, entry_va; /* physical; as the file has it */
    struct image_segment *segments;
    size_t segment_count; /* at least 1, none with mem_size 0 */
    struct image_text *texts;
    size_t text_count;
    bool has_tohost, has_fromhost; /* the symbols of Berkeley's host interface */
    uint64_t tohost, fromhost;     /* physical */
};

/*
 * Reads and checks `path`. An ELF says itself where it goes. A file that is no
 * ELF is raw and goes to raw_base; if it has a Linux Image header and raw_base
 * is a whole GiB, raw_base is taken for the start of RAM, from which the
 * header's text_offset counts (2 MiB on RV64). An ELF whose lowest segment has
 * such a header (vmlinux, whose physical addresses begin at 0) goes there, too.
 *
 * On failure a message was printed through d, *out is untouched, and the answer is
 * EXIT_NO_FILE, EXIT_IO (see file_read), or EXIT_BAD_FILE: empty, truncated,
 * compressed, not for RV64, or nothing to load.
 */
MUST_USE enum exit_status image_open(const char *path, uint64_t raw_base, const struct diag *d,
                                     struct image **out);
void image_free(struct image *im); /* NULL is allowed */

/*
 * A raw image does not say at which virtual addresses its code was linked. With Linux's header its
 * first byte is the symbol _start: once that is known (va), texts and segments lie there, as those
 * of the ELF of the same build do. Does nothing to other images.
 */
void image_link_at(struct image *im, uint64_t va);

/*
 * Copies the segments into RAM, which must be new: what no image has brought is zero. The host
 * gives memory for the pages that are not all zeroes, and for no others.
 * EXIT_BAD_FILE: a segment lies outside of RAM; there was a message, and nothing
 * was written.
 */
MUST_USE enum exit_status image_load(const struct image *im, struct bus *b,
                                     const struct image_room *room, const struct diag *d);

/* What helps an image that does not fit: another address, or how much memory. */
enum { IMAGE_REMEDY = 96 };
void image_remedy(char text[IMAGE_REMEDY], uint64_t ram_base, uint64_t start, uint64_t end,
                  const struct image_room *room);

/*
 * The 64-bit FNV-1a of the file's bytes: the identity of the image in a report. Computed at each
 * call, byte by byte.
 */
uint64_t image_hash(const struct image *im);

/* Whether a segment holds the physical address. */
bool image_covers(const struct image *im, uint64_t pa);

/* The lowest virtual or physical address of a segment. */
uint64_t image_lowest(const struct image *im);

/* Through the segments; false if none holds the address. */
bool image_va_to_pa(const struct image *im, uint64_t va, uint64_t *pa);
bool image_pa_to_va(const struct image *im, uint64_t pa, uint64_t *va);

#endif
