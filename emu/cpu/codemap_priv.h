/*
 * codemap_priv.h - the code map: for each page with code, when its parcels were written, and the
 * blocks of all harts in it.
 */
#ifndef CPU_CODEMAP_PRIV_H
#define CPU_CODEMAP_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/block_priv.h"
#include "cpu/cluster_priv.h"
#include "mem/ram.h"

enum {
    PARCELS_PER_PAGE = PAGE_BYTES / 2,
    LINE_BYTES = CACHE_BLOCK_BYTES,
    LINES_PER_PAGE = PAGE_BYTES / LINE_BYTES,
    LINE_PARCELS = LINE_BYTES / 2,
    PARCEL_WORDS = PARCELS_PER_PAGE / 64 /* of a bitmap with a bit for each parcel */
};

static inline unsigned parcel_in_page(uint64_t pa)
{
    return (unsigned)(pa & (PAGE_BYTES - 1)) / 2;
}

static inline bool codemap_parcel_set(const uint64_t *bitmap, unsigned parcel)
{
    return bitmap[parcel / 64] >> (parcel % 64) & 1;
}

static inline void codemap_set_parcel(uint64_t *bitmap, unsigned parcel)
{
    bitmap[parcel / 64] |= UINT64_C(1) << (parcel % 64);
}

static inline void codemap_clear_parcel(uint64_t *bitmap, unsigned parcel)
{
    bitmap[parcel / 64] &= ~(UINT64_C(1) << (parcel % 64));
}

struct state_io;

/* What is known of the newest write to a parcel. */
struct parcel_write {
    uint64_t stamp;
    bool parcel_known; /* false: only some write to the page is known */
    bool old_known;
    bool writer_known; /* the instruction is known, or a writer that is not a hart */
    bool agent_known;  /* the kind is known, and for WRITER_HART and WRITER_FIRMWARE the hart */
    struct writer who;
    struct writer opener; /* of the page, if the write was not seen by itself; pc 0: not known */
    uint16_t old_bytes;
};

/*
 * Stamps of the newest writes to the parcels of a line, as the stamp minus base; 0: not written
 * since the page became code. They have two bytes each while the writes to the line are near to
 * each other, else four, which span 2^32 writes.
 */
struct code_line {
    uint64_t base : 63, wide : 1;
    uint16_t after[]; /* LINE_PARCELS of them, or twice as many for uint32_t */
};

/* A store to code, kept while there is room; only the stamps remain of older ones. */
struct write_record {
    uint64_t stamp, pa;
    struct writer who;
    unsigned size;
    uint8_t old_bytes[8];
};

struct code_page {
    uint64_t pa;
    uint64_t base_stamp; /* of the newest write before the page became code for which only the page
                            is known */
    unsigned word;       /* index of an eight-byte word that was not zero */
    uint32_t kept;       /* generation of versions in which it was kept */
    bool viewed;         /* a hart may have a view of it (fetch_view_priv.h) */
    uint64_t known[PARCEL_WORDS];             /* fetched by some hart, or declared code */
    struct code_line *lines[LINES_PER_PAGE];  /* NULL: nothing written there */
    struct block_part *parts[LINES_PER_PAGE]; /* of the blocks of all harts, by their first line */
};

struct code_page *codemap_page(struct cluster *c, uint64_t pa); /* NULL: not code (yet) */
struct code_page *codemap_make_page(struct cluster *c, uint64_t pa);
void codemap_free(struct cluster *c);

/* Must be called before the record of the page changes: versions keep a copy. */
void codemap_keep_first(struct cluster *c, uint64_t pa);
static inline void codemap_keep_page(struct cluster *c, struct code_page *page)
{
    if (page->kept == c->code_generation)
        return;
    codemap_keep_first(c, page->pa);
    page->kept = c->code_generation;
}

/* While restoring, from a file or to a version, no hart may have blocks: the pages list them. */
void codemap_state_io(struct state_io *io, struct cluster *c);
struct version *codemap_take_version(struct cluster *c);
void codemap_restore_version(struct cluster *c, const struct version *v);

/*
 * The stamp of the newest write to the parcel at pa, or of a write to its page that may have
 * changed the parcel; 0: none.
 */
uint64_t codemap_stamp(const struct code_page *page, uint64_t pa);
/*
 * Describes the newest write to the parcel, or to its page if the parcel's is not newer than
 * `since`.
 */
struct parcel_write codemap_last_write(const struct cluster *c, const struct code_page *page,
                                       uint64_t pa, uint64_t since);

/* Four aligned bytes of code as they were at some moment. */
struct code_version {
    uint32_t bytes;
    uint64_t stamp; /* of the write that made them; the oldest version: that of the question */
};
enum { CODE_VERSIONS_MAX = 16 };
/*
 * The versions of the word at pa after the write with stamp `since`, the newest first, which is
 * that of memory. Returns their number, at least 1; writes that are not kept make none.
 */
unsigned codemap_versions(const struct cluster *c, uint64_t pa, uint64_t since,
                          struct code_version versions[CODE_VERSIONS_MAX]);
void codemap_add_block(struct cluster *c, struct block *b);
void codemap_remove_block(struct block *b);

/*
 * Makes blocks with this address be decoded again at their next entry, as the probes there have
 * changed. `counters_end`: they must not use their counters any more.
 */
void codemap_invalidate(struct cluster *c, uint64_t pa, bool counters_end);

/* ram_hooks.store_code: stores, stamps, marks blocks, emits the event. */
void codemap_store(void *cluster, uint64_t pa, const uint8_t *bytes, unsigned size,
                   const struct writer *who);

#endif
