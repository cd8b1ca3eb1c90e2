/* bpf_internal.h - what the files of kernel/bpf share. */
#ifndef BPF_INTERNAL_H
#define BPF_INTERNAL_H

#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/spinlock.h>

#define ENOTSUPP 524 /* as Linux returns it, though no user knows it */

extern const struct bpf_map_ops array_map_ops, htab_map_ops, perf_event_array_map_ops;

/* Of the maps whose keys are indexes: none can be removed, and the next one follows. */
int array_remove(struct bpf_map *map, const void *key);
int array_get_next_key(struct bpf_map *map, const void *key, void *next);

/* Fills in what every map has. */
void bpf_map_init(struct bpf_map *map, const union bpf_attr *attr, const struct bpf_map_ops *ops);
void *bpf_map_area_alloc(u64 size); /* zeroed; NULL: no memory */
void bpf_map_area_free(void *area);

/*
 * Locks of maps: a program may run in any interrupt, and inside any function that can be probed.
 * Held with interrupts off, and only in code that is neither traced nor probed.
 */
static __always_inline unsigned long bpf_lock(spinlock_t *lock)
{
    unsigned long flags;

    raw_local_irq_save(flags);
    arch_spin_lock(lock);
    return flags;
}

static __always_inline void bpf_unlock(spinlock_t *lock, unsigned long flags)
{
    arch_spin_unlock(lock);
    raw_local_irq_restore(flags);
}

/* kernel/trace/bpf_trace.c */
u64 bpf_trace_printk(u64 fmt, u64 fmt_size, u64 a, u64 b, u64 c);
void bpf_trace_printk_enable(void);
u64 bpf_perf_event_output(u64 ctx, u64 map, u64 flags, u64 data, u64 size);
struct bpf_raw_tp_link;
/* The tracepoint of a name, with its probe for programs, for bpf_put_raw_tracepoint(); NULL: none.
 */
const struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name);
void bpf_put_raw_tracepoint(const struct bpf_raw_event_map *btp);
#endif
