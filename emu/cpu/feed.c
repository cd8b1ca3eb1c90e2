/*
 * feed.c - see feed.h.
 */
#include "cpu/feed.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/feed_priv.h"
#include "cpu/hart_priv.h"

/* The head of a message; its payload follows. */
struct message {
    void (*run)(void *ctx, const void *payload, size_t size);
    void *ctx;
    size_t size;
};

/* Payloads are aligned as the members of any structure. */
enum { ALIGNMENT = 8 };

void ra_table_clear(struct ra_table *t)
{
    const uint64_t step = UINT64_C(1) << 48;

    t->key += step;
    if (t->key)
        return;
    memset(t->at, 0, sizeof t->at);
    t->key = step; /* so that no empty entry matches an address */
}

/* ---- places ---- */

static bool is_same_place(const struct feed_place *a, const struct feed_place *b)
{
    return a->pc == b->pc && a->id == b->id && a->probe == b->probe && a->cycles == b->cycles &&
           a->insns == b->insns && a->cookie == b->cookie && a->hart == b->hart;
}

static uint64_t hash_of(const struct feed_place *p)
{
    uint64_t hash = p->pc * UINT64_C(0x9e3779b97f4a7c15) ^
                    ((uint64_t)p->probe << 32 | p->cycles) * UINT64_C(0xc2b2ae3d27d4eb4f);

    hash ^= ((uint64_t)p->insns << 16 | (uint64_t)p->cookie << 8 | p->hart) *
            UINT64_C(0x165667b19e3779f9);
    hash ^= hash >> 31;
    return hash - (hash == UINT64_MAX);
}

bool feed_add_place(struct feed *f, const struct feed_place *place, uint32_t *number)
{
    uint64_t hash = hash_of(place), found;

    for (; map_get(&f->place_at, hash, &found); hash = hash + 1 == UINT64_MAX ? 0 : hash + 1)
        if (is_same_place(feed_place(f->places, (uint32_t)found), place)) {
            *number = (uint32_t)found;
            return true;
        }
    if (f->place_count == (uint32_t)PLACE_CHUNKS * PLACES_AT_ONCE)
        return false;
    *number = f->place_count++;
    if (!f->places[*number >> PLACE_SHIFT])
        f->places[*number >> PLACE_SHIFT] = xcalloc(PLACES_AT_ONCE, sizeof *place);
    f->places[*number >> PLACE_SHIFT][*number % PLACES_AT_ONCE] = *place;
    map_put(&f->place_at, hash, *number);
    return true;
}

/* ---- reading ---- */

static void set_base(void *feed, const void *payload, size_t size)
{
    struct feed *f = feed;

    memcpy(&f->base, payload, size);
}

static const uint8_t *run_message(const uint8_t *at)
{
    const struct message *m = (const void *)at;
    size_t size = (m->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    m->run(m->ctx, m + 1, m->size);
    return at + sizeof *m + size;
}

static void read_batch(struct feed *f, struct feed_batch *b)
{
    const struct feed_hit *at = b->records, *end = at + b->count;
    const uint8_t *message = b->messages.at;

    while (at != end) {
        if (at->place == FEED_MESSAGE) {
            message = run_message(message);
            at++;
        } else {
            at = f->reader.read(f->reader.ctx, &f->base, f->places, at, end);
        }
    }
    b->count = 0;
    b->messages.len = 0;
    if (b->messages.cap > 4 * MESSAGES_AT_ONCE) /* one was very large, as all code is */
        VEC_FREE(&b->messages);
}

static void *work(void *feed)
{
    struct feed *f = feed;

    pthread_mutex_lock(&f->mutex);
    for (;;) {
        struct feed_batch *b;

        while (!f->unread_count && !f->quit)
            pthread_cond_wait(&f->changed, &f->mutex);
        if (!f->unread_count)
            break;
        b = f->unread[0];
        memmove(f->unread, f->unread + 1, --f->unread_count * sizeof *f->unread);
        f->reading = true;
        pthread_mutex_unlock(&f->mutex);
        read_batch(f, b);
        pthread_mutex_lock(&f->mutex);
        f->reading = false;
        f->unused[f->unused_count++] = b;
        if (!f->waits || f->unused_count >= FEED_BATCHES / 2)
            pthread_cond_signal(&f->changed);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

/* ---- writing ---- */

static bool is_batch_full(const struct feed *f)
{
    return f->at == f->filling->records + RECORDS_AT_ONCE;
}

/* The engine may write up to the end of the batch, or nothing before feed_expect. */
static void set_limit(struct feed *f)
{
    f->end = f->expecting ? f->filling->records + RECORDS_AT_ONCE : f->at;
}

/*
 * Gives the batch to the reader's thread, and takes an unused one. If there is none, waits until
 * several are unused, because waking a thread takes the host long.
 */
static void exchange(struct feed *f)
{
    pthread_mutex_lock(&f->mutex);
    f->unread[f->unread_count++] = f->filling;
    pthread_cond_signal(&f->changed);
    while (!f->unused_count || (f->waits && f->unused_count < FEED_BATCHES / 2)) {
        f->waits = true;
        pthread_cond_wait(&f->changed, &f->mutex);
    }
    f->waits = false;
    f->filling = f->unused[--f->unused_count];
    pthread_mutex_unlock(&f->mutex);
}

static void hand_over(struct feed *f)
{
    f->filling->count = (size_t)(f->at - f->filling->records);
    if (f->threaded)
        exchange(f);
    else
        read_batch(f, f->filling);
    f->at = f->filling->records;
    set_limit(f);
}

void feed_settle(struct feed *f)
{
    if (!f)
        return;
    if (f->at != f->filling->records)
        hand_over(f);
    if (!f->threaded)
        return;
    pthread_mutex_lock(&f->mutex);
    while (f->unread_count || f->reading)
        pthread_cond_wait(&f->changed, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
}

void feed_interrupt(struct feed *f)
{
    if (f)
        feed_interrupt_now(f);
}

void *feed_message(struct feed *f, void (*run)(void *ctx, const void *payload, size_t size),
                   void *ctx, size_t size)
{
    const struct message m = {run, ctx, size};
    size_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct feed_batch *b;
    uint8_t *at;

    if (is_batch_full(f) || f->filling->messages.len >= MESSAGES_AT_ONCE)
        hand_over(f);
    b = f->filling;
    VEC_RESERVE(&b->messages, sizeof m + room);
    at = b->messages.at + b->messages.len;
    memcpy(at, &m, sizeof m);
    b->messages.len += sizeof m + room;
    f->at++->place = FEED_MESSAGE;
    set_limit(f);
    return at + sizeof m;
}

void feed_put(struct feed *f, void (*run)(void *ctx, const void *payload, size_t size), void *ctx,
              const void *payload, size_t size)
{
    memcpy(feed_message(f, run, ctx, size), payload, size);
}

void feed_expect(struct feed *f, struct hart *h)
{
    const struct hart_env *env = &h->cluster->config.env;
    struct feed_base base = {.cycle = hart_cycles(h),
                             .insns = hart_insns(h),
                             .last = h->s.insns + (uint64_t)h->s.insns_budget};

    if (is_batch_full(f))
        hand_over(f);
    if (f->expecting || !f->reader.read)
        return;
    base.others = cluster_steps(h->cluster) - base.insns;
    if (env->time_base)
        env->time_base(env->ctx, &base);
    feed_put(f, set_base, f, &base, sizeof base);
    f->expecting = true;
    set_limit(f);
}

/* ---- begin and end ---- */

/* Blocks all signals in the new thread: the thread that runs the machine handles them. */
static void start_thread(struct feed *f)
{
    sigset_t all, before;
    cpu_set_t processors;

    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
    if (!sched_getaffinity(0, sizeof processors, &processors) && CPU_COUNT(&processors) == 1)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    f->threaded = !pthread_create(&f->thread, NULL, work, f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct feed *feed_new(struct cluster *c)
{
    struct feed *f = xcalloc(1, sizeof *f);

    f->cluster = c;
    for (unsigned i = 0; i < FEED_BATCHES; i++) {
        f->batch[i].records = xmalloc((RECORDS_AT_ONCE + 1) * sizeof *f->batch[i].records);
        f->unused[i] = &f->batch[i];
    }
    f->unused_count = FEED_BATCHES - 1;
    f->filling = f->unused[f->unused_count];
    f->at = f->filling->records;
    set_limit(f);
    start_thread(f);
    c->feed = f;
    return f;
}

struct ra_table *feed_read_hits(struct feed *f, struct feed_reader reader)
{
    feed_settle(f);
    f->reader = reader;
    feed_interrupt(f);
    return &f->known;
}

void feed_free(struct feed *f)
{
    if (!f)
        return;
    if (f->threaded) {
        pthread_mutex_lock(&f->mutex);
        f->quit = true;
        pthread_cond_signal(&f->changed);
        pthread_mutex_unlock(&f->mutex);
        pthread_join(f->thread, NULL);
    }
    f->cluster->feed = NULL;
    pthread_mutex_destroy(&f->mutex);
    pthread_cond_destroy(&f->changed);
    for (unsigned i = 0; i < FEED_BATCHES; i++) {
        free(f->batch[i].records);
        VEC_FREE(&f->batch[i].messages);
    }
    for (unsigned i = 0; i < PLACE_CHUNKS; i++)
        free(f->places[i]);
    map_free(&f->place_at);
    free(f);
}
