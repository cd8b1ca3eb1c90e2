/*
 * used_translations_priv.h - the translations that a hart has used since its last fence that
 * covers them.
 *
 * After a page table was changed, a hart may go on with what it read there before, until an
 * sfence.vma of its own covers the address and the ASID (ISA vol. II, 4.2.1). With --translate
 * stale or random it does. A translation is kept from its first use on, whatever the caches hold:
 * this is state, not a cache. No host translation, span or jump of a hart outlives what it was made
 * from, so that the first use after a fence is always seen.
 *
 * Leaf entries and pointers to tables are kept alike. A walk that finds no leaf begins at the
 * lowest pointer that is kept. A fence of one address need not cover pointers, so it does not (rs1
 * of sfence.vma: "leaf page table entries").
 */
#ifndef CPU_USED_TRANSLATIONS_PRIV_H
#define CPU_USED_TRANSLATIONS_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/hart_priv.h"
#include "cpu/observer.h"

struct state_io;

/*
 * One entry: a translation, or a pointer to the table below it. A 64 KiB mapping (Svnapot) has one
 * for each of its pages that was used.
 */
struct used {
    uint64_t va;          /* the first address that it translates */
    uint64_t pte, pte_pa; /* the entry as it was read, with A; V is clear: it was invalid */
    uint64_t first_cycle; /* of the hart, at the first use */
    uint64_t first_clock; /* cluster.table_clock then */
    uint64_t root;        /* number of the page of the root table then */
    uint64_t changed;     /* cluster.table_clock of the last store to the entry; 0: none was seen */
    struct writer who;    /* made that store */
    uint64_t told_pte;    /* the new value of the entry when `told` was set */
    uint16_t asid;
    uint8_t shift; /* log2 of the bytes that it translates */
    uint8_t told;  /* the kinds of access that were reported, a bit each */
    bool global;
    bool pointer;
    /* Of a pointer: its table was written, other than with 0, after the pointer was changed. */
    bool reused;
    struct writer reuser; /* the first one that did */
    bool elsewhere;       /* see used_set_elsewhere; this is no state */
    bool leaving;         /* after an sinval.vma that covers it, until the hart's sfence.inval.ir */
    /* The last choice of random mode: of an instruction, and of fetches. */
    bool has_chosen, chosen_old, has_fetched, fetch_old;
    uint8_t chosen_access;
    uint64_t chosen_insns, fetch_pte; /* fetch_pte: the new value of the entry then */
    /* indices; NO_USED ends a list */
    uint32_t next_of_page, next_of_entry, next_changed;
    uint32_t older, newer;
};

enum { NO_USED = 0 };

/* A walk that the hart has used since its last fence, and that is not among `at` yet. */
struct pending_use {
    const struct known_walk *walk;
    uint64_t cycle; /* of the first use */
};

enum { PENDING_MAX = 128 };

struct used_set {
    struct used *at; /* from 1 on */
    uint32_t max, len;
    uint32_t begun; /* the first `begun` of them have been in use */
    uint32_t free;  /* first of those among them that are free now, a list by `newer` */
    uint32_t oldest, newest;
    uint32_t *of_page, *of_entry; /* heads of lists, by hash */
    uint32_t hash_mask;
    uint32_t of_level[LEVELS_MAX]; /* how many translations there are of each size */
    uint32_t pointers[LEVELS_MAX]; /* how many pointers */
    uint32_t *changed_to;          /* changed pointers: lists by hash of the table they lead to */
    struct ram *ram;               /* counts by page: ram_page.table_uses */
    uint32_t elsewhere;
    uint32_t napot;   /* and with N */
    uint64_t ordered; /* table_clock at the last sfence.w.inval or sfence.vma */
    bool any_leaving;
    /* known_walks.c. One of `len` and `pending_count` is 0. */
    struct pending_use pending[PENDING_MAX];
    uint32_t pending_count;
    bool pending_mixed;  /* from several values of satp */
    uint64_t pending_id; /* of the present list; known_walk.pending has it */
};

/* What a fence covers. */
struct used_scope {
    bool all_addresses, all_asids;
    uint64_t from, size; /* bytes; unless all_addresses. 1: all of the pages with this address */
    uint16_t asid;       /* unless all_asids: then global translations are not covered */
};

struct used_set *used_new(uint32_t max, struct ram *ram);
void used_free(struct used_set *s);

/*
 * The translation of va that the hart has used, in the address space of satp; NULL: none. This and
 * all below need used_settle() before.
 */
struct used *used_find(const struct hart *h, uint64_t satp, uint64_t va);

/* The pointer for va at this level, from 1 on, that the hart has used; NULL: none. */
struct used *used_find_pointer(const struct hart *h, uint64_t satp, uint64_t va, unsigned level);

/* What a walk has read; the members are those of struct used. */
struct used_entry {
    uint64_t pte, pte_pa;
    uint8_t shift;
    bool global, pointer;
};

/* In which address space, and when. */
struct used_when {
    uint64_t satp, cycle;
};

/* Keeps an entry for va, which was not found; if there are too many now, the oldest leaves. */
struct used *used_add(struct hart *h, uint64_t va, const struct used_entry *what,
                      const struct used_when *when);
/* The entry was read at another place. */
void used_move(struct hart *h, struct used *u, uint64_t pte_pa);
void used_remove(struct hart *h, struct used *u);
/*
 * Says that memory has another entry for the addresses of this translation, in another place. What
 * caches have of it is of both then.
 */
void used_set_elsewhere(struct hart *h, struct used *u, bool elsewhere);
bool used_any_elsewhere(const struct cluster *c);

/* sfence.vma, of the hart itself or for it: forgets what the fence covers. */
void used_fence(struct hart *h, struct used_scope scope);
/* sfence.w.inval, sinval.vma and sfence.inval.ir (Svinval). */
void used_order_stores(struct hart *h);
void used_invalidate(struct hart *h, struct used_scope scope);
void used_end_invalidation(struct hart *h);
void used_forget_all(struct hart *h);

/* known_walks.c: adds what is pending, which has been used before now. */
void used_settle(struct hart *h);
void used_forget_pending(struct used_set *s);

/* The page table entry at `at` was written: drops what caches have of it in all harts. */
void used_entry_written(struct cluster *c, uint64_t at, uint64_t now, const struct writer *by);
/* Whether some hart has used an entry in the page with pa, or may find it by a pointer. */
bool used_any_in_page(const struct cluster *c, uint64_t pa);

void used_state_io(struct state_io *io, struct hart *h);

#endif
