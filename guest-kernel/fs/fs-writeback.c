/*
 * fs-writeback.c - dirty files are written when they have been dirty for a while.
 *
 * A mapping with dirty pages is in a list; the work runs only while the list is not empty, every
 * five seconds as in Linux, and writes what is thirty seconds old.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

enum { WRITEBACK_INTERVAL = 5 * HZ, EXPIRE_INTERVAL = 30 * HZ };

static DEFINE_SPINLOCK(wb_lock);
static LIST_HEAD(wb_dirty); /* under wb_lock; the oldest first */

static void wb_workfn(struct work_struct *work);

static struct delayed_work *wb_work(void)
{
    static struct delayed_work work;

    if (!work.work.func)
        INIT_DELAYED_WORK(&work, wb_workfn);
    return &work;
}

void mapping_becomes_dirty(struct address_space *mapping)
{
    bool first = false;

    spin_lock(&wb_lock);
    if (list_empty(&mapping->wb_list)) {
        first = list_empty(&wb_dirty);
        mapping->dirtied_when = jiffies;
        list_add_tail(&mapping->wb_list, &wb_dirty);
    }
    spin_unlock(&wb_lock);
    if (first)
        queue_delayed_work(system_wq, wb_work(), WRITEBACK_INTERVAL);
}

/* Takes the oldest mapping off the list if it has been dirty for long enough. */
static struct address_space *next_expired(bool *more)
{
    struct address_space *mapping = NULL;

    spin_lock(&wb_lock);
    *more = !list_empty(&wb_dirty);
    if (*more) {
        mapping = list_first_entry(&wb_dirty, struct address_space, wb_list);
        if ((long)(jiffies - mapping->dirtied_when) < EXPIRE_INTERVAL)
            mapping = NULL;
        else
            list_del_init(&mapping->wb_list);
    }
    spin_unlock(&wb_lock);
    return mapping;
}

static void wb_workfn(struct work_struct *work)
{
    struct address_space *mapping;
    bool more;

    (void)work;
    while ((mapping = next_expired(&more)))
        filemap_fdatawrite(mapping);
    if (more)
        queue_delayed_work(system_wq, wb_work(), WRITEBACK_INTERVAL);
}
