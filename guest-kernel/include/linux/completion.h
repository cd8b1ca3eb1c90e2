/* completion.h - wait until something has been done. */
#ifndef LINUX_COMPLETION_H
#define LINUX_COMPLETION_H

#include <linux/wait.h>

struct completion {
    unsigned int done; /* under wait.lock */
    struct wait_queue_head wait;
};

void init_completion(struct completion *x);
void complete(struct completion *x);
void wait_for_completion(struct completion *x);

#endif
