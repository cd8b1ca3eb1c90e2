/* completion.h - waiting for an event that happens once. */
#ifndef LINUX_COMPLETION_H
#define LINUX_COMPLETION_H

#include <linux/wait.h>

struct completion {
    unsigned int done; /* under wait.lock; COMPLETED_ALL stays */
    struct wait_queue_head wait;
};

#define COMPLETION_INITIALIZER(name)         \
    {                                        \
        0, WAIT_QUEUE_HEAD_INIT((name).wait) \
    }
#define DECLARE_COMPLETION(name)         struct completion name = COMPLETION_INITIALIZER(name)
#define DECLARE_COMPLETION_ONSTACK(name) DECLARE_COMPLETION(name)

void init_completion(struct completion *x);
/* complete() releases one waiter, complete_all() all present and future ones. */
void complete(struct completion *x);
void complete_all(struct completion *x);

void wait_for_completion(struct completion *x);
/* Returns the ticks left, at least 1, or 0 if the time is up. */
unsigned long wait_for_completion_timeout(struct completion *x, unsigned long timeout);
bool try_wait_for_completion(struct completion *x);
bool completion_done(struct completion *x);

#endif
