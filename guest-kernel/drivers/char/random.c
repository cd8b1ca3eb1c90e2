/*
 * random.c - numbers for getrandom().
 *
 * Runs of this machine must be repeatable, so the seed is fixed and there is no entropy: a
 * counter with a large odd step, its bits mixed.
 */
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static DEFINE_SPINLOCK(random_lock);
static u64 random_state; /* under random_lock */

static u64 next_random(void)
{
    u64 x = random_state += 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

void get_random_bytes(void *buf, size_t len)
{
    char *to = buf;
    unsigned long flags;

    spin_lock_irqsave(&random_lock, flags);
    while (len) {
        u64 x = next_random();
        size_t n = min(len, sizeof(x));

        memcpy(to, &x, n);
        to += n;
        len -= n;
    }
    spin_unlock_irqrestore(&random_lock, flags);
}
