/*
 * text_users.h - who is in text that the kernel frees: a hart, a context that a trap has stopped
 * there, or a task that is to return there.
 *
 * Nothing has to come of it in the run: most often the memory still has the old code when they go
 * on.
 */
#ifndef FTRACE_TEXT_USERS_H
#define FTRACE_TEXT_USERS_H

#include <stddef.h>
#include <stdint.h>

struct audit;
struct hart;

/* A context that a trap has stopped outside of the kernel's image, as in a module. */
struct away {
    uint32_t hart;
    uint64_t pc, sp, cycle, step;
};

/*
 * The hart is about to free the memory at `start', which has or had text. `away': all contexts that
 * are stopped; reports the first user that is found,
 * and what still leads there (text_callers.h).
 */
void text_users_judge(struct audit *a, struct hart *h, uint64_t start, const struct away *away,
                      size_t count);

#endif
