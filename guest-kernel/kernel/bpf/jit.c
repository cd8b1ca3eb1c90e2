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

/* A number of a function's instructions, as the program's tag is one of all. */
static u64 function_tag(const struct bpf_prog *prog, u32 i)
{
    u32 end = i + 1 < prog->subprog_cnt ? prog->subprogs[i + 1].start : prog->len;
    const u8 *p = (const u8 *)&prog->insns[prog->subprogs[i].start];
    u64 hash = 14695981039346656037ull;

    for (; p < (const u8 *)&prog->insns[end]; p++)
        hash = (hash ^ *p) * 1099511628211ull;
    return hash;
}

/* As in Linux: bpf_prog_TAG_NAME; a function but the first, whose name is not known, is F. */
static void set_name(struct bpf_ksym *ksym, const struct bpf_prog *prog, u32 i)
{
    u64 own = i ? function_tag(prog, i) : 0;
    const u8 *tag = i ? (const u8 *)&own : prog->tag;
    const char *name = i ? "F" : prog->name;
    u32 n = scnprintf(ksym->name, sizeof(ksym->name), "bpf_prog_"), byte;

    for (byte = 0; byte < BPF_TAG_SIZE; byte++)
        n += scnprintf(ksym->name + n, sizeof(ksym->name) - n, "%02x", tag[byte]);
    if (name[0])
        scnprintf(ksym->name + n, sizeof(ksym->name) - n, "_%s", name);
}

void bpf_jit_add_function(struct bpf_jit_image *image, const struct bpf_prog *prog, u32 end)
{
    u32 i = image->nr_ksyms++;
    struct bpf_ksym *ksym = &image->ksyms[i];

    ksym->start = i ? ksym[-1].end : (unsigned long)image->text;
    ksym->end = (unsigned long)image->text + end;
    set_name(ksym, prog, i);
    mutex_lock(&bpf_kallsyms_mutex);
    bpf_ksym_add(ksym);
    mutex_unlock(&bpf_kallsyms_mutex);
}

static void del_names(struct bpf_jit_image *image)
{
    u32 i;

    mutex_lock(&bpf_kallsyms_mutex);
    for (i = 0; i < image->nr_ksyms; i++)
        bpf_ksym_del(&image->ksyms[i]);
    mutex_unlock(&bpf_kallsyms_mutex);
}

void bpf_prog_kallsyms_del_all(struct bpf_prog *prog)
{
    if (prog->jited)
        del_names(prog->jited);
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
    struct bpf_jit_image *image =
        kzalloc(sizeof(*image) + prog->subprog_cnt * sizeof(image->ksyms[0]));

    if (!image)
        return NULL;
    image->size = size;
    image->text = vmalloc(size);
    if (!image->text) {
        kfree(image);
        return NULL;
    }
    /* What no function covers is no instruction. */
    memset(image->text, 0, pages_of(image) * PAGE_SIZE);
    if (!set_memory_ro((unsigned long)image->text, pages_of(image)) &&
        !set_memory_x((unsigned long)image->text, pages_of(image)))
        return image;
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
    del_names(image);
    synchronize_rcu(); /* for those who look up names */
    free_text(image);
    kfree(image);
}

/* ---- programs ---- */

/* An array that has a compiled program has no others: bpf_prog_map_compatible(). */
unsigned long bpf_jit_tail_call(u64 map, u64 index, u32 *count)
{
    const struct bpf_prog *prog = bpf_tail_call(map, index, count);

    return prog ? (unsigned long)prog->jited->text + prog->jited->tail_entry : 0;
}

static int check_tail_calls(const struct bpf_prog *prog)
{
    u32 i;

    for (i = 0; i < prog->used_map_cnt; i++)
        if (prog->used_maps[i]->map_type == BPF_MAP_TYPE_PROG_ARRAY &&
            !bpf_prog_map_compatible(prog->used_maps[i], prog))
            return -EINVAL;
    return 0;
}

int bpf_prog_select_runtime(struct bpf_prog *prog)
{
    prog->bpf_func = __bpf_prog_run;
    if (READ_ONCE(bpf_jit_enable))
        bpf_int_jit_compile(prog);
    return check_tail_calls(prog);
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

/* Of an interpreted program Linux tells the interpreter's address, and no length. */
static int put_function(const struct bpf_prog *prog, u32 i, u64 ksyms, u64 lens)
{
    const struct bpf_ksym *ksym = prog->jited ? &prog->jited->ksyms[i] : NULL;
    u64 addr = ksym ? ksym->start : (unsigned long)prog->bpf_func;
    u32 len = ksym ? ksym->end - ksym->start : 0;

    if ((ksyms && put_user(addr, (u64 __user *)user_ptr(ksyms) + i)) ||
        (lens && put_user(len, (u32 __user *)user_ptr(lens) + i)))
        return -EFAULT;
    return 0;
}

int bpf_jit_fill_info(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    const struct bpf_jit_image *image = prog->jited;
    u32 room = info->jited_prog_len, ksym_room = info->nr_jited_ksyms,
        len_room = info->nr_jited_func_lens, i;

    info->jited_prog_len = image ? image->size : 0;
    info->nr_jited_ksyms = info->nr_jited_func_lens = image ? image->nr_ksyms : 1;
    if (image && info->jited_prog_insns && room &&
        copy_to_user(user_ptr(info->jited_prog_insns), image->text, min(room, image->size)))
        return -EFAULT;
    for (i = 0; i < info->nr_jited_ksyms; i++)
        if (put_function(prog, i, i < ksym_room ? info->jited_ksyms : 0,
                         i < len_room ? info->jited_func_lens : 0))
            return -EFAULT;
    return 0;
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
