/*
 * jit.c - programs that are compiled: the memory of their text, its names, and when it is written
 * and freed.
 *
 * The text is written by patch.c, as all text of the kernel is, into pages that are executable and
 * never writable at their own address. It is freed when no hart can be in it: programs run with
 * preemption off, so after a grace period.
 *
 * Not instrumented: is_bpf_text_address() is part of what says whether an address is code.
 */
#include "bpf_internal.h"
#include <asm/cacheflush.h>
#include <asm/irqflags.h>
#include <asm/patch.h>
#include <asm/set_memory.h>
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/* 1: programs that are loaded from now on are compiled. 0 at first, as in Linux on RISC-V. */
static int bpf_jit_enable;

/* Changed under bpf_kallsyms_mutex, read with interrupts or preemption off. */
static LIST_HEAD(bpf_kallsyms);
static DEFINE_MUTEX(bpf_kallsyms_mutex);

/* ---- names ---- */

noinline void bpf_ksym_add(struct bpf_ksym *ksym)
{
    list_add_tail_rcu(&ksym->lnode, &bpf_kallsyms);
}

noinline void bpf_ksym_del(struct bpf_ksym *ksym)
{
    list_del_rcu(&ksym->lnode);
}

static const struct bpf_ksym *bpf_ksym_find(unsigned long addr)
{
    const struct bpf_ksym *ksym;

    list_for_each_entry_rcu(ksym, &bpf_kallsyms, lnode) {
        if (addr >= ksym->start && addr < ksym->end)
            return ksym;
    }
    return NULL;
}

bool is_bpf_text_address(unsigned long addr)
{
    unsigned long flags;
    bool found;

    raw_local_irq_save(flags);
    found = bpf_ksym_find(addr);
    raw_local_irq_restore(flags);
    return found;
}

bool bpf_address_lookup(unsigned long addr, struct ksym *sym)
{
    const struct bpf_ksym *ksym = bpf_ksym_find(addr);

    if (!ksym)
        return false;
    *sym = (struct ksym){ksym->name, ksym->start, ksym->end - ksym->start, "bpf"};
    return true;
}

void bpf_kallsyms_show(struct seq_file *m)
{
    const struct bpf_ksym *ksym;

    mutex_lock(&bpf_kallsyms_mutex);
    list_for_each_entry(ksym, &bpf_kallsyms, lnode) {
        seq_printf(m, "%016lx t %s\t[bpf]\n", ksym->start, ksym->name);
    }
    mutex_unlock(&bpf_kallsyms_mutex);
}

/* As in Linux: bpf_prog_TAG_NAME. */
static void set_name(struct bpf_ksym *ksym, const struct bpf_prog *prog)
{
    u32 n = scnprintf(ksym->name, sizeof(ksym->name), "bpf_prog_"), byte;

    for (byte = 0; byte < BPF_TAG_SIZE; byte++)
        n += scnprintf(ksym->name + n, sizeof(ksym->name) - n, "%02x", prog->tag[byte]);
    if (prog->name[0])
        scnprintf(ksym->name + n, sizeof(ksym->name) - n, "_%s", prog->name);
}

static void add_name(struct bpf_jit_image *image, const struct bpf_prog *prog)
{
    image->ksym.start = (unsigned long)image->text;
    image->ksym.end = image->ksym.start + image->size;
    set_name(&image->ksym, prog);
    mutex_lock(&bpf_kallsyms_mutex);
    bpf_ksym_add(&image->ksym);
    mutex_unlock(&bpf_kallsyms_mutex);
}

static void del_name(struct bpf_jit_image *image)
{
    mutex_lock(&bpf_kallsyms_mutex);
    bpf_ksym_del(&image->ksym);
    mutex_unlock(&bpf_kallsyms_mutex);
}

void bpf_prog_kallsyms_del_all(struct bpf_prog *prog)
{
    if (prog->jited)
        del_name(prog->jited);
}

/* ---- memory ---- */

static int pages_of(const struct bpf_jit_image *image)
{
    return ALIGN(image->size, (u32)PAGE_SIZE) >> PAGE_SHIFT;
}

static void free_text(struct bpf_jit_image *image)
{
    set_memory_nx((unsigned long)image->text, pages_of(image));
    set_memory_rw((unsigned long)image->text, pages_of(image));
    vfree(image->text);
}

struct bpf_jit_image *bpf_jit_binary_alloc(const struct bpf_prog *prog, u32 size)
{
    struct bpf_jit_image *image = kzalloc(sizeof(*image));

    if (!image)
        return NULL;
    image->size = size;
    image->text = vmalloc(size);
    if (!image->text) {
        kfree(image);
        return NULL;
    }
    /* What the program does not cover is no instruction. */
    memset(image->text, 0, pages_of(image) * PAGE_SIZE);
    if (!set_memory_ro((unsigned long)image->text, pages_of(image)) &&
        !set_memory_x((unsigned long)image->text, pages_of(image))) {
        add_name(image, prog);
        return image;
    }
    free_text(image);
    kfree(image);
    return NULL;
}

int bpf_jit_binary_write(struct bpf_jit_image *image, const u32 *text)
{
    u32 at = 0, n;
    int err = 0;

    mutex_lock(&text_mutex);
    for (; at < image->size && !err; at += n) {
        n = min(image->size - at, (u32)PAGE_SIZE);
        err = patch_insn_write((char *)image->text + at, (const char *)text + at, n);
    }
    flush_icache_range((unsigned long)image->text, (unsigned long)image->text + image->size);
    mutex_unlock(&text_mutex);
    return err;
}

void bpf_jit_binary_free(struct bpf_jit_image *image)
{
    if (!image)
        return;
    del_name(image);
    synchronize_rcu(); /* for those who look up names */
    free_text(image);
    kfree(image);
}

/* ---- programs ---- */

void bpf_prog_select_runtime(struct bpf_prog *prog)
{
    prog->bpf_func = __bpf_prog_run;
    if (READ_ONCE(bpf_jit_enable))
        bpf_int_jit_compile(prog);
}

void bpf_jit_free(struct bpf_prog *prog)
{
    if (!prog->jited)
        return;
    free_text(prog->jited);
    kfree(prog->jited);
}

static void __user *user_ptr(u64 addr)
{
    return (void __user *)(unsigned long)addr;
}

int bpf_jit_fill_info(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    const struct bpf_jit_image *image = prog->jited;
    u32 room = info->jited_prog_len;
    u64 __user *start = info->nr_jited_ksyms ? user_ptr(info->jited_ksyms) : NULL;

    info->jited_prog_len = image ? image->size : 0;
    info->nr_jited_ksyms = image ? 1 : 0;
    if (!image)
        return 0;
    if (info->jited_prog_insns && room &&
        copy_to_user(user_ptr(info->jited_prog_insns), image->text, min(room, image->size)))
        return -EFAULT;
    return start ? put_user(image->ksym.start, start) : 0;
}

/* ---- /proc/sys/net/core/bpf_jit_enable ---- */

static int change_jit_enable(const struct ctl_table *table, int value)
{
    if (value != 0 && value != 1)
        return -EINVAL;
    WRITE_ONCE(*table->data, value);
    return 0;
}

static const struct ctl_table jit_sysctls[] = {
    {.procname = "bpf_jit_enable", .data = &bpf_jit_enable, .changed = change_jit_enable},
};

void bpf_jit_init(void)
{
    register_sysctl("net/core", jit_sysctls, ARRAY_SIZE(jit_sysctls));
}
