/* list.h - circular doubly linked lists; the links are members of the objects. */
#ifndef LINUX_LIST_H
#define LINUX_LIST_H

#include <linux/kernel.h>

#define LIST_HEAD_INIT(name) \
    {                        \
        &(name), &(name)     \
    }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
    list->next = list->prev = list;
}

static inline void list_insert(struct list_head *item, struct list_head *prev,
                               struct list_head *next)
{
    next->prev = item;
    item->next = next;
    item->prev = prev;
    prev->next = item;
}

static inline void list_add(struct list_head *item, struct list_head *head)
{
    list_insert(item, head, head->next);
}

static inline void list_add_tail(struct list_head *item, struct list_head *head)
{
    list_insert(item, head->prev, head);
}

static inline void list_del_init(struct list_head *item)
{
    item->next->prev = item->prev;
    item->prev->next = item->next;
    INIT_LIST_HEAD(item);
}

static inline bool list_empty(const struct list_head *head)
{
    return head->next == head;
}

#define list_entry(ptr, type, member)        container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)

#define list_for_each_entry(pos, head, member)                                             \
    for (pos = list_entry((head)->next, __typeof__(*pos), member); &pos->member != (head); \
         pos = list_entry(pos->member.next, __typeof__(*pos), member))

#define list_for_each_entry_reverse(pos, head, member)                                     \
    for (pos = list_entry((head)->prev, __typeof__(*pos), member); &pos->member != (head); \
         pos = list_entry(pos->member.prev, __typeof__(*pos), member))

#define list_for_each_entry_safe(pos, n, head, member)              \
    for (pos = list_entry((head)->next, __typeof__(*pos), member),  \
        n = list_entry(pos->member.next, __typeof__(*pos), member); \
         &pos->member != (head);                                    \
         pos = n, n = list_entry(n->member.next, __typeof__(*pos), member))

#endif
