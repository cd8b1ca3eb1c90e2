/*
 * checkpoints.c - places in the run that are kept until they are deleted (target.h).
 */
#include "debug/target/target_priv.h"
#include "machine/snapshot.h"

unsigned target_checkpoint(struct target *t)
{
    struct history *h = &t->history;
    struct kept_place k = {.place = {.number = ++h->last_checkpoint,
                                     .insns = machine_insns(t->machine),
                                     .cycles = machine_cycles(t->machine),
                                     .hart = target_current_hart(t)}};

    history_open(t);
    k.place.pc = target_hart(t, k.place.hart).pc;
    k.snapshot = machine_snapshot(t->machine);
    k.run = h->run;
    VEC_PUSH(&h->checkpoints, k);
    return k.place.number;
}

size_t target_checkpoint_count(const struct target *t)
{
    return t->history.checkpoints.len;
}

struct target_checkpoint target_checkpoint_at(const struct target *t, size_t i)
{
    return t->history.checkpoints.at[i].place;
}

/*
 * Returns the index of the checkpoint with this number; the number of checkpoints: there is none.
 */
static size_t find_checkpoint(const struct history *h, unsigned number)
{
    size_t i = 0;

    while (i < h->checkpoints.len && h->checkpoints.at[i].place.number != number)
        i++;
    return i;
}

bool target_restart(struct target *t, unsigned number, struct target_stop *stop)
{
    struct history *h = &t->history;
    size_t i = find_checkpoint(h, number);

    if (i == h->checkpoints.len)
        return false;
    history_open(t);
    history_restore(t, h->checkpoints.at[i].snapshot);
    if (h->checkpoints.at[i].run != h->run)
        history_enter(t, h->checkpoints.at[i].run);
    history_open(t);
    *stop = history_arrive_here(t);
    return true;
}

bool target_delete_checkpoint(struct target *t, unsigned number)
{
    struct history *h = &t->history;
    size_t i = find_checkpoint(h, number);

    if (i == h->checkpoints.len)
        return false;
    snapshot_free(t->machine, h->checkpoints.at[i].snapshot);
    h->checkpoints.len--;
    for (; i < h->checkpoints.len; i++)
        h->checkpoints.at[i] = h->checkpoints.at[i + 1];
    return true;
}
