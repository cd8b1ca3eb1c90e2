/*
 * stale_scene.h - a scene in which harts fetch code that was overwritten, and what the auditor says
 * of it. No hart runs for it: the events are made here.
 */
#ifndef TESTS_UNIT_STALE_SCENE_H
#define TESTS_UNIT_STALE_SCENE_H

#include "unit/ftrace_world.h"

#include "ftrace/audit/rules.h"

enum { ELSEWHERE = 0x800, HARTS = 3, FINDINGS_MAX = 4 };

static inline void build(struct scene *s)
{
    struct audit_config audit = {.findings_max = FINDINGS_MAX};

    scene_begin(s, HARTS, FETCH_COHERENT);
    scene_complete(s, 100, &audit);
    poke(&s->w, SITE_PA + F, (uint64_t)NOP << 32 | NOP, 8);
    poke(&s->w, SITE_PA + G, (uint64_t)NOP << 32 | NOP, 8);
}

/* A fetch of `nop` over `li a0,2` by a hart, written by another. */
static inline struct stale_fetch fetch(struct scene *s, uint64_t offset, unsigned fetcher,
                                       unsigned writer)
{
    const uint32_t old = NOP, new = ADDI(A0, ZERO, 2);
    struct stale_fetch f = {.hart = hart_of(s, fetcher),
                            .pc = SITE_VA + offset,
                            .pa = SITE_PA + offset,
                            .size = 4,
                            .old_known = true,
                            .fetched_before = true,
                            .chosen = FETCHED_OLD,
                            .who = {.kind = WRITER_HART, .hart = writer, .pc = 0x77, .cycle = 3},
                            .writer_known = true,
                            .agent_known = true,
                            .evidence = STALE_PARCEL,
                            .stamp = 10};

    memcpy(f.old_bytes, &old, 4);
    memcpy(f.new_bytes, &new, 4);
    return f;
}

static inline void report(struct scene *s, const struct stale_fetch *f)
{
    audit_event(s->audit, &(struct event){.kind = EVENT_STALE_FETCH, .stale_fetch = *f});
}

static inline const struct finding *last(const struct scene *s)
{
    return audit_get(s->audit, audit_count(s->audit) - 1);
}

static inline enum rule rule_of(struct scene *s, const struct stale_fetch *f)
{
    report(s, f);
    return last(s)->rule;
}

static inline void store_bytes(struct scene *s, unsigned writer, uint64_t offset, unsigned size,
                               uint64_t old, uint64_t new, uint64_t stamp)
{
    const struct code_write w = {.stamp = stamp,
                                 .who = {.kind = WRITER_HART, .hart = writer, .cycle = 3},
                                 .pa = SITE_PA + offset,
                                 .size = size};

    pass_store(s, w, old, new);
}

static inline void store_word(struct scene *s, uint64_t offset, uint32_t old, uint32_t new,
                              uint64_t stamp)
{
    store_bytes(s, 0, offset, 4, old, new, stamp);
}

/* A store of fetch()'s new bytes over its old ones. */
static inline void store(struct scene *s, unsigned writer, uint64_t offset, unsigned size,
                         uint64_t stamp)
{
    store_bytes(s, writer, offset, size, (uint64_t)NOP << 32 | NOP,
                (uint64_t)NOP << 32 | ADDI(A0, ZERO, 2), stamp);
}

static inline void fence(struct scene *s, unsigned hart, uint64_t stamp, uint64_t cycle)
{
    pass_fence(s, hart, hart, stamp, cycle);
}

/* Each hart fences once, so that a missing first fence is not the cause of later breaches. */
static inline void build_fenced(struct scene *s)
{
    build(s);
    for (unsigned hart = 0; hart < HARTS; hart++)
        fence(s, hart, 1, 1);
}

/* The harts have executed something: they are running. */
static inline void run_harts(struct scene *s)
{
    for (unsigned hart = 0; hart < HARTS; hart++)
        execute(s, hart, JAL(ZERO, 0));
}

#endif
