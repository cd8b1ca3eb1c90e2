/* rculist.h - lists that may be walked while they change. */
#ifndef LINUX_RCULIST_H
#define LINUX_RCULIST_H

#include <linux/list.h>
#include <linux/rcupdate.h>

static inline void list_add_rcu(struct list_head *item, struct list_head *head)
{
    item->next = head->next;
    item->prev = head;
    head->next->prev = item;
    rcu_assign_pointer(head->next, item);
}

static inline void list_add_tail_rcu(struct list_head *item, struct list_head *head)
{
    item->next = head;
    item->prev = head->prev;
    rcu_assign_pointer(head->prev->next, item);
    head->prev = item;
}

/* item->next stays valid for readers at item. Reuse item only after a grace period. */
static inline void list_del_rcu(struct list_head *item)
{
    item->next->prev = item->prev;
    WRITE_ONCE(item->prev->next, item->next);
}

#define list_for_each_entry_rcu(pos, head, member)                                  \
    for (pos = list_entry(rcu_dereference((head)->next), __typeof__(*pos), member); \
         &pos->member != (head);                                                    \
         pos = list_entry(rcu_dereference(pos->member.next), __typeof__(*pos), member))

#endif
