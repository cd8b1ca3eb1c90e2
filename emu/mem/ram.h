/*
 * ram.h - main memory, and what is remembered about who wrote it when.
 *
 * Stamps. The machine has one write clock (`ram->stamp`). A page's stamp is
 * the value of that clock at the first store after the page was last closed; every fence.i of any
 * hart closes all pages (ram_close_pages), so "page stamp newer than the hart's last fence.i" is
 * exact for a page, though stores to an open page cost nothing. Pages that hold code are never
 * open: each store to them is seen (cpu/codemap.c) and stamped by parcel.
 *
 * An open page is one that some hart holds a store translation for. Harts keep
 * those in their own caches and drop them when `ram->epoch` has moved.
 */
#ifndef MEM_RAM_H
#define MEM_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct state_io;
struct version;
struct versions;

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT };

enum ram_page_flag {
    RAM_PAGE_CODE = 1,     /* stores go to the code map */
    RAM_PAGE_RESERVED = 2, /* a suspended hart holds an LR reservation in it */
    RAM_PAGE_WATCHED = 4,  /* somebody asked to see the stores (struct ram_watch) */
};

/* Those that a version keeps; others belong to observers, and stay as they are in a restore. */
enum { RAM_PAGE_STATE = RAM_PAGE_CODE | RAM_PAGE_RESERVED | RAM_PAGE_WATCHED };

/* Who wrote. Not every writer is a hart. */
enum writer_kind { WRITER_HART, WRITER_FIRMWARE, WRITER_DMA, WRITER_DEBUGGER, WRITER_LOADER };

struct writer {
    enum writer_kind kind;
    uint32_t hart;  /* WRITER_HART, WRITER_FIRMWARE: on whose behalf */
    uint64_t pc;    /* virtual; 0 if not a hart */
    uint64_t cycle; /* of that hart */
};

void writer_state_io(struct state_io *io, struct writer *w);

struct ram_page {
    uint64_t stamp; /* 0: untouched since the images were loaded */
    uint32_t flags;
    bool shared;          /* others than the opener may have stored since */
    uint32_t kept;        /* generation of versions in which it has been kept (ram_keep_page) */
    struct writer opener; /* made the first store since the page was opened */
};

/* Told of each store to a watched page, after it: HTIF and the like. */
struct ram_watch {
    void (*stored)(void *ctx, uint64_t pa, unsigned size);
    void *ctx;
};

struct ram {
    uint64_t base, size; /* physical, bytes, whole pages */
    uint8_t *bytes;      /* lazily allocated by the host */
    struct ram_page *pages;
    uint64_t stamp;        /* the write clock */
    uint64_t closed_stamp; /* of the last ram_close_pages: pages with a newer stamp are open */
    uint64_t epoch;        /* moves when cached store translations must go */
    struct ram_watch watch;
    struct versions *versions; /* NULL: none was ever taken */
    uint32_t generation;       /* of the versions; 0: as long as there are none */
};

struct ram *ram_new(uint64_t base, uint64_t size); /* NULL: the host has no such memory */
void ram_free(struct ram *r);

static inline bool ram_has(const struct ram *r, uint64_t pa, uint64_t size)
{
    return pa >= r->base && size <= r->size && pa - r->base <= r->size - size;
}

static inline uint8_t *ram_host(const struct ram *r, uint64_t pa)
{
    return r->bytes + (pa - r->base);
}

static inline struct ram_page *ram_page_at(const struct ram *r, uint64_t pa)
{
    return &r->pages[(pa - r->base) >> PAGE_SHIFT];
}

/*
 * Must be called before the page's bytes or what is known of it change: versions taken earlier
 * keep a copy. Costs one comparison unless it is the first change since a version was taken.
 */
void ram_keep_first(struct ram *r, uint64_t pa);
static inline void ram_keep_page(struct ram *r, uint64_t pa)
{
    if (ram_page_at(r, pa)->kept != r->generation)
        ram_keep_first(r, pa);
}

/*
 * A store translation for this page is about to be handed out (or one store made). The write clock
 * moves only if the page was closed: it does not depend on how long caches keep translations.
 */
void ram_open_page(struct ram *r, uint64_t pa, const struct writer *who);

/* After this, the next store to any page stamps it anew. Called for every fence.i. */
void ram_close_pages(struct ram *r);

/* Sets a flag that makes stores slow; drops every cached store translation. */
void ram_flag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag);

/* Takes it away again. Of a page that nobody could open, `who` made the newest store at `stamp`. */
void ram_unflag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag, uint64_t stamp,
                     const struct writer *who);

/* ---- versions (base/versions.h): bytes, stamps and flags of all pages ---- */

/*
 * Cached store translations are dropped, so that the first store to each page is seen. Pages stay
 * open: no stamp depends on whether a version was taken.
 */
struct version *ram_take_version(struct ram *r);
void ram_restore_version(struct ram *r, const struct version *v);
void ram_free_version(struct ram *r, struct version *v);

/* Saves or restores the write clock; a version has the rest. */
void ram_state_io(struct state_io *io, struct ram *r);

#endif
