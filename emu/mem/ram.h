/*
 * ram.h - main memory, the one path for writes to it, and the stamps and copies that record them.
 *
 * Stamps. The machine has one write clock (`ram->stamp`). A page's stamp is
 * the value of that clock at the first store after the page was last closed; every fence.i of any
 * hart closes all pages (ram_close_pages), so "page stamp newer than the hart's last fence.i" is
 * exact for a page, though stores to an open page cost nothing. Pages that hold code are never
 * open: each store to them is seen (cpu/blocks/codemap.c) and stamped by parcel.
 *
 * An open page is one that some hart holds a store translation for. Harts keep
 * those in their own caches and drop them when `ram->epoch` has moved.
 *
 * Copies. When a page is opened, a copy of its bytes is kept. If code is fetched from the
 * page later, a comparison with the copy shows which parcels were written since. A copy is
 * freed when every hart has done a fence.i since, or when there are more than copies_max and
 * it is the oldest. Without a copy (also for pages that surely hold data) it is only known that
 * the page was written, and when (ram_page.uncopied).
 */
#ifndef MEM_RAM_H
#define MEM_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct page_list;
struct state_io;
struct version;
struct versions;

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT };

enum ram_page_flag {
    RAM_PAGE_CODE = 1,           /* stores go to the code map */
    RAM_PAGE_RESERVED = 2,       /* a suspended hart holds an LR reservation in it */
    RAM_PAGE_WATCHED_STORES = 4, /* writes are reported (ram_hooks.accessed) */
    RAM_PAGE_WATCHED_LOADS = 8,  /* loads by harts are reported, too */
    RAM_PAGE_TABLE = 16,         /* cached translations come from it: writes are reported */
};

/* The flags that a version keeps; the others belong to observers and caches, and a restore leaves
 * them. */
enum { RAM_PAGE_STATE = RAM_PAGE_CODE | RAM_PAGE_RESERVED };

/*
 * Not every writer is a hart. After a write by WRITER_DEBUGGER_FENCED all harts fetch the new
 * bytes, as if each had executed a fence.i for them alone; what else is stale stays stale.
 */
enum writer_kind {
    WRITER_HART,
    WRITER_FIRMWARE,
    WRITER_DMA,
    WRITER_DEBUGGER,
    WRITER_LOADER,
    WRITER_DEBUGGER_FENCED,
    WRITER_KINDS
};

struct writer {
    enum writer_kind kind;
    uint32_t hart;  /* WRITER_HART: its number; WRITER_FIRMWARE: the calling hart's */
    uint64_t pc;    /* virtual; 0 if not a hart */
    uint64_t cycle; /* of that hart */
    uint64_t step;  /* instructions of all harts until then; 0 if not a hart */
};

static inline bool writer_is_debugger(const struct writer *w)
{
    return w->kind == WRITER_DEBUGGER || w->kind == WRITER_DEBUGGER_FENCED;
}

void writer_state_io(struct state_io *io, struct writer *w);

struct ram_page {
    uint64_t stamp; /* of the first store after it was last closed; 0: untouched since loading */
    uint32_t flags;
    bool shared;   /* writers other than `opener` may have stored to it since */
    bool loaded;   /* written without a stamp (needs_stamp in ram.c), or restored from a file */
    uint32_t kept; /* generation of versions in which it has been kept (ram_keep_page) */
    uint32_t table_uses;  /* what harts keep of a table (cpu/used_translations_priv.h) */
    struct writer opener; /* made the first store since the page was opened */
    uint64_t copy;        /* number of its newest copy; 0: none is kept */
    uint64_t uncopied;    /* stamp of the newest opening without a copy */
    uint32_t streak;      /* openings in a row, each soon after the one before (STREAK_REST) */
    uint32_t last_open;   /* count of closings at the last one */
};

/*
 * A page that was opened STREAK_MAX times in a row, each time soon after a closing, holds data (a
 * stack, counters): it is no longer copied, until it stays closed for STREAK_REST closings.
 */
enum { STREAK_MAX = 64, STREAK_REST = 64 };

#define COPIES_DEFAULT 4096 /* 16 MiB; a macro, because the row of its option needs the text */

/* The bytes of a page as they were when it was opened at `stamp`. */
struct page_copy {
    uint64_t stamp, pa;
    uint64_t older;       /* number of the page's previous copy, which may have been freed */
    struct writer opener; /* as in struct ram_page, when the page was opened again */
    bool shared;
    uint32_t kept; /* generation of versions in which the slot was kept */
    uint8_t bytes[PAGE_BYTES];
};

/* Calls by which the harts learn of accesses to memory. Any may be NULL. */
struct ram_hooks {
    void *ctx;
    /*
     * After a write to a page with RAM_PAGE_WATCHED_STORES, with the bytes that were there, and
     * after a load (old_bytes NULL) from one with RAM_PAGE_WATCHED_LOADS. Never across a page.
     * Harts have no fast translation for such an access.
     */
    void (*accessed)(void *ctx, uint64_t pa, const uint8_t *old_bytes, unsigned size,
                     const struct writer *by);
    /* The same after a write to a page with RAM_PAGE_TABLE. */
    void (*table_written)(void *ctx, uint64_t pa, const uint8_t *old_bytes, unsigned size,
                          const struct writer *by);
    /* Instead of a store to a page with RAM_PAGE_CODE: at most eight bytes, never across a page. */
    void (*store_code)(void *ctx, uint64_t pa, const uint8_t *bytes, unsigned size,
                       const struct writer *by);
    /* Before a store to a page with RAM_PAGE_RESERVED, and before any write not by a hart. */
    void (*before_write)(void *ctx, uint64_t pa, uint64_t size, const struct writer *by);
};

struct ram {
    uint64_t base, size; /* physical, bytes, whole pages */
    uint8_t *bytes;      /* lazily allocated by the host */
    struct ram_page *pages;
    uint64_t stamp;        /* the write clock */
    uint64_t closed_stamp; /* of the last ram_close_pages: pages with a newer stamp are open */
    uint32_t closings;     /* number of ram_close_pages calls */
    uint64_t epoch;        /* moves when cached store translations must be dropped */
    struct ram_hooks hooks;
    unsigned watched_loads; /* pages with RAM_PAGE_WATCHED_LOADS */
    /* copies: a ring, numbered from 1 on; the copies [first_copy, next_copy) are kept */
    struct page_copy *copies; /* NULL: none are kept, and copies_max is 0 */
    size_t copies_max;
    uint64_t first_copy, next_copy, copy_base; /* copy_base: the number that is in the first slot */
    uint64_t copies_left_out;  /* replaced by others, although a hart could still need them */
    struct versions *versions; /* of pages and copies; NULL: none was ever taken */
    uint32_t generation;       /* of the versions; 0: as long as there are none */
};

/* Makes memory of zeros, without copies. NULL: the host does not have that much memory. */
struct ram *ram_new(uint64_t base, uint64_t size);
/*
 * Sets the number of copies of pages that are kept at most, at least one. Before the first store; a
 * further call replaces it. False: the host does not have the memory, and no copies are kept.
 */
MUST_USE bool ram_reserve_copies(struct ram *r, size_t max);
void ram_free(struct ram *r);

static inline bool ram_has(const struct ram *r, uint64_t pa, uint64_t size)
{
    return pa >= r->base && size <= r->size && pa - r->base <= r->size - size;
}

static inline uint8_t *ram_host(const struct ram *r, uint64_t pa)
{
    return r->bytes + (pa - r->base);
}

/* The inverse: the physical address of a byte of RAM on the host. */
static inline uint64_t ram_pa(const struct ram *r, const uint8_t *host)
{
    return r->base + (uint64_t)(host - r->bytes);
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

/* The same for a slot of the ring of copies. */
void ram_keep_copy(struct ram *r, struct page_copy *slot);

/*
 * Makes the parcels of [pa, pa + size), in one page, equal in all copies of the page: no hart takes
 * their present bytes for newer than its last fence.i.
 */
void ram_refresh_copies(struct ram *r, uint64_t pa, uint64_t size);

/*
 * The one path for writes to memory, by any writer: it stamps, informs the code map, breaks
 * reservations and informs watches. [pa, pa + len) must be in the RAM. Only stores through a hart's
 * cached translations bypass it, and pages whose stores must be seen never get such a translation.
 */
void ram_write(struct ram *r, uint64_t pa, const void *from, size_t len, const struct writer *by);

/*
 * Must be called before a store to the page and before a store translation for it is cached. The
 * write clock moves only if the page was closed, so it does not depend on how long caches keep
 * translations.
 */
void ram_open_page(struct ram *r, uint64_t pa, const struct writer *who);

/* After this, the next store to any page stamps it anew. Called for every fence.i. */
void ram_close_pages(struct ram *r);

/* Sets a flag that makes stores slow; drops every cached store translation. */
void ram_flag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag);
void ram_unflag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag);

/* Makes a code page an ordinary one, as if `by` had opened it at `stamp` with its present bytes. */
void ram_retire_code(struct ram *r, uint64_t pa, uint64_t stamp, const struct writer *by);

/* Copy number n; NULL if it was freed or n is 0. */
const struct page_copy *ram_copy(const struct ram *r, uint64_t n);
/* Frees the copies of openings up to this stamp, which no hart needs any more. */
void ram_forget_copies(struct ram *r, uint64_t stamp);

void ram_set_hooks(struct ram *r, struct ram_hooks hooks);
/* To be called after a load from a page with RAM_PAGE_WATCHED_LOADS. */
void ram_tell_load(const struct ram *r, uint64_t pa, unsigned size, const struct writer *by);

/* ---- versions (base/versions.h): bytes, stamps and flags of all pages ---- */

/*
 * Takes a version of RAM. Drops cached store translations, so that the next store to each page is
 * seen. Pages stay open, so stamps do not depend on whether a version was taken.
 */
struct version *ram_take_version(struct ram *r);
void ram_restore_version(struct ram *r, const struct version *v);
void ram_free_version(struct ram *r, struct version *v);

/* Saves or restores the write clock; a version, or a file, has the rest. */
void ram_state_io(struct state_io *io, struct ram *r);

/* Parts of that: what is known of a page, of a copy, and which copies there are. */
void ram_page_state_io(struct state_io *io, struct ram_page *page);
void ram_copy_state_io(struct state_io *io, struct page_copy *copy);
void ram_copies_state_io(struct state_io *io, struct ram *r);

/*
 * Saves or restores, for a file, what is known of each page that is not as at power-on, and the
 * copies. Appends to `contents` the pages and copies whose bytes are not all zero, in the same
 * order in both directions: the caller saves or restores these. When restoring, all others are zero
 * after this. Comes before ram_state_io.
 */
void ram_contents_io(struct state_io *io, struct ram *r, struct page_list *contents);

#endif
