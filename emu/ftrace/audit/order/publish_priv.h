/*
 * publish_priv.h - the parts of the family `publish', whose rules need all loads and stores of the
 * harts: publish_rules.c follows instructions, publish_paths.c knows what a hart has come to by
 * them, races.c keeps pairs of accesses that nothing orders, and publish_judge.c says which of them
 * break a rule.
 */
#ifndef FTRACE_PUBLISH_PRIV_H
#define FTRACE_PUBLISH_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/order/data_words.h"
#include "ftrace/audit/order/happens.h"
#include "ftrace/audit/order/races.h"
#include "mem/bus.h"

struct state_io;

enum { REGISTERS = 32, PAGES = 64 };
/* Functions that free memory; so many branches are looked back. */
enum { FREES = 3, BRANCHED_MAX = 8 };
/* As many are kept. */
enum { CODE_MAX = 1 << 16, DETOURS_MAX = 32, CONTEXTS_MAX = 64, RACES_MAX = 4096 };
/* Sizes of caches and filters: powers of two. */
enum { DECODED = 4096, CODE_PAGES = 1024 };

/* A word of code that was changed; what came before is code_views[index * width]. */
struct code_store {
    struct data_access by;
    uint64_t pa;
    uint32_t value, unused;
};

/* What has published other data: a store to code, the store of a pointer, or the start of a hart.
 */
struct publisher {
    struct data_access by; /* number 0: nothing */
    uint64_t pa;           /* of code */
    uint64_t va, value;    /* of a pointer; va 0: it is none */
    uint32_t released;     /* up to which store its hart had all before it */
    uint32_t load;         /* the number of the load that found it; 0: it was no load */
    uint64_t load_pc;
    uint32_t acquired; /* 1: that load was an acquire */
    uint32_t unused;
};

/* What a patched instruction leads to, or a call of what a pointer leads to. */
struct detour {
    uint64_t task, sp;
    uint64_t back; /* it ends there; 0: where the function returns */
    struct publisher why;
    uint32_t context;
    uint8_t breakpoint; /* 1: it ends with the return from the trap */
    uint8_t tracer;     /* 1: a patched call or a breakpoint, so nothing else is in it */
    uint16_t unused;
};

/* A context that an interrupt has stopped: it goes on where a trap returns to its stack. */
struct stopped_context {
    uint64_t task, sp;
    uint32_t context, unused;
};

struct page {
    uint64_t va, pa; /* with bit 0: valid */
};

/* A decoded instruction, with what is asked of it each time. */
struct decoded {
    uint32_t word; /* 0: none */
    uint32_t sources, targets;
    enum timing_class class;
    struct insn insn;
    struct ordered_access order; /* of a load, a store or an atomic operation */
    uint8_t size;
};

struct publish_hart {
    uint64_t task;
    uint32_t context;
    uint64_t last_end;                       /* where the instruction before ended */
    struct publisher last_code;              /* the change of code that it fetched */
    struct publisher started;                /* by the hart that started it */
    uint32_t known_origins;                  /* a bit for each register that has one */
    struct publisher origins[REGISTERS];     /* the stores that registers' values come from */
    struct publisher branched[BRANCHED_MAX]; /* those of the values it has branched by, last */
    uint32_t branches;                       /* of this task and context */
    uint32_t loads_fenced; /* the hart's last load before its last fence of loads */
    struct page pages[ACCESS_FETCH + 1][PAGES]; /* a cache of translations */
    uint64_t plain_page, plain_count; /* a cache: that page has no changed code, by code_count */
};

struct publish_rules {
    struct audit *audit;
    unsigned hart_count;
    struct decoded decoded[DECODED]; /* a cache */
    bool used;                       /* something was followed */
    struct happens *happens;
    struct data_words *words;
    struct publish_hart *harts;
    uint64_t frees[FREES];    /* their addresses; 0: the kernel has none of that name */
    view_number *sent;        /* to each hart by interrupts */
    view_number *read, *left; /* while an event is handled */
    struct hart *running;     /* the hart of the last instruction */
    VEC_OF(struct code_store) code;
    VEC_OF(view_number) code_views;
    uint64_t code_count;         /* changes in all; the newest CODE_MAX are kept */
    struct map code_at;          /* word number -> the newest change */
    bool code_pages[CODE_PAGES]; /* by page number, modulo: some code there was changed */
    VEC_OF(struct detour) detours;
    VEC_OF(struct stopped_context) stopped;
    struct map contexts; /* task -> its context, if that is not 0 */
    uint32_t last_context;
    struct map patchers; /* tasks that have changed code */
    VEC_OF(struct race) races;
    struct map race_counts; /* pair -> how often, and the index of the last one kept */
    uint64_t races_left_out;
};

/* ---- publish_paths.c ---- */

void publish_forget_pages(struct publish_hart *p);
/* The physical address, of RAM. */
MUST_USE bool publish_translate(struct publish_rules *r, struct hart *h, uint64_t va,
                                enum access access, uint64_t *pa);

/* The hart's task, as its tp has it. */
void publish_see_task(struct publish_rules *r, struct publish_hart *p, uint64_t task);
/* The hart takes an interrupt in S-mode, and returns from a trap. */
void publish_interrupted(struct publish_rules *r, struct hart *h);
void publish_trap_returned(struct publish_rules *r, struct hart *h);

/* Whether the detour is of what the hart executes; whether the hart is in one. */
bool publish_is_of(const struct detour *d, const struct publish_hart *p);
bool publish_is_in_detour(const struct publish_rules *r, const struct publish_hart *p);
/* The same of a tracer: what a patched call or a breakpoint leads to. */
bool publish_is_in_tracer(const struct publish_rules *r, const struct publish_hart *p);
/* Whether the task has changed code. */
bool publish_is_patcher(const struct publish_rules *r, uint64_t task);
/* The hart is about to execute the instruction, which may end detours, or begin one. */
void publish_leave_detours(struct publish_rules *r, const struct publish_hart *p, struct hart *h,
                           uint64_t pc, const struct insn *i);
void publish_look_for_detour(struct publish_rules *r, struct publish_hart *p, struct hart *h,
                             uint64_t pc, const struct insn *i);

/* The task of the store changes code; this is known also of what comes before data is followed. */
void publish_note_patcher(struct publish_rules *r, const struct code_write *w);
void publish_code_written(struct publish_rules *r, const struct code_write *w);

/* ---- publish_judge.c ---- */

/*
 * A load of a word whose last store, by another hart, nothing orders before it. `address': the
 * registers that its address is computed from.
 */
void publish_judge_load(struct publish_rules *r, struct hart *h, const struct data_access *load,
                        uint64_t va, const struct data_word *word, uint32_t address);

/*
 * The hart is about to jump to a function that frees the memory at va. What other harts
 * have read there must come before.
 */
void publish_judge_free(struct publish_rules *r, struct hart *h, uint64_t pc, uint64_t va);

/* ---- races.c ---- */

/* Two accesses to a word that nothing orders. */
void races_add(struct publish_rules *r, uint64_t pa, uint64_t va, const struct data_access *first,
               bool first_stores, const struct data_access *second, bool second_stores);
void races_state_io(struct state_io *io, struct publish_rules *r);

#endif
