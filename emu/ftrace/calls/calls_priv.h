/*
 * calls_priv.h - what calls.c, calls_probes.c and calls_state.c share: where there are probes, and
 * what is known of the harts' last steps.
 */
#ifndef FTRACE_CALLS_PRIV_H
#define FTRACE_CALLS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/feed.h"
#include "ftrace/calls/calls.h"
#include "ftrace/calls/return_handlers.h"
#include "ftrace/sites/sites.h"

struct call_stacks;
struct kernel_probes;
struct site_probes;

/* More return addresses than a kernel has calls of its functions; each has a probe. */
enum { AWAITED_MAX = 1 << 20 };

/* More harts than a machine can have. */
enum { HARTS_MAX = 1 << 12 };

/* At the begin of a site, and at its last instruction; they have consecutive numbers. */
enum { PROBES_OF_SITE = 2 };

/* Numbers of probes at return addresses: of calls by sites, and others. */
enum { RETURN_OF_FUNCTION, RETURN_OF_TRACER };

struct calls {
    struct cluster *cluster;
    const struct ftrace_stream *stream;
    const struct image *image;
    const struct site_table *sites;
    const struct layout_traits *traits; /* of the sites' layout */
    const struct symbols *symbols;
    struct calls_listener listener;
    bool on_only; /* only functions whose site is on matter */
    struct probe_owner at_site, at_trampoline, at_return, at_handler_end;
    struct kernel_probes *starts; /* where tasks begin */
    struct call_stacks *stacks;   /* with a feed, for its reader only */
    struct hart *now;             /* without a feed: the hart of the step */
    uint64_t return_to_handler;   /* 0: the image has none */
    struct return_handlers handlers;
    VEC_OF(uint32_t) handler_ends; /* probes at the last jumps of handlers */
    struct {
        uint64_t back, sp;
    } * called; /* by each hart's last site that is on: the return address and sp of the trampoline
                 */
    struct ra_traps *ra_traps; /* of each hart */
    enum site_state fetched;   /* the state of the site that is being decoded */
    VEC_OF(uint32_t) probes;
    uint32_t first_count;         /* of sites, at the start */
    uint8_t *is_planted;          /* of each of these, with stores_told; else NULL */
    struct site_probes *at_all;   /* the probes of the image's sites without stores_told; or NULL */
    VEC_OF(uint32_t) site_probes; /* of sites that were added: PROBES_OF_SITE for each */
    struct map awaited;           /* pa of a return address -> its probe */
    uint64_t returns_left_out;
    struct ra_table *known; /* a cache of the return addresses that have a probe */
    struct ra_table *own;   /* that table, if there is no feed */
};

/* Of the last instruction of a site, from its start. */
static inline unsigned calls_last_offset(const struct calls *c, const struct site *s)
{
    return site_resume_offset(c->sites, s) - 4;
}

void calls_plant(struct calls *c, uint64_t pa, const struct probe_owner *owner, uint32_t id);
void calls_plant_return(struct calls *c, uint64_t pa, uint32_t id); /* RETURN_OF_... */

/*
 * Gives the call the name that its function had when it was entered: neither a restored state nor
 * the engine has names. ctx: the struct calls.
 */
void calls_name(void *ctx, struct call *call);

/* ---- calls_probes.c ---- */

/* Plants the probes of the image's sites: of all, or of those that may be on in the image. */
void calls_plant_image(struct calls *c);
/* Those of one of these sites. */
void calls_plant_first(struct calls *c, uint32_t id);
/* Those of the sites that the table has after a restore, beside the first ones. */
void calls_plant_added_sites(struct calls *c);
/* Takes away [from, to) of the probes of added sites. */
void calls_uproot_sites(struct calls *c, size_t from, size_t to);

/*
 * Plants probes at a handler's jumps by a register that are not the second half of a pair: such a
 * half is a call, which returns. And: takes those of all handlers away.
 */
void calls_plant_handler_ends(struct calls *c, uint64_t handler);
void calls_uproot_handler_ends(struct calls *c);

#endif
