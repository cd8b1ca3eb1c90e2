/*
 * bpf_trace.c - programs at events: running them, and helpers of tracing.
 *
 * Not instrumented.
 */
#include "../bpf/bpf_internal.h"
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <trace/syscall.h>
#define CREATE_TRACE_POINTS
#include <trace/events/bpf_trace.h>
#undef CREATE_TRACE_POINTS

extern const struct bpf_raw_event_map __start__bpf_raw_tp[], __stop__bpf_raw_tp[];

/* By hart: how deep in programs it is; also while the lock of a map may be held. */
static int disabled[NR_CPUS];

void bpf_disable_programs(void)
{
    disabled[raw_smp_processor_id()]++;
    barrier();
}

void bpf_enable_programs(void)
{
    barrier();
    disabled[raw_smp_processor_id()]--;
}

/* A program does not run inside of itself. */
void bpf_trace_run(struct bpf_prog *prog, const u64 *args)
{
    u32 *active = &prog->active[raw_smp_processor_id()];

    if (!__atomic_fetch_add(active, 1, __ATOMIC_RELAXED))
        bpf_prog_run(prog, args);
    __atomic_fetch_sub(active, 1, __ATOMIC_RELAXED);
}
EXPORT_SYMBOL_GPL(bpf_trace_run);

/* Among events of the kernel or a module. */
static const struct bpf_raw_event_map *find_raw_event(const struct bpf_raw_event_map *from,
                                                      const struct bpf_raw_event_map *end,
                                                      const char *name)
{
    for (; from < end; from++)
        if (!strcmp(from->tp->name, name))
            return from;
    return NULL;
}

struct raw_event_search {
    const char *name;
    const struct bpf_raw_event_map *found; /* its module is referenced */
};

static void search_module(const struct module *mod, void *data)
{
    struct raw_event_search *s = data;
    const struct bpf_raw_event_map *btp;

    if (s->found)
        return;
    btp =
        find_raw_event(mod->bpf_raw_events, mod->bpf_raw_events + mod->num_bpf_raw_events, s->name);
    if (btp && try_module_get((struct module *)mod))
        s->found = btp;
}

const struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name)
{
    struct raw_event_search s = {
        .name = name, .found = find_raw_event(__start__bpf_raw_tp, __stop__bpf_raw_tp, name)};

    if (!s.found)
        for_each_module(search_module, &s);
    return s.found;
}

void bpf_put_raw_tracepoint(const struct bpf_raw_event_map *btp)
{
    unsigned long flags;
    struct module *mod;

    raw_local_irq_save(flags);
    mod = __module_address((unsigned long)btp);
    raw_local_irq_restore(flags);
    if (mod)
        module_put(mod); /* the caller's reference has kept it */
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
static int printk_cpu = -1; /* the hart that has the lock */
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

/* A program at the event bpf_trace_printk itself has no other text. */
u64 bpf_trace_printk(u64 fmt, u64 fmt_size, u64 a, u64 b, u64 c)
{
    const u64 args[] = {a, b, c};
    int cpu = raw_smp_processor_id(), ret;
    unsigned long flags;

    if (READ_ONCE(printk_cpu) == cpu)
        return -EBUSY;
    flags = bpf_lock(&printk_lock);
    WRITE_ONCE(printk_cpu, cpu);
    ret = format_message((const char *)(unsigned long)fmt, fmt_size, args);
    if (ret >= 0) {
        if (ret && printk_text[ret - 1] == '\n')
            printk_text[ret - 1] = 0;
        trace_bpf_trace_printk(printk_text);
    }
    WRITE_ONCE(printk_cpu, -1);
    bpf_unlock(&printk_lock, flags);
    return ret;
}

void bpf_trace_printk_enable(void)
{
    trace_set_clr_event("bpf_trace", "bpf_trace_printk", 1);
}

/* ---- programs at events of perf ---- */

/* The programs of an event; replaced as a whole under bpf_event_mutex. */
struct bpf_prog_array {
    u32 nr;
    struct bpf_prog *progs[];
};

static DEFINE_MUTEX(bpf_event_mutex);

unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx)
{
    const struct bpf_prog_array *array = rcu_dereference(call->prog_array);
    int *depth = &disabled[raw_smp_processor_id()];
    unsigned int ret = 1, i;

    /* Inside of another program, or while a map may be locked, none runs. */
    if ((*depth)++ || !array) {
        (*depth)--;
        return 0;
    }
    barrier();
    for (i = 0; i < array->nr; i++)
        ret &= bpf_prog_run(array->progs[i], ctx);
    bpf_enable_programs();
    return ret;
}

/* The bytes of an entry that its fields take. */
static u32 entry_size(struct trace_event_call *call)
{
    const struct ftrace_event_field *field;
    u32 size = 0;

    list_for_each_entry(field, trace_get_fields(call), link) {
        size = max(size, (u32)(field->offset + field->size));
    }
    return size;
}

static bool is_syscall_event(const struct trace_event_call *call)
{
    return call->class == &event_class_syscall_enter || call->class == &event_class_syscall_exit;
}

/* Words of what a program of a system call's event gets: registers, number, arguments or result. */
static u32 syscall_entry_size(const struct trace_event_call *call)
{
    const struct syscall_metadata *meta = call->data;

    return 16 + 8 * (call->class == &event_class_syscall_enter ? meta->nb_args : 1);
}

static int check_prog(struct trace_event_call *call, const struct bpf_prog *prog)
{
    bool kprobe = call->flags & TRACE_EVENT_FL_KPROBE, syscall = is_syscall_event(call);
    bool tracepoint = call->flags & TRACE_EVENT_FL_TRACEPOINT;
    u32 size;

    if (!kprobe && !tracepoint && !syscall)
        return -EINVAL;
    if (prog->type != (kprobe ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT))
        return -EINVAL;
    if (kprobe)
        return 0;
    size = syscall ? syscall_entry_size(call) : entry_size(call);
    return prog->max_ctx_offset > size ? -EACCES : 0;
}

static struct bpf_prog_array *new_array(u32 nr)
{
    struct bpf_prog_array *array = kzalloc(sizeof(*array) + nr * sizeof(array->progs[0]));

    if (array)
        array->nr = nr;
    return array;
}

static void replace_array(struct trace_event_call *call, struct bpf_prog_array *array)
{
    struct bpf_prog_array *old = call->prog_array;

    rcu_assign_pointer(call->prog_array, array);
    synchronize_rcu();
    kfree(old);
}

/* bpf_event_mutex is held. */
static int attach(struct perf_event *event, struct bpf_prog *prog)
{
    struct trace_event_call *call = event->tp_event;
    const struct bpf_prog_array *old = call->prog_array;
    u32 nr = old ? old->nr : 0, i;
    struct bpf_prog_array *array;

    if (event->prog)
        return -EEXIST;
    if (nr >= BPF_TRACE_MAX_PROGS)
        return -E2BIG;
    for (i = 0; i < nr; i++)
        if (old->progs[i] == prog)
            return -EEXIST;
    array = new_array(nr + 1);
    if (!array)
        return -ENOMEM;
    for (i = 0; i < nr; i++)
        array->progs[i] = old->progs[i];
    array->progs[nr] = prog;
    event->prog = prog;
    replace_array(call, array);
    return 0;
}

/* Without memory for a shorter array the last program takes the place of the one that leaves. */
static void detach(struct perf_event *event)
{
    struct trace_event_call *call = event->tp_event;
    struct bpf_prog_array *old = call->prog_array, *array = NULL;
    u32 nr = old->nr - 1, i, n = 0;

    if (nr) {
        array = new_array(nr);
        for (i = 0; array && i <= nr; i++)
            if (old->progs[i] != event->prog)
                array->progs[n++] = old->progs[i];
    }
    if (nr && !array) {
        for (i = 0; i < nr; i++)
            if (old->progs[i] == event->prog)
                WRITE_ONCE(old->progs[i], old->progs[nr]);
        WRITE_ONCE(old->nr, nr);
        synchronize_rcu();
    } else {
        replace_array(call, array);
    }
}

/* A sample: the program decides whether it is recorded. */
static void bpf_overflow_handler(struct perf_event *event, struct perf_sample_data *data,
                                 struct pt_regs *regs)
{
    struct bpf_perf_event_data ctx;
    u64 ret = 0;

    if (!disabled[raw_smp_processor_id()]++) {
        memcpy(ctx.regs, regs, sizeof(ctx.regs));
        ctx.sample_period = data->period;
        ctx.addr = data->addr;
        ret = bpf_prog_run(event->prog, &ctx);
    }
    bpf_enable_programs();
    if (ret)
        perf_event_output(event, data, regs);
}

static int set_handler(struct perf_event *event, struct bpf_prog *prog)
{
    if (prog->type != BPF_PROG_TYPE_PERF_EVENT)
        return -EINVAL;
    if (event->prog)
        return -EEXIST;
    event->prog = prog;
    smp_store_release(&event->overflow_handler, bpf_overflow_handler);
    return 0;
}

int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog)
{
    int err = event->tp_event ? check_prog(event->tp_event, prog) : 0;

    if (err)
        return err;
    mutex_lock(&bpf_event_mutex);
    err = event->tp_event ? attach(event, prog) : set_handler(event, prog);
    mutex_unlock(&bpf_event_mutex);
    return err;
}

void perf_event_inherit_bpf_prog(struct perf_event *event)
{
    const struct perf_event *parent = event->parent;

    mutex_lock(&bpf_event_mutex);
    if (parent->prog && !parent->tp_event) {
        bpf_prog_inc(parent->prog);
        event->prog = parent->prog;
        event->overflow_handler = bpf_overflow_handler;
    }
    mutex_unlock(&bpf_event_mutex);
}

void perf_event_free_bpf_prog(struct perf_event *event)
{
    struct bpf_prog *prog;

    mutex_lock(&bpf_event_mutex);
    prog = event->prog;
    if (prog && event->tp_event) {
        detach(event);
    } else if (prog) {
        smp_store_release(&event->overflow_handler, perf_event_output);
        synchronize_rcu();
    }
    event->prog = NULL;
    mutex_unlock(&bpf_event_mutex);
    if (prog)
        bpf_prog_put(prog);
}

/* ---- maps of events ---- */

struct event_array {
    struct bpf_map map;
    struct event_entry {
        struct file *event, *map; /* the event, referenced; the file by which it was stored */
    } entry[];
};

static struct event_array *event_array_of(struct bpf_map *map)
{
    return container_of(map, struct event_array, map);
}

static struct bpf_map *perf_event_array_alloc(const union bpf_attr *attr)
{
    struct event_array *array;

    if (attr->key_size != 4 || attr->value_size != 4 || !attr->max_entries || attr->map_flags)
        return ERR_PTR(-EINVAL);
    array = bpf_map_area_alloc(sizeof(*array) + (u64)attr->max_entries * sizeof(array->entry[0]));
    if (!array)
        return ERR_PTR(-ENOMEM);
    bpf_map_init(&array->map, attr, &perf_event_array_map_ops);
    return &array->map;
}

/* Returns the file that was there, for fput() after a grace period. */
static struct file *replace_event(struct event_array *array, u32 index, struct file *event,
                                  struct file *map_file)
{
    struct file *old;

    mutex_lock(&bpf_event_mutex);
    old = array->entry[index].event;
    array->entry[index].map = map_file;
    rcu_assign_pointer(array->entry[index].event, event);
    mutex_unlock(&bpf_event_mutex);
    return old;
}

static void put_event(struct file *event)
{
    if (!event)
        return;
    synchronize_rcu();
    fput(event);
}

/* NULL: all. */
static void forget_events(struct event_array *array, const struct file *map_file)
{
    u32 i;

    for (i = 0; i < array->map.max_entries; i++)
        if (array->entry[i].event && (!map_file || array->entry[i].map == map_file))
            put_event(replace_event(array, i, NULL, NULL));
}

static void perf_event_array_free(struct bpf_map *map)
{
    forget_events(event_array_of(map), NULL);
    bpf_map_area_free(event_array_of(map));
}

static void perf_event_array_release(struct bpf_map *map, struct file *map_file)
{
    forget_events(event_array_of(map), map_file);
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

static int perf_event_array_update_fd(struct bpf_map *map, struct file *map_file, const void *key,
                                      int fd, u64 flags)
{
    u32 index = *(const u32 *)key;
    struct file *event;

    if (flags)
        return -EINVAL;
    if (index >= map->max_entries)
        return -E2BIG;
    event = perf_event_get(fd);
    if (IS_ERR(event))
        return PTR_ERR(event);
    put_event(replace_event(event_array_of(map), index, event, map_file));
    return 0;
}

static int perf_event_array_remove_fd(struct bpf_map *map, const void *key)
{
    u32 index = *(const u32 *)key;
    struct file *old;

    if (index >= map->max_entries)
        return -E2BIG;
    old = replace_event(event_array_of(map), index, NULL, NULL);
    put_event(old);
    return old ? 0 : -ENOENT;
}

const struct bpf_map_ops perf_event_array_map_ops = {
    .alloc = perf_event_array_alloc,
    .free = perf_event_array_free,
    .lookup = perf_event_array_lookup,
    .update = perf_event_array_update,
    .remove = array_remove,
    .get_next_key = array_get_next_key,
    .update_fd = perf_event_array_update_fd,
    .remove_fd = perf_event_array_remove_fd,
    .release = perf_event_array_release,
};

/* The sample has no registers of interest: the program's event has told what there is. */
u64 bpf_perf_event_output(u64 ctx, u64 map, u64 flags, u64 data, u64 size)
{
    static struct pt_regs no_regs[NR_CPUS];
    struct event_array *array = event_array_of((struct bpf_map *)(unsigned long)map);
    u32 cpu = raw_smp_processor_id(), index = flags & BPF_F_INDEX_MASK;
    struct perf_sample_data sample;
    struct perf_event *event;
    struct file *file;

    (void)ctx;
    if (flags & ~BPF_F_INDEX_MASK)
        return -EINVAL;
    if (index == (u32)BPF_F_CURRENT_CPU)
        index = cpu;
    if (index >= array->map.max_entries)
        return -E2BIG;
    file = rcu_dereference(array->entry[index].event);
    if (!file)
        return -ENOENT;
    event = perf_event_of(file);
    if (event->attr.type != PERF_TYPE_SOFTWARE || event->attr.config != PERF_COUNT_SW_BPF_OUTPUT)
        return -EINVAL;
    if (READ_ONCE(event->oncpu) != (int)cpu)
        return -EOPNOTSUPP;
    if (size > 4096)
        return -E2BIG;
    perf_sample_data_init(&sample, 0, 0);
    sample.raw = (const void *)(unsigned long)data;
    sample.raw_size = size;
    perf_event_output(event, &sample, &no_regs[cpu]);
    return 0;
}
