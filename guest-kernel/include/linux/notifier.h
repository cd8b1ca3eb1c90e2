/* notifier.h - lists of functions to call when something has happened. */
#ifndef LINUX_NOTIFIER_H
#define LINUX_NOTIFIER_H

#include <linux/mutex.h>

struct notifier_block;
typedef int (*notifier_fn_t)(struct notifier_block *nb, unsigned long action, void *data);

enum { NOTIFY_DONE = 0, NOTIFY_OK = 1, NOTIFY_STOP_MASK = 0x8000 };

struct notifier_block {
    notifier_fn_t notifier_call; /* may sleep */
    struct notifier_block *next;
    int priority; /* higher ones are called first */
};

/* A list whose functions may sleep. */
struct blocking_notifier_head {
    struct mutex rwsem;
    struct notifier_block *head;
};

#define BLOCKING_NOTIFIER_HEAD(name) \
    struct blocking_notifier_head name = {__MUTEX_INITIALIZER((name).rwsem), NULL}

static inline int blocking_notifier_chain_register(struct blocking_notifier_head *nh,
                                                   struct notifier_block *nb)
{
    struct notifier_block **p = &nh->head;

    mutex_lock(&nh->rwsem);
    while (*p && (*p)->priority >= nb->priority)
        p = &(*p)->next;
    nb->next = *p;
    *p = nb;
    mutex_unlock(&nh->rwsem);
    return 0;
}

/* 0, or -2 (-ENOENT). */
static inline int blocking_notifier_chain_unregister(struct blocking_notifier_head *nh,
                                                     struct notifier_block *nb)
{
    struct notifier_block **p = &nh->head;
    int ret = -2;

    mutex_lock(&nh->rwsem);
    while (*p && *p != nb)
        p = &(*p)->next;
    if (*p) {
        *p = nb->next;
        ret = 0;
    }
    mutex_unlock(&nh->rwsem);
    return ret;
}

/* Calls them in order, until one sets NOTIFY_STOP_MASK. Returns what the last one did. */
static inline int blocking_notifier_call_chain(struct blocking_notifier_head *nh,
                                               unsigned long action, void *data)
{
    struct notifier_block *nb;
    int ret = NOTIFY_DONE;

    mutex_lock(&nh->rwsem);
    for (nb = nh->head; nb && !(ret & NOTIFY_STOP_MASK); nb = nb->next)
        ret = nb->notifier_call(nb, action, data);
    mutex_unlock(&nh->rwsem);
    return ret;
}

#endif
