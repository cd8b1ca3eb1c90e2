/*
 * mmio-mod.c - mmiotrace: catches accesses to mapped registers by page faults.
 *
 * While tracing is on, the pages of each mapping are not present. The handler of the fault decodes
 * the instruction, carries it out by a second mapping of the same registers, which is never taken
 * away, and continues after it. So other harts never find the pages present, and nothing is
 * stepped. In a kprobe's copy of an instruction the fault is handled in the same way.
 *
 * Unlike Linux's, it also traces mappings from before it was turned on: drivers are not loaded
 * later here.
 *
 * Not instrumented.
 */
#include <asm/csr.h>
#include <asm/page.h>
#include <asm/ptrace.h>
#include <asm/set_memory.h>
#include <asm/tlbflush.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mmiotrace.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/* A mapping of registers, made by ioremap(). */
struct remap_trace {
    struct list_head list;
    unsigned long phys, size; /* as ioremap() was asked */
    unsigned long addr;
    int id;       /* when it is traced */
    bool armed;   /* its pages are not present */
    void *second; /* another mapping of the first page and those after it; NULL: none yet */
};

/* Changed under mmiotrace_mutex; read in page faults, with interrupts off. */
static LIST_HEAD(trace_list);
static DEFINE_MUTEX(mmiotrace_mutex);
static bool mmiotrace_enabled; /* under mmiotrace_mutex */
static int next_id;            /* the same */

static unsigned long first_page(const struct remap_trace *trace)
{
    return trace->addr & PAGE_MASK;
}

static int nr_pages(const struct remap_trace *trace)
{
    return (trace->addr + trace->size - first_page(trace) + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

static void log_mapping(const struct remap_trace *trace, enum mm_io_opcode opcode)
{
    struct mmiotrace_map map = {.phys = trace->phys,
                                .virt = trace->addr,
                                .len = trace->size,
                                .map_id = trace->id,
                                .opcode = opcode};

    preempt_disable();
    mmio_trace_mapping(&map);
    preempt_enable();
}

/* Logs the mapping and takes its pages away. mmiotrace_mutex is held. */
static int arm(struct remap_trace *trace)
{
    if (!trace->second)
        trace->second = vmap_io(trace->phys & PAGE_MASK, nr_pages(trace));
    if (!trace->second)
        return -ENOMEM;
    trace->id = ++next_id;
    log_mapping(trace, MMIO_PROBE);
    WRITE_ONCE(trace->armed, true);
    return set_memory_np(first_page(trace), nr_pages(trace));
}

static void disarm(struct remap_trace *trace)
{
    set_memory_p(first_page(trace), nr_pages(trace));
    WRITE_ONCE(trace->armed, false);
}

/* ---- mappings come and go ---- */

int mmiotrace_ioremap(unsigned long phys, size_t size, void *addr)
{
    struct remap_trace *trace = kzalloc(sizeof(*trace));
    int err = 0;

    if (!trace)
        return -ENOMEM;
    trace->phys = phys;
    trace->size = size;
    trace->addr = (unsigned long)addr;
    mutex_lock(&mmiotrace_mutex);
    list_add_tail_rcu(&trace->list, &trace_list);
    if (mmiotrace_enabled)
        err = arm(trace);
    mutex_unlock(&mmiotrace_mutex);
    if (err)
        pr_err("mmiotrace: no memory to trace %lx\n", phys); /* it works, and is not traced */
    return 0;
}

void mmiotrace_iounmap(volatile void *addr)
{
    struct remap_trace *trace, *found = NULL;

    mutex_lock(&mmiotrace_mutex);
    list_for_each_entry(trace, &trace_list, list) {
        if (trace->addr == (unsigned long)addr)
            found = trace;
    }
    if (found) {
        if (mmiotrace_enabled)
            log_mapping(found, MMIO_UNPROBE);
        list_del_rcu(&found->list);
    }
    mutex_unlock(&mmiotrace_mutex);
    if (!found)
        return;
    synchronize_rcu();
    if (found->second)
        vfree(found->second);
    kfree(found);
}

/* ---- on and off ---- */

/* The last one first, so that a hart in a fault finds its mapping until the pages are back. */
static void disarm_all(void)
{
    struct remap_trace *trace;

    list_for_each_entry(trace, &trace_list, list) {
        if (trace->armed)
            disarm(trace);
    }
}

int enable_mmiotrace(void)
{
    struct remap_trace *trace;
    int err = 0;

    mutex_lock(&mmiotrace_mutex);
    list_for_each_entry(trace, &trace_list, list) {
        if (!err)
            err = arm(trace);
    }
    mmiotrace_enabled = !err;
    if (err)
        disarm_all();
    mutex_unlock(&mmiotrace_mutex);
    if (!err)
        pr_info("mmiotrace: enabled.\n");
    return err;
}

void disable_mmiotrace(void)
{
    mutex_lock(&mmiotrace_mutex);
    mmiotrace_enabled = false;
    disarm_all();
    mutex_unlock(&mmiotrace_mutex);
    pr_info("mmiotrace: disabled.\n");
}

/* ---- in the page fault ---- */

static struct remap_trace *__kprobes find_trace(unsigned long addr)
{
    struct remap_trace *trace;

    list_for_each_entry_rcu(trace, &trace_list, list) {
        if (addr - first_page(trace) < nr_pages(trace) * (unsigned long)PAGE_SIZE)
            return trace;
    }
    return NULL;
}

/* The instruction's own address, also if it runs as a kprobe's copy. */
static unsigned long __kprobes true_pc(unsigned long epc)
{
    struct kprobe *p = is_kprobe_insn_slot(epc) ? kprobe_running() : NULL;

    return p ? (unsigned long)p->addr : epc;
}

/* Its mapping is not traced any more: the instruction is run again, as it is. */
static void __kprobes give_up(struct remap_trace *trace, struct mmiotrace_rw *rw, u32 opcode)
{
    rw->opcode = MMIO_UNKNOWN_OP;
    rw->value = (opcode & 0xff) << 16 | (opcode & 0xff00) | (opcode >> 16 & 0xff);
    mmio_trace_rw(rw);
    disarm(trace);
}

static void __kprobes carry_out(struct remap_trace *trace, struct pt_regs *regs)
{
    unsigned long offset = regs->badaddr - first_page(trace);
    u32 opcode = kprobe_read_insn((const void *)regs->epc);
    struct mmiotrace_rw rw = {
        .phys = (trace->phys & PAGE_MASK) + offset, .pc = true_pc(regs->epc), .map_id = trace->id};
    struct mmio_insn insn;

    if (!mmio_decode(opcode, &insn)) {
        give_up(trace, &rw, opcode);
        return;
    }
    rw.opcode = insn.is_store ? MMIO_WRITE : MMIO_READ;
    rw.width = insn.width;
    rw.value = mmio_emulate(&insn, trace->second + offset, regs);
    regs->epc += insn.length;
    mmio_trace_rw(&rw);
}

/*
 * A hart may come here because of a translation that it had before the pages came back: it tries
 * again.
 */
bool __kprobes kmmio_handler(struct pt_regs *regs)
{
    struct remap_trace *trace;

    if (regs->cause != EXC_LOAD_PAGE_FAULT && regs->cause != EXC_STORE_PAGE_FAULT)
        return false;
    if (!is_vmalloc_addr((const void *)regs->badaddr))
        return false;
    trace = find_trace(regs->badaddr);
    if (!trace)
        return false;
    if (READ_ONCE(trace->armed))
        carry_out(trace, regs);
    else
        local_flush_tlb_page(regs->badaddr);
    return true;
}
