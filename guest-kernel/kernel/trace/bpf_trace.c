/*
 * bpf_trace.c - programs at events: running them, and helpers of tracing.
 *
 * Not instrumented.
 */
#include "../bpf/bpf_internal.h"
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#define CREATE_TRACE_POINTS
#include <trace/events/bpf_trace.h>
#undef CREATE_TRACE_POINTS

extern const struct bpf_raw_event_map __start__bpf_raw_tp[], __stop__bpf_raw_tp[];
extern struct static_key bpf_stats_enabled_key;

/* Of each hart: programs that run there, innermost last. */
static struct {
    int disabled;        /* a map's lock may be held */
    unsigned long start; /* where the stack of the program's event begins */
    const struct pt_regs *regs;
} running[NR_CPUS];

void bpf_disable_programs(void)
{
    running[raw_smp_processor_id()].disabled++;
    barrier();
}

void bpf_enable_programs(void)
{
    barrier();
    running[raw_smp_processor_id()].disabled--;
}

unsigned long bpf_stack_start(void)
{
    return running[raw_smp_processor_id()].start;
}

const struct pt_regs *bpf_program_regs(void)
{
    return running[raw_smp_processor_id()].regs;
}

/* With run counts, if they are on. */
static u64 run(struct bpf_prog *prog, const void *ctx)
{
    struct bpf_prog_stats *stats;
    u64 begin, ret;

    if (!static_key_false(&bpf_stats_enabled_key))
        return bpf_prog_run_insns(prog, ctx);
    stats = &prog->stats[raw_smp_processor_id()];
    begin = sched_clock();
    ret = bpf_prog_run_insns(prog, ctx);
    stats->cnt++;
    stats->nsecs += sched_clock() - begin;
    return ret;
}

/* A program does not run inside of itself. */
void bpf_trace_run(struct bpf_prog *prog, const u64 *args)
{
    unsigned int cpu = raw_smp_processor_id();
    struct bpf_prog_stats *stats = &prog->stats[cpu];
    unsigned long outer = running[cpu].start;

    if (__atomic_fetch_add(&stats->active, 1, __ATOMIC_RELAXED)) {
        stats->misses++;
    } else {
        running[cpu].start = (unsigned long)__builtin_return_address(0);
        run(prog, args);
        running[cpu].start = outer;
    }
    __atomic_fetch_sub(&stats->active, 1, __ATOMIC_RELAXED);
}

const struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name)
{
    const struct bpf_raw_event_map *btp;

    for (btp = __start__bpf_raw_tp; btp < __stop__bpf_raw_tp; btp++)
        if (!strcmp(btp->tp->name, name))
            return btp;
    return NULL;
}

int bpf_probe_register(const struct bpf_raw_event_map *btp, struct bpf_prog *prog)
{
    return tracepoint_probe_register(btp->tp, btp->bpf_func, prog);
}

void bpf_probe_unregister(const struct bpf_raw_event_map *btp, struct bpf_prog *prog)
{
    tracepoint_probe_unregister(btp->tp, btp->bpf_func, prog);
    tracepoint_synchronize_unregister();
}

/* ---- bpf_trace_printk() ---- */

enum { PRINTK_MAX = 1024 };

/* One message at a time on all harts, as in Linux. */
static spinlock_t printk_lock;
static char printk_text[PRINTK_MAX], printk_string[128];

unsigned long __asm_copy_from_user(void *to, const void __user *from, unsigned long n);

/* A string of the kernel that a program points to; it may be anywhere. */
static const char *read_string(u64 addr, bool user)
{
    u32 n;

    (void)user;
    for (n = 0; n < sizeof(printk_string) - 1; n++) {
        if (__asm_copy_from_user(&printk_string[n], (const void __user *)(unsigned long)(addr + n),
                                 1))
            break;
        if (!printk_string[n])
            break;
    }
    printk_string[n] = 0;
    return printk_string;
}

/*
 * The text of a message; -EINVAL: a format that is not supported. A format has at most three of %d
 * %i %u %x %X %c %p %s, with flags, width, l or ll.
 */
static int format_message(const char *fmt, u32 size, const u64 *args)
{
    char spec[24];
    u32 out = 0, arg = 0, i;

    if (strnlen(fmt, size) == size)
        return -EINVAL;
    for (i = 0; fmt[i] && out < PRINTK_MAX - 1; i++) {
        u32 n = 0, longs = 0;

        if ((signed char)fmt[i] < 0)
            return -EINVAL;
        if (fmt[i] != '%') {
            printk_text[out++] = fmt[i];
            continue;
        }
        if (fmt[i + 1] == '%') {
            printk_text[out++] = fmt[++i];
            continue;
        }
        spec[n++] = '%';
        for (i++; fmt[i] && n < 8 && strchr("0123456789-+ #", fmt[i]); i++)
            spec[n++] = fmt[i];
        for (; fmt[i] == 'l'; i++)
            longs++;
        if (longs > 2 || arg >= 3 || !fmt[i] || !strchr("diuxXcps", fmt[i]))
            return -EINVAL;
        if (strchr("diuxX", fmt[i]) && longs)
            spec[n++] = 'l';
        /* Linux accepts the first words of extensions of %p; here there are %ps and %px. */
        if (fmt[i] == 'p' && (fmt[i + 1] == 'k' || fmt[i + 1] == 'u') && fmt[i + 2] == 's') {
            spec[n++] = 's';
            i += 2;
        } else {
            spec[n++] = fmt[i];
        }
        if (fmt[i] == 'p' && (fmt[i + 1] == 's' || fmt[i + 1] == 'S' || fmt[i + 1] == 'B'))
            spec[n++] = fmt[++i];
        spec[n] = 0;
        if (spec[n - 1] == 's' && (n < 2 || spec[n - 2] != 'p'))
            out +=
                scnprintf(printk_text + out, PRINTK_MAX - out, spec, read_string(args[arg], false));
        else if (strchr("diuxXc", fmt[i]) && !longs)
            out += scnprintf(printk_text + out, PRINTK_MAX - out, spec, (u32)args[arg]);
        else
            out += scnprintf(printk_text + out, PRINTK_MAX - out, spec, (unsigned long)args[arg]);
        arg++;
    }
    printk_text[out] = 0;
    return out;
}

u64 bpf_trace_printk(u64 fmt, u64 fmt_size, u64 a, u64 b, u64 c)
{
    const u64 args[] = {a, b, c};
    unsigned long flags = bpf_lock(&printk_lock);
    int ret = format_message((const char *)(unsigned long)fmt, fmt_size, args);

    if (ret >= 0) {
        if (ret && printk_text[ret - 1] == '\n')
            printk_text[ret - 1] = 0;
        trace_bpf_trace_printk(printk_text);
    }
    bpf_unlock(&printk_lock, flags);
    return ret;
}

void bpf_trace_printk_enable(void)
{
    trace_set_clr_event("bpf_trace", "bpf_trace_printk", 1);
}

/* ---- maps of events ---- */

static struct bpf_map *perf_event_array_alloc(const union bpf_attr *attr)
{
    struct bpf_map *map;

    if (attr->key_size != 4 || attr->value_size != 4 || !attr->max_entries ||
        attr->map_flags & ~(BPF_F_NUMA_NODE | BPF_F_RDONLY | BPF_F_WRONLY))
        return ERR_PTR(-EINVAL);
    map = bpf_map_area_alloc(sizeof(*map));
    if (!map)
        return ERR_PTR(-ENOMEM);
    bpf_map_init(map, attr, &perf_event_array_map_ops);
    return map;
}

static void perf_event_array_free(struct bpf_map *map)
{
    bpf_map_area_free(map);
}

static void *perf_event_array_lookup(struct bpf_map *map, const void *key)
{
    (void)map;
    (void)key;
    return ERR_PTR(-ENOTSUPP);
}

static int perf_event_array_update(struct bpf_map *map, const void *key, const void *value,
                                   u64 flags)
{
    (void)map;
    (void)key;
    (void)value;
    (void)flags;
    return -EINVAL;
}

static int perf_event_array_remove(struct bpf_map *map, const void *key)
{
    (void)map;
    (void)key;
    return -EINVAL;
}

static int perf_event_array_next_key(struct bpf_map *map, const void *key, void *next)
{
    u32 index = key ? *(const u32 *)key : ~0u;

    if (index != ~0u && index + 1 >= map->max_entries)
        return -ENOENT;
    *(u32 *)next = index + 1;
    return 0;
}

static int perf_event_array_update_fd(struct bpf_map *map, struct file *map_file, const void *key,
                                      int fd, u64 flags)
{
    (void)map_file;
    if (flags)
        return -EINVAL;
    if (*(const u32 *)key >= map->max_entries)
        return -E2BIG;
    return fd < 0 ? -ENOENT : -EBADF;
}

const struct bpf_map_ops perf_event_array_map_ops = {
    .alloc = perf_event_array_alloc,
    .free = perf_event_array_free,
    .lookup = perf_event_array_lookup,
    .update = perf_event_array_update,
    .remove = perf_event_array_remove,
    .get_next_key = perf_event_array_next_key,
    .update_fd = perf_event_array_update_fd,
};

u64 bpf_perf_event_output(u64 ctx, u64 map, u64 flags, u64 data, u64 size)
{
    (void)ctx;
    (void)map;
    (void)data;
    (void)size;
    if (flags & ~BPF_F_INDEX_MASK)
        return -EINVAL;
    return -ENOENT;
}
