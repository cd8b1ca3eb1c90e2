/*
 * site_image.h - an image with ftrace sites, made in memory: a page of text at
 * SITE_VA (SITE_PA), and after it the table of call sites.
 */
#ifndef TESTS_MACHINE_SITE_IMAGE_H
#define TESTS_MACHINE_SITE_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <elf.h>

#include "ftrace/sites/sites.h"
#include "isa/encode.h"
#include "load/image.h"
#include "load/symbols.h"

#define SITE_PA UINT64_C(0x80020000)
#define SITE_VA SITE_PA /* harts run it without translation */

enum { TEXT_BYTES = 4096, TABLE_AT = TEXT_BYTES, IMAGE_BYTES = 2 * 4096, NOP = 0x13 };

struct site_image {
    struct image image;
    struct image_segment segment;
    struct image_text text;
    uint8_t bytes[IMAGE_BYTES];
    char names[4096]; /* as a System.map */
    unsigned sites;
    char said[1024]; /* by the loader of the table */
};

static inline void image_name(struct site_image *im, const char *name, uint64_t offset)
{
    size_t used = strlen(im->names);

    snprintf(im->names + used, sizeof im->names - used, "%016lx T %s\n",
             (unsigned long)(SITE_VA + offset), name);
}

static inline void image_word(struct site_image *im, uint64_t offset, uint32_t word)
{
    memcpy(im->bytes + offset, &word, (word & 3) == 3 ? 4 : 2);
}

/* The auipc/jalr pair at one address that calls another; the low half is signed. */
static inline void call_pair(uint32_t pair[2], uint64_t from, uint64_t to)
{
    uint64_t distance = to - from, high = distance + 0x800;

    pair[0] = AUIPC(RA, (uint32_t)(high >> 12));
    pair[1] = JALR(RA, RA, (uint32_t)(distance & 0xfff));
}

static inline void image_call(struct site_image *im, uint64_t offset, uint64_t to_offset)
{
    uint32_t pair[2];

    call_pair(pair, offset, to_offset);
    memcpy(im->bytes + offset, pair, sizeof pair);
}

static inline void image_site(struct site_image *im, uint64_t offset)
{
    uint64_t va = SITE_VA + offset;

    memcpy(im->bytes + TABLE_AT + im->sites++ * sizeof va, &va, sizeof va);
}

/* As the compiler leaves them with -fpatchable-function-entry. */
static inline void image_nops(struct site_image *im, uint64_t offset, unsigned bytes)
{
    for (unsigned at = 0; at < bytes; at += 2)
        image_word(im, offset + at, 0x0001);
}

static inline struct site_image *image_begin(void)
{
    struct site_image *im = calloc(1, sizeof *im);

    assert_non_null(im);
    im->segment = (struct image_segment){.pa = SITE_PA,
                                         .va = SITE_VA,
                                         .file_size = IMAGE_BYTES,
                                         .mem_size = IMAGE_BYTES,
                                         .flags = IMAGE_R | IMAGE_W | IMAGE_X};
    im->text = (struct image_text){SITE_PA, SITE_VA, TEXT_BYTES};
    im->image = (struct image){.path = (char *)im->said, /* not the address of a symbol */
                               .kind = IMAGE_ELF,
                               .segments = &im->segment,
                               .segment_count = 1,
                               .texts = &im->text,
                               .text_count = 1};
    im->image.file.bytes = im->bytes;
    im->image.file.size = IMAGE_BYTES;
    return im;
}

static inline struct symbols *image_symbols(const struct site_image *im, const struct diag *d)
{
    char path[] = "/tmp/site_image_XXXXXX";
    int fd = mkstemp(path);
    struct symbols *symbols = NULL;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, im->names, strlen(im->names)), strlen(im->names));
    close(fd);
    assert_int_equal(symbols_read_map(path, d, &symbols), EXIT_PASS);
    unlink(path);
    return symbols;
}

/* Sites that the test has written no code for call _mcount, as layout `mcount` begins. */
static inline void image_fill_sites(struct site_image *im)
{
    const uint64_t last = TEXT_BYTES - SITE_BYTES;
    const char *named = strstr(im->names, " T _mcount\n");
    uint64_t mcount = named ? strtoull(named - 16, NULL, 16) - SITE_VA : last;

    if (!named && im->sites)
        image_name(im, "_mcount", mcount);
    for (unsigned i = 0; i < im->sites && TABLE_AT + i * 8 < IMAGE_BYTES; i++) {
        static const uint8_t none[SITE_BYTES];
        uint64_t va;

        memcpy(&va, im->bytes + TABLE_AT + i * sizeof va, sizeof va);
        if (va - SITE_VA <= last && va % 2 == 0 &&
            !memcmp(im->bytes + (va - SITE_VA), none, SITE_BYTES))
            image_call(im, va - SITE_VA, mcount);
    }
}

/* The table of its sites; messages go to im->said. The names must outlive it. */
static inline struct site_table *image_table(struct site_image *im, struct symbols **symbols)
{
    FILE *out = fmemopen(im->said, sizeof im->said, "w");
    const struct diag d = {.out = out, .program = "test"};
    struct site_table *t;

    image_fill_sites(im);
    image_name(im, "__start_mcount_loc", TABLE_AT);
    image_name(im, "__stop_mcount_loc", TABLE_AT + im->sites * 8);
    *symbols = image_symbols(im, &d);
    t = site_table_new(&im->image, *symbols, &d);
    fclose(out);
    return t;
}

#endif
