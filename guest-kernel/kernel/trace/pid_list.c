/*
 * pid_list.c - a bit for each pid, in pages that exist once they are needed. Not instrumented: read
 * at every traced call.
 */
#include "pid_list.h"
#include <asm/page.h>
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { PIDS_PER_PAGE = PAGE_SIZE * 8, NR_PAGES = PID_LIST_MAX / PIDS_PER_PAGE };

struct trace_pid_list {
    unsigned long *page[NR_PAGES]; /* set once; NULL: none of these pids */
};

struct trace_pid_list *trace_pid_list_alloc(void)
{
    return kzalloc(sizeof(struct trace_pid_list));
}

struct trace_pid_list *trace_pid_list_copy(const struct trace_pid_list *list)
{
    struct trace_pid_list *copy = trace_pid_list_alloc();
    unsigned int i;

    for (i = 0; copy && list && i < NR_PAGES; i++) {
        if (!list->page[i])
            continue;
        copy->page[i] = kzalloc(PAGE_SIZE);
        if (!copy->page[i]) {
            trace_pid_list_free(copy);
            return NULL;
        }
        memcpy(copy->page[i], list->page[i], PAGE_SIZE);
    }
    return copy;
}

void trace_pid_list_free(struct trace_pid_list *list)
{
    unsigned int i;

    for (i = 0; list && i < NR_PAGES; i++)
        kfree(list->page[i]);
    kfree(list);
}

/* The word with the bit of a pid; NULL: its page does not exist. */
static unsigned long *word_of(const struct trace_pid_list *list, unsigned int pid)
{
    unsigned long *page = READ_ONCE(list->page[pid / PIDS_PER_PAGE]);

    return page ? &page[pid % PIDS_PER_PAGE / 64] : NULL;
}

/* Two forks may need the same page: the second one's is not used. */
static int add_page(struct trace_pid_list *list, unsigned int i)
{
    unsigned long *page = kzalloc(PAGE_SIZE), *none = NULL;

    if (!page)
        return -ENOMEM;
    if (!__atomic_compare_exchange_n(&list->page[i], &none, page, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        kfree(page);
    return 0;
}

int trace_pid_list_set(struct trace_pid_list *list, unsigned int pid)
{
    int err = 0;

    if (pid >= PID_LIST_MAX)
        return -EINVAL;
    if (!word_of(list, pid))
        err = add_page(list, pid / PIDS_PER_PAGE);
    if (!err)
        set_bit(pid % 64, word_of(list, pid));
    return err;
}

int trace_pid_list_clear(struct trace_pid_list *list, unsigned int pid)
{
    if (pid >= PID_LIST_MAX)
        return -EINVAL;
    if (word_of(list, pid))
        clear_bit(pid % 64, word_of(list, pid));
    return 0;
}

bool trace_pid_list_is_set(const struct trace_pid_list *list, unsigned int pid)
{
    const unsigned long *word = pid < PID_LIST_MAX ? word_of(list, pid) : NULL;

    return word && *word >> pid % 64 & 1;
}

int trace_pid_list_next(const struct trace_pid_list *list, unsigned int pid, unsigned int *next)
{
    while (pid < PID_LIST_MAX) {
        if (!word_of(list, pid)) {
            pid = (pid / PIDS_PER_PAGE + 1) * PIDS_PER_PAGE;
            continue;
        }
        if (trace_pid_list_is_set(list, pid)) {
            *next = pid;
            return 0;
        }
        pid++;
    }
    return -1;
}
