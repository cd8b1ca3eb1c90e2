/*
 * live_text.h - finds text that comes and goes while the guest runs, and adds it to the text map:
 * that of modules and of programs of BPF.
 *
 * Text is added when it is complete. For a module that is when its init function is about to be
 * called (Linux: do_init_module()), after relocations, alternatives and the first patching of its
 * sites. For a function of BPF it is when a hart first runs it, because it may be announced before
 * it is written (bpf_ksym_add()). It is removed when the kernel says that it frees it. Pages of a
 * module are text if they can be executed and not written; a kernel that protects nothing has none.
 */
#ifndef FTRACE_LIVE_TEXT_H
#define FTRACE_LIVE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "ftrace/kernel/text_map.h"

struct cluster;
struct hart;
struct image;
struct live_text;
struct state_io;
struct symbols;

/* Text that is complete from now on: [va, va + size). */
struct live_event {
    struct hart *hart; /* which has its mappings */
    enum text_kind kind;
    uint64_t va, size;
    uint64_t writable; /* the first page of it that can be written and executed; 0: there is none */
};

struct live_listener {
    void (*complete)(void *ctx, const struct live_event *e); /* NULL: nobody wants to know */
    void (*freed)(void *ctx, struct hart *h);                /* a module has been; NULL: the same */
    void *ctx;
};

/* All but the image must outlive it. Never NULL. */
struct live_text *live_text_new(struct cluster *c, const struct image *im,
                                const struct symbols *symbols, struct text_map *text,
                                struct live_listener listener);
void live_text_free(struct live_text *l); /* before the cluster; NULL is allowed */

/* The number of areas that were not added, because there were too many. */
uint64_t live_text_left_out(const struct live_text *l);

/* Saves or restores it, and what it has added to the text map. */
void live_text_state_io(struct state_io *io, struct live_text *l);

#endif
