/*
 * image.h - a file to be loaded into memory: an ELF with its segments, or a raw
 * image as one segment. Immutable once opened, except by image_link_at.
 *
 * Opening an image needs no machine. Of its symbols an image has only tohost and fromhost; the
 * others are in symbols.h.
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
    uint64_t file_size; /* bytes in the file; the rest of mem_size is zero */
    uint64_t mem_size;
    unsigned flags;
    unsigned index;   /* in the program header table, as in readelf -l */
    uint64_t headers; /* bytes at its start that are ELF headers and belong to no section */
};

/* A range that holds code, perhaps mixed with constants. */
struct image_text {
    uint64_t pa, va, size;
};

/* The largest possible memory, for the messages about an image that does not fit. */
struct image_room {
    uint64_t end_max; /* end of the room for images with the largest memory */
    uint64_t above;   /* bytes at the top of RAM that images may not use */
};

struct image {
    char *path;
    enum image_kind kind;
    struct file file;
    uint64_t entry, entry_va; /* entry point: physical; and as in the file */
    struct image_segment *segments;
    size_t segment_count; /* at least 1, none with mem_size 0 */
    struct image_text *texts;
    size_t text_count;
    bool has_tohost, has_fromhost; /* the symbols of HTIF (Berkeley's host-target interface) */
    uint64_t tohost, fromhost;     /* physical */
    size_t btf_at;                 /* what is before it in the file is no BTF */
    bool forgotten;                /* image_forget_names has been called, with these results: */
    uint64_t digest, hash;
};

/*
 * Reads and checks `path`. An ELF is loaded at its physical addresses. Any other
 * file is a raw image and is loaded at raw_base; if it has a Linux Image header and
 * raw_base is a multiple of 1 GiB, raw_base is taken for the start of RAM, and the
 * header's text_offset (2 MiB on RV64) is added. An ELF whose lowest segment has
 * such a header (vmlinux, whose physical addresses begin at 0) is loaded there, too.
 *
 * On an error a message is given through d and *out is unchanged. Errors are
 * EXIT_NO_FILE, EXIT_IO (see file_read) and EXIT_BAD_FILE: empty, truncated,
 * compressed, not for RV64, or nothing to load.
 */
MUST_USE enum exit_status image_open(const char *path, uint64_t raw_base, const struct diag *d,
                                     struct image **out);
void image_free(struct image *im); /* NULL is allowed */

/*
 * Sets the virtual address of a raw image with Linux's header, which the header does not give: its
 * first byte is the symbol _start, at `va` in the ELF of the same build. Its segment and texts then
 * have the virtual addresses of that ELF. Other images are not changed.
 */
void image_link_at(struct image *im, uint64_t va);

/*
 * Copies the segments into RAM, which must be new: all bytes that no image has written must be
 * zero. Pages of zeroes take no host memory.
 * EXIT_BAD_FILE: a segment lies outside of RAM; a message was given, and nothing was written.
 */
MUST_USE enum exit_status image_load(const struct image *im, struct bus *b,
                                     const struct image_room *room, const struct diag *d);

/* Writes the remedy for an image that does not fit: another address, or a larger memory. */
enum { IMAGE_REMEDY = 96 };
void image_remedy(char text[IMAGE_REMEDY], uint64_t ram_base, uint64_t start, uint64_t end,
                  const struct image_room *room);

/*
 * Gives the memory of an ELF's symbols and debug information back, once they were read: of a large
 * kernel most of the file. What is in a segment stays, and so do BTF and digest; the hash only if
 * it is asked for, because it takes a nanosecond a byte.
 */
void image_forget_names(struct image *im, bool keep_hash);

/*
 * The 64-bit FNV-1a hash of the file's bytes, which identifies the image in a report. It is
 * computed at each call, byte by byte.
 */
uint64_t image_hash(const struct image *im);

/* The digest of the file's bytes (base/digest.h), which is fast. */
uint64_t image_digest(const struct image *im);

/* Whether a segment includes the physical address. */
bool image_covers(const struct image *im, uint64_t pa);

/* The lowest virtual or physical address of a segment. */
uint64_t image_lowest(const struct image *im);

/*
 * The part of the file in which load/btf.h is to look: of a raw image, which is large and mostly
 * something else, from the BTF on, or nothing.
 */
struct file image_btf(const struct image *im);

/* Converts an address by the segments. False: no segment includes it. */
bool image_va_to_pa(const struct image *im, uint64_t va, uint64_t *pa);
bool image_pa_to_va(const struct image *im, uint64_t pa, uint64_t *va);

/* Copies the file's bytes of a virtual address; false: it does not have all of them. */
bool image_read(const struct image *im, uint64_t va, void *to, size_t len);

/* Whether all of [va, va+size) is in one of its texts. */
bool image_is_text(const struct image *im, uint64_t va, uint64_t size);

#endif
