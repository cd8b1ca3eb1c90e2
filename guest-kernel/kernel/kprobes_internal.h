/* kprobes_internal.h - shared by kprobes.c and its files in debugfs. */
#ifndef KERNEL_KPROBES_INTERNAL_H
#define KERNEL_KPROBES_INTERNAL_H

#include <linux/kprobes.h>
#include <linux/mutex.h>

enum { KPROBE_TABLE_SIZE = 64 };

/* Guards the table, its probes, and the blacklist. */
extern struct mutex kprobe_mutex;
extern struct kprobe *kprobe_table[KPROBE_TABLE_SIZE];
extern bool kprobes_all_disarmed; /* under kprobe_mutex */

/* A function, or a part of the text, that cannot be probed. */
struct kprobe_blacklist_entry {
    struct list_head list;
    unsigned long start_addr, end_addr;
};
extern struct list_head kprobe_blacklist; /* written at boot only */
void kprobe_blacklist_init(void);

bool is_aggr_kprobe(const struct kprobe *p);
/* Arm or disarm all probes; the first error, or 0. */
int arm_all_kprobes(void);
int disarm_all_kprobes(void);

void kprobes_create_files(void);

#endif
