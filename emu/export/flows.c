/*
 * flows.c - see flows.h.
 */
#include "export/flows.h"

void flows_begin(struct flows *f, const struct log *log)
{
    *f = (struct flows){.harts = log_run(log)->harts};
}

void flows_end(struct flows *f)
{
    VEC_FREE(&f->open);
    VEC_FREE(&f->ids);
}

static void begin_arrows(struct flows *f, const struct log_store *s)
{
    if (f->stores++ >= FLOW_STORES)
        return;
    for (unsigned hart = 0; hart < f->harts; hart++) {
        VEC_PUSH(&f->open, ((struct flow_arrow){++f->last, s->pa, hart, s->size}));
        VEC_PUSH(&f->ids, f->last);
    }
}

/* The newest store of those that have changed the instruction. */
static void pass_stale(struct flows *f, const struct log_event *e)
{
    for (size_t i = f->open.len; i-- > 0;) {
        const struct flow_arrow *a = &f->open.at[i];

        if (a->hart != e->hart || a->pa >= e->stale.pa + e->stale.size ||
            e->stale.pa >= a->pa + a->size)
            continue;
        VEC_PUSH(&f->ids, a->id);
        return;
    }
}

static void end_arrows(struct flows *f, unsigned hart)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->open.len; i++)
        if (f->open.at[i].hart == hart)
            VEC_PUSH(&f->ids, f->open.at[i].id);
        else
            f->open.at[kept++] = f->open.at[i];
    f->open.len = kept;
    f->stores = 0;
}

/* Arrows to a hart that is never fenced have no end; those of the newest stores are kept. */
static void forget_oldest(struct flows *f)
{
    enum { MOST = 1 << 12 };

    if (f->open.len <= MOST)
        return;
    for (size_t i = MOST / 2; i < f->open.len; i++)
        f->open.at[i - MOST / 2] = f->open.at[i];
    f->open.len -= MOST / 2;
}

void flows_follow(struct flows *f, const struct log_event *e)
{
    f->ids.len = 0;
    switch (e->kind) {
    case LOG_STORE: begin_arrows(f, &e->store); break;
    case LOG_STALE: pass_stale(f, e); break;
    case LOG_FENCE_I: end_arrows(f, e->hart); break;
    default: return;
    }
    forget_oldest(f);
}
