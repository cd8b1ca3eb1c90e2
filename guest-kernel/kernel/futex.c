/*
 * futex.c - futex(2): programs that share memory sleep until one of them says that a word of it has
 * changed.
 *
 * A waiter compares the word under the lock of its bucket, which who wakes it takes, too: so no
 * wake-up is lost. Memory that only this address space has is known by its address, shared memory
 * by its page.
 */
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

enum {
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_WAKE_BITSET = 10,
    FUTEX_PRIVATE_FLAG = 128,
    FUTEX_CLOCK_REALTIME = 256,
};
#define FUTEX_BITSET_MATCH_ANY 0xffffffffu

/* Which word: of an address space, or of a page. */
struct futex_key {
    const void *owner;
    unsigned long at;
};

/* A waiter, on its stack. */
struct futex_q {
    struct futex_key key;
    struct task_struct *task;
    u32 bitset;             /* is woken by those that have a bit of it */
    bool queued;            /* these under the lock of the bucket */
    struct list_head entry; /* of the bucket, in order of arrival */
};

enum { BUCKETS = 16 };

static struct futex_hash_bucket {
    spinlock_t lock;
    struct list_head waiters;
} buckets[BUCKETS];

static struct futex_hash_bucket *bucket_of(const struct futex_key *key)
{
    return &buckets[((unsigned long)key->owner / 64 ^ key->at / sizeof(u32)) % BUCKETS];
}

/* Memory that is not shared is its own even if the caller does not say so. */
static int get_futex_key(u32 __user *uaddr, bool shared, struct futex_key *key)
{
    unsigned long at = (unsigned long)uaddr;
    struct mm_struct *mm = current->mm;
    struct page *page = NULL;
    u32 unused;

    if (at % sizeof(u32))
        return -EINVAL;
    *key = (struct futex_key){mm, at};
    if (!shared)
        return 0;
    if (get_user(unused, uaddr))
        return -EFAULT;
    mutex_lock(&mm->mmap_lock);
    page = follow_shared_page(mm, at);
    mutex_unlock(&mm->mmap_lock);
    if (page)
        *key = (struct futex_key){page, at & ~PAGE_MASK};
    return 0;
}

/* ---- waiting ---- */

/* Queues current if the word has the value; else -EAGAIN, or -EFAULT. */
static int queue_if_equal(struct futex_q *q, u32 __user *uaddr, u32 val)
{
    struct futex_hash_bucket *b = bucket_of(&q->key);
    u32 now;

    for (;;) {
        spin_lock(&b->lock);
        if (!get_user(now, uaddr)) /* it cannot sleep here: a page that is not present fails */
            break;
        spin_unlock(&b->lock);
        if (get_user(now, uaddr))
            return -EFAULT;
    }
    if (now == val) {
        q->queued = true;
        list_add_tail(&q->entry, &b->waiters);
    }
    spin_unlock(&b->lock);
    return now == val ? 0 : -EAGAIN;
}

static int sleep_until_woken(const struct futex_q *q, u64 end)
{
    int err = 0;

    for (;;) {
        set_current_state(TASK_INTERRUPTIBLE);
        if (!READ_ONCE(q->queued))
            break;
        if (sched_clock() >= end)
            err = -ETIMEDOUT;
        else if (signal_pending(current))
            err = -EINTR;
        if (err)
            break;
        (void)schedule_hrtimeout(end, HRTIMER_MODE_ABS);
    }
    set_current_state(TASK_RUNNING);
    return err;
}

static int futex_wait(u32 __user *uaddr, bool shared, u32 val, u64 end, u32 bitset)
{
    struct futex_q q = {.task = current, .bitset = bitset};
    struct futex_hash_bucket *b;
    int err;

    if (!bitset)
        return -EINVAL;
    err = get_futex_key(uaddr, shared, &q.key);
    if (!err)
        err = queue_if_equal(&q, uaddr, val);
    if (err)
        return err;
    err = sleep_until_woken(&q, end);
    b = bucket_of(&q.key);
    spin_lock(&b->lock);
    if (q.queued)
        list_del_init(&q.entry);
    else
        err = 0; /* woken, whatever else has happened */
    spin_unlock(&b->lock);
    return err;
}

/* ---- waking ---- */

/* A waiter takes the lock before its q is gone. Returns how many are woken: at most nr. */
static int futex_wake(u32 __user *uaddr, bool shared, int nr, u32 bitset)
{
    struct futex_hash_bucket *b;
    struct futex_q *q, *next;
    struct futex_key key;
    int err, woken = 0;

    if (!bitset)
        return -EINVAL;
    err = get_futex_key(uaddr, shared, &key);
    if (err)
        return err;
    b = bucket_of(&key);
    spin_lock(&b->lock);
    list_for_each_entry_safe(q, next, &b->waiters, entry) {
        if (q->key.owner != key.owner || q->key.at != key.at || !(q->bitset & bitset))
            continue;
        list_del_init(&q->entry);
        WRITE_ONCE(q->queued, false);
        wake_up_process(q->task);
        if (++woken >= nr)
            break;
    }
    spin_unlock(&b->lock);
    return woken;
}

void futex_wake_tid(u32 __user *uaddr)
{
    (void)futex_wake(uaddr, true, 1, FUTEX_BITSET_MATCH_ANY);
}

/* All clocks are one. */
SYSCALL_DEFINE6(futex, u32 __user *, uaddr, int, op, u32, val,
                const struct __kernel_timespec __user *, utime, u32 __user *, uaddr2, u32, val3)
{
    bool shared = !(op & FUTEX_PRIVATE_FLAG);
    int cmd = op & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME), err;
    u64 end = KTIME_MAX;

    (void)uaddr2;
    if (op & FUTEX_CLOCK_REALTIME && cmd != FUTEX_WAIT_BITSET)
        return -ENOSYS;
    if (utime && (cmd == FUTEX_WAIT || cmd == FUTEX_WAIT_BITSET)) {
        err = get_timespec64(&end, utime);
        if (err)
            return err;
        if (cmd == FUTEX_WAIT)
            end += sched_clock();
    }
    switch (cmd) {
    case FUTEX_WAIT: return futex_wait(uaddr, shared, val, end, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAIT_BITSET: return futex_wait(uaddr, shared, val, end, val3);
    case FUTEX_WAKE: return futex_wake(uaddr, shared, val, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAKE_BITSET: return futex_wake(uaddr, shared, val, val3);
    default: return -ENOSYS;
    }
}

void futex_init(void)
{
    unsigned int i;

    for (i = 0; i < BUCKETS; i++) {
        spin_lock_init(&buckets[i].lock);
        INIT_LIST_HEAD(&buckets[i].waiters);
    }
}
