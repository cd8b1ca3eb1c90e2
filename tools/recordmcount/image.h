/*
 * image.h - one linked kernel as recordmcount sees it: its code, its table, its symbols.
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
    int weight; /* of two at one address, the heavier gives the name */
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
    uint64_t *table; /* in the file's order, until it is sorted */
    size_t count;
};

/* Opens and reads; image_close is due after both outcomes. */
MUST_USE int image_open(struct image *m, const char *path, const char *symbol);
void image_close(struct image *m);

/* The loaded bytes [address, address + size_bytes), or NULL when the file has not all of them. */
const struct segment *image_segment_at(const struct image *m, uint64_t address,
                                       uint64_t size_bytes);
/* The allocated section around an address, 0 for none; *offset is the place in it. */
size_t image_section_at(const struct image *m, uint64_t address, uint64_t *offset);
int image_out_of_memory(const struct image *m);

#endif
