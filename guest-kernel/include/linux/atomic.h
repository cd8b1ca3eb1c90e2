/* atomic.h - atomic integers and bits. */
#ifndef LINUX_ATOMIC_H
#define LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

typedef struct {
    int counter;
} atomic_t;

static __always_inline int atomic_read(const atomic_t *v)
{
    return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static __always_inline void atomic_set(atomic_t *v, int i)
{
    __atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static __always_inline int atomic_add_return(int i, atomic_t *v)
{
    return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}

static __always_inline void atomic_inc(atomic_t *v)
{
    (void)__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);
}

static __always_inline void atomic_dec(atomic_t *v)
{
    (void)__atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);
}

static __always_inline bool atomic_dec_and_test(atomic_t *v)
{
    return atomic_add_return(-1, v) == 0;
}

static __always_inline void set_bit(unsigned int nr, unsigned long *word)
{
    (void)__atomic_fetch_or(word, 1UL << nr, __ATOMIC_SEQ_CST);
}

/* Returns whether the bit was set before. */
static __always_inline bool test_and_set_bit(unsigned int nr, unsigned long *word)
{
    return __atomic_fetch_or(word, 1UL << nr, __ATOMIC_SEQ_CST) >> nr & 1;
}

static __always_inline void clear_bit(unsigned int nr, unsigned long *word)
{
    (void)__atomic_fetch_and(word, ~(1UL << nr), __ATOMIC_SEQ_CST);
}

#endif
