/*
 * image.h - a linked kernel: its code, the table of sites, its symbols.
 */
#ifndef RECORDMCOUNT_IMAGE_H
#define RECORDMCOUNT_IMAGE_H

#include "elf_file.h"

#define START_NAME "__start_mcount_loc"
#define STOP_NAME  "__stop_mcount_loc"

struct segment {
    uint64_t address, size_bytes;
    const uint8_t *bytes;
    bool executable;
};

struct function {
    uint64_t address, size_bytes;
    const char *name;
    int weight; /* of symbols at one address the one with the greatest weight is printed */
};

struct wanted {
    const char *name;
    uint64_t value;
    bool found;
};

struct image {
    struct elf_file file;
    const char *symbol;
    const uint8_t *raw;
    struct segment *segments;
    size_t segment_count;
    struct wanted start, stop, mcount;
    struct function *functions;
    size_t function_count;
    uint64_t *table; /* in the order of the file, until it is sorted */
    size_t count;
};

/* Opens and reads a kernel. image_close must be called also after an error. */
MUST_USE int image_open(struct image *m, const char *path, const char *symbol);
void image_close(struct image *m);

/* The segment with [address, address + size_bytes) in the file; NULL: none has all of it. */
const struct segment *image_segment_at(const struct image *m, uint64_t address,
                                       uint64_t size_bytes);
/* The allocated section that contains an address, 0: none; *offset: the offset in it. */
size_t image_section_at(const struct image *m, uint64_t address, uint64_t *offset);
int image_out_of_memory(const struct image *m);

#endif
