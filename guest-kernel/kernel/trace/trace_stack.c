/*
 * trace_stack.c - the stack tracer: the deepest kernel stack so far, and how much of it each
 * function takes.
 *
 * It looks at each call of a traced function. The frame records of a stack say where each
 * function's frame ends; the trampoline's own part is not counted.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "trace.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysctl.h>

enum { STACK_TRACE_ENTRIES = 128, SITE_BYTES_MAX = 24, FRAME_RECORD = 16 };

struct stack_place {
    unsigned long ip;
    unsigned int depth; /* bytes from the function's stack pointer to the top of the stack */
};

/* The deepest stack; under max_lock, with interrupts off. */
static spinlock_t max_lock; /* arch_spin_* only */
static struct stack_place max_stack[STACK_TRACE_ENTRIES];
static unsigned int max_entries;
static unsigned long stack_trace_max_size; /* also read without the lock */
static unsigned int tracer_frame;          /* bytes that this file and the trampoline take */

static bool inside[NR_CPUS]; /* used by its hart with interrupts off */
static int stack_tracer_enabled;

static bool on_stack(unsigned long fp, unsigned long base)
{
    return !(fp & 7) && fp >= base + FRAME_RECORD && fp <= base + THREAD_SIZE;
}

/*
 * Fills in places from the function whose site is at ip on; 0: the frames do not lead there. A
 * record at fp has the address that a function with stack pointer fp continues at.
 */
static unsigned int walk_frames(struct stack_place *places, unsigned long fp, unsigned long ip)
{
    unsigned long base = (unsigned long)current->stack, top = base + THREAD_SIZE;
    unsigned int n = 0;
    int graph_index = 0;

    while (on_stack(fp, base) && n < STACK_TRACE_ENTRIES) {
        unsigned long ra = ((unsigned long *)fp)[-1], next = ((unsigned long *)fp)[-2];

        ra = ftrace_graph_ret_addr(current, &graph_index, ra);
        if (!n && ra >= ip && ra - ip <= SITE_BYTES_MAX) /* where there is no frame yet, the
                                                            trampoline's record is left out */
            places[n++] = (struct stack_place){ra, top - (next == fp + FRAME_RECORD ? next : fp)};
        else if (n)
            places[n++] = (struct stack_place){ra, top - fp};
        if (next <= fp)
            break;
        fp = next;
    }
    return n;
}

static void save_stack(unsigned long fp, unsigned long ip, unsigned long size)
{
    static struct stack_place places[STACK_TRACE_ENTRIES]; /* under max_lock */
    unsigned int n = walk_frames(places, fp, ip);

    if (!n)
        return;
    tracer_frame = size - places[0].depth;
    if (places[0].depth <= stack_trace_max_size)
        return;
    WRITE_ONCE(stack_trace_max_size, places[0].depth);
    memcpy(max_stack, places, n * sizeof(*places));
    max_entries = n;
}

static void stack_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                             struct ftrace_regs *fregs)
{
    unsigned long fp = (unsigned long)__builtin_frame_address(0), flags;
    unsigned long size = (unsigned long)current->stack + THREAD_SIZE - fp;
    unsigned int cpu;

    (void)parent_ip;
    (void)op;
    (void)fregs;
    if (likely(size <= READ_ONCE(stack_trace_max_size) + READ_ONCE(tracer_frame)) ||
        size > THREAD_SIZE)
        return;
    raw_local_irq_save(flags);
    cpu = smp_processor_id();
    if (!inside[cpu]) {
        inside[cpu] = true;
        arch_spin_lock(&max_lock);
        save_stack(fp, ip, size);
        arch_spin_unlock(&max_lock);
        inside[cpu] = false;
    }
    raw_local_irq_restore(flags);
}

static struct ftrace_ops stack_trace_ops = {
    .func = stack_trace_call,
    INIT_OPS_HASH(stack_trace_ops),
};

/* ---- stack_max_size, stack_trace ---- */

static int max_size_show(struct seq_file *m, void *unused)
{
    (void)unused;
    seq_printf(m, "%lu\n", READ_ONCE(stack_trace_max_size));
    return 0;
}

static int max_size_store(void *unused, char *text)
{
    unsigned long size, flags;
    int err = kstrtoul(text, 10, &size);

    (void)unused;
    if (err)
        return err;
    raw_local_irq_save(flags);
    arch_spin_lock(&max_lock);
    WRITE_ONCE(stack_trace_max_size, size);
    arch_spin_unlock(&max_lock);
    raw_local_irq_restore(flags);
    return 0;
}

DEFINE_TRACE_TEXT_FILE(max_size);

/* A copy, since no lock may be held while the text is written. */
static unsigned int copy_stack(struct stack_place *places)
{
    unsigned long flags;
    unsigned int n;

    raw_local_irq_save(flags);
    arch_spin_lock(&max_lock);
    n = max_entries;
    memcpy(places, max_stack, n * sizeof(*places));
    arch_spin_unlock(&max_lock);
    raw_local_irq_restore(flags);
    return n;
}

static int stack_show(struct seq_file *m, void *unused)
{
    struct stack_place *places = kmalloc(sizeof(max_stack));
    unsigned int i, n;

    (void)unused;
    if (!places)
        return -ENOMEM;
    n = copy_stack(places);
    seq_printf(m,
               "        Depth    Size   Location    (%u entries)\n"
               "        -----    ----   --------\n",
               n);
    if (!stack_tracer_enabled && !stack_trace_max_size)
        seq_puts(m, "#\n#  Stack tracer disabled\n#\n"
                    "# It is on with the kernel parameter `stacktrace`, or after\n"
                    "# echo 1 > /proc/sys/kernel/stack_tracer_enabled\n#\n");
    for (i = 0; i < n; i++)
        seq_printf(m, "%3u) %8u   %5u   %pS\n", i, places[i].depth,
                   places[i].depth - (i + 1 < n ? places[i + 1].depth : 0), (void *)places[i].ip);
    kfree(places);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(stack);

/* ---- stack_tracer_enabled, and the kernel's command line ---- */

static DEFINE_MUTEX(stack_sysctl_mutex);

static int set_stack_tracer(const struct ctl_table *table, int value)
{
    int err = 0;

    (void)table;
    mutex_lock(&stack_sysctl_mutex);
    if (!!value != stack_tracer_enabled)
        err = value ? register_ftrace_function(&stack_trace_ops)
                    : unregister_ftrace_function(&stack_trace_ops);
    if (!err)
        stack_tracer_enabled = !!value;
    mutex_unlock(&stack_sysctl_mutex);
    return err;
}

static const struct ctl_table stack_sysctls[] = {
    {"stack_tracer_enabled", &stack_tracer_enabled, set_stack_tracer},
};

static bool stack_at_boot;
static char *boot_stack_filter;

static int set_boot_stack(char *value)
{
    (void)value;
    stack_at_boot = true;
    return 0;
}
__setup("stacktrace", set_boot_stack);

static int set_boot_stack_filter(char *value)
{
    stack_at_boot = true;
    boot_stack_filter = value;
    return 0;
}
__setup("stacktrace_filter=", set_boot_stack_filter);

#ifdef CONFIG_DYNAMIC_FTRACE
void trace_stack_forget(unsigned long ip)
{
    ftrace_hash_forget(stack_trace_ops.local_hash.filter_hash, ip);
}

static void apply_boot_filter(void)
{
    char *word;

    while ((word = strsep(&boot_stack_filter, ",")))
        if (ftrace_set_filter(&stack_trace_ops, word, false))
            pr_info("ftrace: no function matches '%s'\n", word);
}

static void create_filter_file(void)
{
    ftrace_ops_init(&stack_trace_ops);
    trace_create_filter_file("stack_trace_filter", &stack_trace_ops.local_hash.filter_hash);
}
#else
static void apply_boot_filter(void) {}
static void create_filter_file(void) {}
#endif

void trace_create_stack_files(void)
{
    tracefs_create_file("stack_max_size", S_IRUGO | S_IWUSR, NULL, NULL, &max_size_fops);
    tracefs_create_file("stack_trace", S_IRUGO, NULL, NULL, &stack_fops);
    create_filter_file();
    register_sysctl("kernel", stack_sysctls, ARRAY_SIZE(stack_sysctls));
}

void trace_start_boot_stack(void)
{
    apply_boot_filter();
    if (stack_at_boot && set_stack_tracer(NULL, 1))
        pr_info("Stack tracer failed to start\n");
}
