/*
 * progress.c - see progress.h.
 */
#include "host/progress.h"

#include "base/grouped.h"

enum {
    SECOND = 1000 * 1000 * 1000,
    FIRST_AFTER = 2,    /* seconds of a run without a line */
    EVERY = SECOND / 2, /* between two lines */
    MILLION = 1000 * 1000,
};

void progress_rest(struct progress *p, uint64_t now)
{
    p->quiet_since = now;
}

static void draw(struct progress *p, uint64_t insns, uint64_t cycles, uint64_t now)
{
    char i[GROUPED_MAX], c[GROUPED_MAX];
    uint64_t since = now - p->drawn_at, more = insns > p->drawn_insns ? insns - p->drawn_insns : 0;

    fprintf(p->out, "\r\033[Krvftrace: %" PRIu64 " s, %s M instructions", (now - p->begun) / SECOND,
            grouped(i, insns / MILLION));
    if (p->is_shown)
        fprintf(p->out, " (%" PRIu64 " M/s)", (uint64_t)((double)more * 1e3 / (double)since));
    fprintf(p->out, ", cycle %s M", grouped(c, cycles / MILLION));
    fflush(p->out);
    p->is_shown = true;
    p->drawn_at = now;
    p->drawn_insns = insns;
}

void progress_show(struct progress *p, uint64_t insns, uint64_t cycles, uint64_t now)
{
    if (!p->out)
        return;
    if (!p->begun)
        p->begun = now;
    if (now - p->begun >= (uint64_t)FIRST_AFTER * SECOND && now - p->quiet_since >= SECOND &&
        now - p->drawn_at >= EVERY)
        draw(p, insns, cycles, now);
}

void progress_clear(struct progress *p)
{
    if (!p->is_shown)
        return;
    fputs("\r\033[K", p->out);
    fflush(p->out);
    p->is_shown = false;
}
