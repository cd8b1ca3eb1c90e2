/*
 * kprobes_slots.c - memory for the copies of probed instructions: pages that are executable and
 * never writable; patch.c writes them.
 *
 * Not instrumented: is_kprobe_insn_slot() is part of what says whether an address is code.
 */
#include <asm/set_memory.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

enum { SLOT_SIZE = MAX_INSN_SIZE * sizeof(kprobe_opcode_t), SLOTS = PAGE_SIZE / SLOT_SIZE };

struct insn_page {
    struct insn_page *next;
    char *base;
    unsigned int used;
    bool in_use[SLOTS];
};

/* Written under slot_mutex, read with preemption off. */
static struct insn_page *pages;
static DEFINE_MUTEX(slot_mutex);

static struct insn_page *new_page(void)
{
    struct insn_page *page = kzalloc(sizeof(*page));

    if (!page)
        return NULL;
    page->base = vmalloc(PAGE_SIZE);
    if (!page->base || set_memory_ro((unsigned long)page->base, 1) ||
        set_memory_x((unsigned long)page->base, 1)) {
        vfree(page->base);
        kfree(page);
        return NULL;
    }
    page->next = pages;
    rcu_assign_pointer(pages, page);
    return page;
}

u16 *get_insn_slot(void)
{
    struct insn_page *page;
    unsigned int i = 0;

    mutex_lock(&slot_mutex);
    for (page = pages; page && page->used == SLOTS; page = page->next)
        ;
    if (!page)
        page = new_page();
    if (page) {
        while (page->in_use[i])
            i++;
        page->in_use[i] = true;
        page->used++;
    }
    mutex_unlock(&slot_mutex);
    return page ? (u16 *)(page->base + i * SLOT_SIZE) : NULL;
}

static void free_page_of_slots(struct insn_page **link)
{
    struct insn_page *page = *link;

    WRITE_ONCE(*link, page->next);
    synchronize_rcu();
    set_memory_nx((unsigned long)page->base, 1);
    set_memory_rw((unsigned long)page->base, 1);
    vfree(page->base);
    kfree(page);
}

void free_insn_slot(u16 *slot)
{
    struct insn_page **link = &pages;
    unsigned long offset;

    mutex_lock(&slot_mutex);
    while ((unsigned long)slot - (unsigned long)(*link)->base >= PAGE_SIZE)
        link = &(*link)->next;
    offset = (char *)slot - (*link)->base;
    (*link)->in_use[offset / SLOT_SIZE] = false;
    if (--(*link)->used == 0)
        free_page_of_slots(link);
    mutex_unlock(&slot_mutex);
}

bool is_kprobe_insn_slot(unsigned long addr)
{
    const struct insn_page *page;

    preempt_disable_notrace();
    for (page = rcu_dereference(pages); page; page = rcu_dereference(page->next))
        if (addr - (unsigned long)page->base < PAGE_SIZE)
            break;
    preempt_enable_notrace();
    return page;
}
