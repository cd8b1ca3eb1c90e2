/*
 * kprobes_files.c - what cannot be probed, and debugfs's directory kprobes: list, enabled,
 * blacklist.
 */
#include "kprobes_internal.h"
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

extern const unsigned long __start_kprobe_blacklist[], __stop_kprobe_blacklist[];
extern const char __kprobes_text_start[], __kprobes_text_end[];
extern const char __irqentry_text_start[], __irqentry_text_end[];
extern const char __entry_text_start[], __entry_text_end[];

LIST_HEAD(kprobe_blacklist);

static bool is_in(unsigned long addr, const char *start, const char *end)
{
    return addr >= (unsigned long)start && addr < (unsigned long)end;
}

bool within_kprobe_blacklist(unsigned long addr)
{
    const struct kprobe_blacklist_entry *e;

    if (is_in(addr, __kprobes_text_start, __kprobes_text_end) ||
        is_in(addr, __entry_text_start, __entry_text_end))
        return true;
    list_for_each_entry(e, &kprobe_blacklist, list)
        if (addr >= e->start_addr && addr < e->end_addr)
            return true;
    return false;
}

static unsigned long add_to_blacklist(unsigned long addr)
{
    struct kprobe_blacklist_entry *e;
    unsigned long size, offset;

    if (!kallsyms_lookup_size_offset(addr, &size, &offset))
        return addr + 1;
    e = kzalloc(sizeof(*e));
    if (!e)
        panic("no memory for the blacklist of kprobes");
    e->start_addr = addr;
    e->end_addr = addr - offset + size;
    list_add_tail(&e->list, &kprobe_blacklist);
    return e->end_addr;
}

static void add_area(const char *start, const char *end)
{
    unsigned long addr = (unsigned long)start;

    while (addr < (unsigned long)end)
        addr = add_to_blacklist(addr);
}

void kprobe_blacklist_init(void)
{
    const unsigned long *func;

    for (func = __start_kprobe_blacklist; func < __stop_kprobe_blacklist; func++)
        add_to_blacklist(*func);
    add_area(__irqentry_text_start, __irqentry_text_end);
    add_area(__entry_text_start, __entry_text_end);
    add_area(__kprobes_text_start, __kprobes_text_end);
}

/* ---- debugfs ---- */

static void report_probe(struct seq_file *m, const struct kprobe *p, const struct kprobe *entry)
{
    struct ksym sym;

    seq_printf(m, "%016lx  %s  ", (unsigned long)p->addr, is_kretprobe(p) ? "r" : "k");
    rcu_read_lock();
    if (kallsyms_find((unsigned long)p->addr, &sym))
        seq_printf(m, "%s+0x%lx  %s ", sym.name, (unsigned long)p->addr - sym.start,
                   sym.modname ? sym.modname : " ");
    else
        seq_printf(m, "%pS ", (void *)p->addr);
    rcu_read_unlock();
    seq_printf(m, "%s%s%s\n", kprobe_gone(p) ? "[GONE]" : "",
               kprobe_disabled(p) && !kprobe_gone(p) ? "[DISABLED]" : "",
               kprobe_ftrace(entry) ? "[FTRACE]" : "");
}

static int list_show(struct seq_file *m, void *unused)
{
    const struct kprobe *p, *kp;
    unsigned int i;

    (void)unused;
    mutex_lock(&kprobe_mutex);
    for (i = 0; i < KPROBE_TABLE_SIZE; i++)
        for (p = kprobe_table[i]; p; p = p->hash_next) {
            if (!is_aggr_kprobe(p))
                report_probe(m, p, p);
            else
                list_for_each_entry(kp, &p->list, list)
                    report_probe(m, kp, p);
        }
    mutex_unlock(&kprobe_mutex);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(list);

static int blacklist_show(struct seq_file *m, void *unused)
{
    const struct kprobe_blacklist_entry *e;

    (void)unused;
    list_for_each_entry(e, &kprobe_blacklist, list)
        seq_printf(m, "0x%016lx-0x%016lx\t%ps\n", e->start_addr, e->end_addr,
                   (void *)e->start_addr);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(blacklist);

static int enabled_show(struct seq_file *m, void *unused)
{
    (void)unused;
    seq_puts(m, kprobes_all_disarmed ? "0\n" : "1\n");
    return 0;
}

/* Linux's kstrtobool(): the first character decides, of `on' and `off' the second. */
static int parse_bool(const char *s, size_t len, bool *value)
{
    char first = len ? s[0] : 0, second = len > 1 ? s[1] : 0;

    if (first == 'o' || first == 'O')
        first = second == 'n' || second == 'N' ? '1' : second == 'f' || second == 'F' ? '0' : 0;
    if (!first || !strchr("yYtT1nNfF0", first))
        return -EINVAL;
    *value = strchr("yYtT1", first);
    return 0;
}

static ssize_t enabled_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    bool enable;
    int ret = parse_bool(buf, count, &enable);

    (void)file;
    (void)pos;
    if (!ret)
        ret = enable ? arm_all_kprobes() : disarm_all_kprobes();
    return ret ? ret : (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(enabled);

void kprobes_create_files(void)
{
    struct dentry *dir = debugfs_create_dir("kprobes", NULL);

    debugfs_create_file("list", 0400, dir, NULL, &list_fops);
    debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
    debugfs_create_file("blacklist", 0400, dir, NULL, &blacklist_fops);
}
