/*
 * patch.c - writes to kernel text.
 *
 * Text is never writable at its own address. During the store the page is mapped a second time,
 * writable and not executable, at a fixmap slot; there are two slots, because a site of eight
 * bytes on a 2-byte boundary may cross into the next page.
 *
 * Not instrumented: no code between the first store to a site and the fence.i may itself be a
 * site.
 */
#include <asm/cacheflush.h>
#include <asm/fixmap.h>
#include <asm/patch.h>
#include <asm/set_memory.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/stop_machine.h>

/* Held while text is written, also across the stop_machine() whose callback writes it. */
DEFINE_MUTEX(text_mutex);

static __always_inline void *patch_map(unsigned long addr, enum fixed_addresses slot)
{
    return set_fixmap_offset(slot, kernel_virt_to_phys(addr));
}

/*
 * Copies in ascending order with the widest stores that the alignment allows: at most four for
 * a site.
 */
static __always_inline void store_parcels(void *dst, const void *src, size_t len)
{
    unsigned long to = (unsigned long)dst, from = (unsigned long)src;

    while (len) {
        unsigned long align = to | from | len;

        if (!(align & 7)) {
            *(volatile u64 *)to = *(const u64 *)from;
            to += 8, from += 8, len -= 8;
        } else if (!(align & 3)) {
            *(volatile u32 *)to = *(const u32 *)from;
            to += 4, from += 4, len -= 4;
        } else {
            *(volatile u16 *)to = *(const u16 *)from;
            to += 2, from += 2, len -= 2;
        }
    }
}

int patch_insn_write(void *addr, const void *insn, size_t len)
{
    unsigned long start = (unsigned long)addr, last = start + len - 1;
    bool across = (start ^ last) & PAGE_MASK;
    void *waddr;

    if (!len || len > PAGE_SIZE || !kernel_text_address(start) || !kernel_text_address(last))
        return -EFAULT;
    /*
     * While a slot is mapped, text can be written through it: no other task may
     * run on this hart in between.  POKE1 lies below POKE0, so that two pages
     * mapped there are adjacent.
     */
    preempt_disable();
    if (across)
        patch_map(last & PAGE_MASK, FIX_TEXT_POKE0);
    waddr = patch_map(start, across ? FIX_TEXT_POKE1 : FIX_TEXT_POKE0);
    store_parcels(waddr, insn, len);
    clear_fixmap(FIX_TEXT_POKE0);
    if (across)
        clear_fixmap(FIX_TEXT_POKE1);
    preempt_enable();
    return 0;
}

NOKPROBE_SYMBOL(patch_insn_write);

int patch_text_nosync(void *addr, const void *insns, size_t len)
{
    int ret;

    /* No other task runs on this hart between the stores and its fence. */
    preempt_disable();
    ret = patch_insn_write(addr, insns, len);
    if (!ret)
        local_flush_icache_all();
    preempt_enable();
    return ret;
}
NOKPROBE_SYMBOL(patch_text_nosync);

struct patch_insn {
    void *addr;
    const void *insns;
    size_t len;
};

/* The other harts wait in code that is not patched: one fence.i before they continue is enough. */
static int patch_text_cb(void *data)
{
    const struct patch_insn *patch = data;
    int ret = patch_insn_write(patch->addr, patch->insns, patch->len);

    flush_icache_all();
    return ret;
}
NOKPROBE_SYMBOL(patch_text_cb);

int patch_text(void *addr, const void *insns, size_t len)
{
    struct patch_insn patch = {addr, insns, len};
    int ret;

    mutex_lock(&text_mutex);
    ret = stop_machine(patch_text_cb, &patch);
    mutex_unlock(&text_mutex);
    return ret;
}
