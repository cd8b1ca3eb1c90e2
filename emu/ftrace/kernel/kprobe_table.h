/*
 * kprobe_table.h - the kernel's table of kprobes, in its memory: which places of its code are to
 * have a breakpoint.
 *
 * A place has one entry. If several probes are registered there, the entry stands for all of them.
 * Where the members of struct kprobe are is known from DWARF or BTF; its flags have had the same
 * values in all versions of Linux with RISC-V's kprobes. The table is in order while no hart has
 * the kernel's lock of it, kprobe_mutex, or has just completed its change.
 */
#ifndef FTRACE_KPROBE_TABLE_H
#define FTRACE_KPROBE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct hart;
struct image;
struct kprobe_table;
struct lines;
struct symbols;

struct kprobe_entry {
    uint64_t va;    /* of the instruction */
    bool on;        /* it is to have a breakpoint; false, too, if all probes are turned off */
    bool wanted;    /* some probe that is registered there is enabled; the same */
    bool by_ftrace; /* it is on a site, and has no breakpoint */
    bool gone;      /* the code is: its module was unloaded */
    uint32_t insn;  /* that is to be there without a breakpoint, in the low bytes; 0: not known */
};

/* Image, symbols and lines must outlive it; lines may be NULL. Never NULL. */
struct kprobe_table *kprobe_table_new(const struct image *im, const struct symbols *symbols,
                                      struct lines *lines);
void kprobe_table_free(struct kprobe_table *t); /* NULL is allowed */

/*
 * Calls each() for all entries. *none: there is no table. False: it is damaged.
 */
bool kprobe_table_read(struct kprobe_table *t, struct hart *h, bool *none,
                       void (*each)(void *ctx, const struct kprobe_entry *entry), void *ctx);

/* A probe, and what it has called before the instruction. */
struct kprobe_handler {
    uint64_t probe, handler; /* addresses; handler: 0 if it has none */
    bool enabled;
};

/*
 * Calls each() for all probes of all places; where several are at one, also for the entry that
 * stands for them. False: the table is damaged, or not known.
 */
bool kprobe_table_each_handler(struct kprobe_table *t, struct hart *h,
                               void (*each)(void *ctx, const struct kprobe_handler *handler),
                               void *ctx);

/* Calls each() for the probes at an address. There are none if the table cannot be read. */
void kprobe_table_handlers(struct kprobe_table *t, struct hart *h, uint64_t va,
                           void (*each)(void *ctx, const struct kprobe_handler *handler),
                           void *ctx);

/* Whether a struct kprobe is one of this address, and enabled. Only after that. */
bool kprobe_table_is_at(const struct kprobe_table *t, struct hart *h, uint64_t probe, uint64_t va,
                        bool *enabled);

/* Whether a hart that hits a breakpoint at the address finds a probe. True, too: it is not known.
 */
bool kprobe_table_lists(struct kprobe_table *t, struct hart *h, uint64_t va);

#endif
