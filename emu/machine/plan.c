/*
 * plan.c - see plan.h.
 */
#include "machine/plan.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

size_t plan_depth(const struct plan *p)
{
    size_t depth = 0;

    for (size_t i = 0; i < p->steps.len; i++)
        depth += !p->steps.at[i].again;
    return depth;
}

uint64_t plan_stalled(const struct plan *p, uint64_t insns)
{
    uint64_t stalled = 0;

    for (size_t i = 0; i < p->steps.len; i++) {
        const struct plan_step *s = &p->steps.at[i];

        if (s->kind == PLAN_STALL && s->at <= insns && insns < s->until)
            stalled |= UINT64_C(1) << s->hart;
    }
    return stalled;
}

bool plan_lasts(enum plan_kind kind)
{
    return kind == PLAN_STALL || kind == PLAN_HOLD || kind == PLAN_LATE;
}

bool plan_is_late(const struct plan *p, uint64_t insns)
{
    for (size_t i = 0; i < p->steps.len; i++) {
        const struct plan_step *s = &p->steps.at[i];

        if ((s->kind == PLAN_HOLD || s->kind == PLAN_LATE) && s->at <= insns && insns < s->until)
            return true;
    }
    return false;
}

bool plan_chooses(const struct plan *p)
{
    for (size_t i = 0; i < p->steps.len; i++)
        if (p->steps.at[i].kind == PLAN_ANSWER || p->steps.at[i].kind == PLAN_LEAVE)
            return true;
    return false;
}

unsigned plan_answer(const struct plan *p, uint64_t insns, unsigned number, enum choice_kind kind,
                     unsigned hart)
{
    for (size_t i = 0; i < p->steps.len; i++) {
        const struct plan_step *s = &p->steps.at[i];

        if (s->kind == PLAN_ANSWER && s->at == insns && number-- == 0)
            return s->choice == kind && s->hart == hart ? s->answer : 0;
    }
    return 0;
}

bool plan_follows_data(const struct plan *p, uint64_t insns)
{
    return p->data_from <= insns && insns < p->data_until;
}

uint64_t plan_next_data(const struct plan *p, uint64_t insns)
{
    if (p->data_from > insns)
        return p->data_from;
    return p->data_until > insns ? p->data_until : UINT64_MAX;
}

uint64_t plan_next(const struct plan *p, uint64_t insns)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < p->steps.len; i++) {
        const struct plan_step *s = &p->steps.at[i];

        if (s->kind != PLAN_ANSWER && s->at > insns && s->at < next)
            next = s->at;
        if (plan_lasts(s->kind) && s->until > insns && s->until < next)
            next = s->until;
    }
    return next;
}

static const char *const choice_names[] = {
    [CHOICE_FETCH] = "fetch",        [CHOICE_TRANSLATION] = "translation",
    [CHOICE_STORE_LEAVES] = "store", [CHOICE_LOAD_VALUE] = "load",
    [CHOICE_CONDITIONAL] = "sc",
};

void plan_write_step(char line[PLAN_LINE], const struct plan_step *step)
{
    switch (step->kind) {
    case PLAN_TICK:
        snprintf(line, PLAN_LINE, "tick hart %u at %" PRIu64, step->hart, step->at);
        break;
    case PLAN_STALL:
        snprintf(line, PLAN_LINE, "stall hart %u from %" PRIu64 " until %" PRIu64, step->hart,
                 step->at, step->until);
        break;
    case PLAN_ANSWER:
        snprintf(line, PLAN_LINE, "answer hart %u at %" PRIu64 " %s %u", step->hart, step->at,
                 choice_names[step->choice], step->answer);
        break;
    case PLAN_HOLD:
        snprintf(line, PLAN_LINE, "hold hart %u from %" PRIu64 " until %" PRIu64, step->hart,
                 step->at, step->until);
        break;
    case PLAN_LATE:
        snprintf(line, PLAN_LINE, "late hart %u by 0x%" PRIx64 " from %" PRIu64 " until %" PRIu64,
                 step->hart, step->pc, step->at, step->until);
        break;
    case PLAN_LEAVE:
        snprintf(line, PLAN_LINE, "leave hart %u at %" PRIu64 " store %u", step->hart, step->at,
                 step->answer);
        break;
    }
}

static bool read_choice(struct plan_step *step, const char *name)
{
    for (unsigned i = 0; i < sizeof choice_names / sizeof choice_names[0]; i++)
        if (!strcmp(name, choice_names[i])) {
            step->choice = (enum choice_kind)i;
            return true;
        }
    return false;
}

bool plan_read_step(const char *line, struct plan_step *step)
{
    char again[PLAN_LINE], name[16];

    if (sscanf(line, "tick hart %u at %" SCNu64, &step->hart, &step->at) == 2)
        step->kind = PLAN_TICK;
    else if (sscanf(line, "stall hart %u from %" SCNu64 " until %" SCNu64, &step->hart, &step->at,
                    &step->until) == 3)
        step->kind = PLAN_STALL;
    else if (sscanf(line, "hold hart %u from %" SCNu64 " until %" SCNu64, &step->hart, &step->at,
                    &step->until) == 3)
        step->kind = PLAN_HOLD;
    else if (sscanf(line, "late hart %u by 0x%" SCNx64 " from %" SCNu64 " until %" SCNu64,
                    &step->hart, &step->pc, &step->at, &step->until) == 4)
        step->kind = PLAN_LATE;
    else if (sscanf(line, "answer hart %u at %" SCNu64 " %15[a-z] %u", &step->hart, &step->at, name,
                    &step->answer) == 4 &&
             read_choice(step, name))
        step->kind = PLAN_ANSWER;
    else if (sscanf(line, "leave hart %u at %" SCNu64 " store %u", &step->hart, &step->at,
                    &step->answer) == 3)
        step->kind = PLAN_LEAVE;
    else
        return false;
    plan_write_step(again, step);
    return !strcmp(line, again);
}

void plan_write_data(char line[PLAN_LINE], const struct plan *p)
{
    snprintf(line, PLAN_LINE, "data from %" PRIu64 " until %" PRIu64, p->data_from, p->data_until);
}

bool plan_read_data(const char *line, struct plan *p)
{
    char again[PLAN_LINE];

    if (sscanf(line, "data from %" SCNu64 " until %" SCNu64, &p->data_from, &p->data_until) != 2)
        return false;
    plan_write_data(again, p);
    return !strcmp(line, again);
}
