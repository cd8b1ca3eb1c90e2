/* kallsyms_procfs.c - /proc/kallsyms: address, kind, name, and module of each function; _text. */
#include <linux/filter.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

extern const char _text[];

/* After the last symbol of the kernel come those of all modules and programs, in one step. */
static void *s_start(struct seq_file *m, loff_t *pos)
{
    (void)m;
    return *pos <= kallsyms_count() ? pos : NULL;
}

static void *s_next(struct seq_file *m, void *v, loff_t *pos)
{
    (void)v;
    ++*pos;
    return s_start(m, pos);
}

static void s_stop(struct seq_file *m, void *v)
{
    (void)m;
    (void)v;
}

static int s_show(struct seq_file *m, void *v)
{
    loff_t at = *(const loff_t *)v;
    struct ksym sym;

    if (!at) /* the begin of the text, by which perf knows where the kernel is */
        seq_printf(m, "%016lx T _text\n", (unsigned long)_text);
    if (at == kallsyms_count()) {
        module_kallsyms_show(m);
        bpf_kallsyms_show(m);
    } else if (kallsyms_symbol(at, &sym)) {
        seq_printf(m, "%016lx t %s\n", sym.start, sym.name);
    }
    return 0;
}

static const struct seq_operations kallsyms_op = {
    .start = s_start, .next = s_next, .stop = s_stop, .show = s_show};

static int kallsyms_open(struct inode *inode, struct file *file)
{
    (void)inode;
    return seq_open(file, &kallsyms_op);
}

static const struct file_operations kallsyms_fops = {
    .open = kallsyms_open,
    .read = seq_read,
    .release = seq_release,
};

void kallsyms_init(void)
{
    proc_create("kallsyms", S_IRUGO, NULL, &kallsyms_fops);
}
