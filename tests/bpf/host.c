/*
 * host.c - the guest kernel's verifier and interpreter of BPF, on the host: maps, helpers, and the
 * checks of each step and each access to memory of a program that was accepted.
 *
 * A step is right if the verifier has followed that instruction, and, if it has compared all
 * numbers, in a state that contains the registers.
 */
#include "host.h"
#include "../../guest/user/bpf_numbers.h"
#include <linux/bpf_verifier.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void free(void *p);
int printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

u32 bpf_check_limit = BPF_COMPLEXITY_LIMIT;
bool bpf_check_exact;

/* ---- memory of the kernel ---- */

void *kmalloc(size_t size)
{
    return malloc(size);
}

void *kzalloc(size_t size)
{
    return calloc(1, size);
}

void kfree(const void *p)
{
    free((void *)p);
}

void *vmalloc(size_t size)
{
    return malloc(size);
}

void vfree(const void *p)
{
    free((void *)p);
}

int bpf_verifier_pause(void)
{
    return 0;
}

/* ---- maps ---- */

enum { VALUE_SIZE = 64, RING_RECORDS = 32 };

static u64 array_value[VALUE_SIZE / 8], hash_value[VALUE_SIZE / 8];
static bool hash_has;

static void *array_lookup(struct bpf_map *map, const void *key)
{
    (void)map;
    host_check_mem((unsigned long)key, 4, false);
    return *(const u32 *)key == 0 ? array_value : NULL;
}

static void *hash_lookup(struct bpf_map *map, const void *key)
{
    (void)map;
    host_check_mem((unsigned long)key, 8, false);
    return hash_has ? hash_value : NULL;
}

static int array_direct(const struct bpf_map *map, u64 *addr, u32 off)
{
    (void)map;
    *addr = (unsigned long)array_value;
    return off < VALUE_SIZE ? 0 : -EINVAL;
}

static const struct bpf_map_ops array_ops = {.lookup = array_lookup,
                                             .direct_value_addr = array_direct};
static const struct bpf_map_ops hash_ops = {.lookup = hash_lookup};
static const struct bpf_map_ops ring_ops = {.lookup = NULL};

static struct bpf_map maps[] = {
    {.ops = &array_ops,
     .map_type = BPF_MAP_TYPE_ARRAY,
     .key_size = 4,
     .value_size = VALUE_SIZE,
     .max_entries = 1},
    {.ops = &hash_ops,
     .map_type = BPF_MAP_TYPE_HASH,
     .key_size = 8,
     .value_size = VALUE_SIZE,
     .max_entries = 4},
    {.ops = &ring_ops, .map_type = BPF_MAP_TYPE_RINGBUF, .max_entries = 4096},
};

struct bpf_map *bpf_map_get(u32 fd)
{
    if (fd < HOST_MAP_FD || fd >= HOST_MAP_FD + ARRAY_SIZE(maps))
        return ERR_PTR(-EBADF);
    return &maps[fd - HOST_MAP_FD];
}

const struct bpf_prog *bpf_tail_call(u64 map, u64 index, u32 *count)
{
    (void)map;
    (void)index;
    (void)count;
    return NULL;
}

void bpf_map_put(struct bpf_map *map)
{
    (void)map;
}

/* ---- what a program may access ---- */

static struct {
    void *start;
    u64 size;
} record[RING_RECORDS];
static u64 host_ctx[MAX_BPF_FUNC_ARGS];
static u64 stack_start;
static const char *fault;
static u64 steps;

static void fail(const char *why)
{
    if (!fault)
        fault = why;
}

void bpf_check_stack(void *stack)
{
    stack_start = (unsigned long)stack;
}

static bool within(u64 addr, u64 size, u64 start, u64 len)
{
    return addr >= start && addr - start <= len && size <= len - (addr - start);
}

bool host_check_mem(u64 addr, u64 size, bool write)
{
    unsigned int i;

    if (within(addr, size, stack_start, MAX_BPF_STACK) ||
        within(addr, size, (unsigned long)array_value, VALUE_SIZE) ||
        within(addr, size, (unsigned long)hash_value, VALUE_SIZE))
        return true;
    if (!write && within(addr, size, (unsigned long)host_ctx, sizeof(host_ctx)))
        return true;
    for (i = 0; i < RING_RECORDS; i++)
        if (record[i].start && within(addr, size, (unsigned long)record[i].start, record[i].size))
            return true;
    fail("an access to memory that the program has not");
    return false;
}

/* False: the interpreter must not do it. */
bool bpf_check_mem(u64 addr, int size, bool write)
{
    return host_check_mem(addr, size, write);
}

/* ---- states of the verifier ---- */

enum { MAX_INSNS = 256, MAX_NOTES = 24 };

static struct note {
    struct bpf_reg_state regs[MAX_BPF_REG];
    u16 live;
} notes[MAX_INSNS][MAX_NOTES];
static unsigned int nr_notes[MAX_INSNS]; /* MAX_NOTES + 1: too many */
static const struct bpf_insn *first_insn;

void bpf_check_note(int insn_idx, const struct bpf_reg_state *regs, u16 live)
{
    struct note *n;

    if (insn_idx >= MAX_INSNS || nr_notes[insn_idx] > MAX_NOTES)
        return;
    if (nr_notes[insn_idx] == MAX_NOTES) {
        nr_notes[insn_idx]++;
        return;
    }
    n = &notes[insn_idx][nr_notes[insn_idx]++];
    memcpy(n->regs, regs, sizeof(n->regs));
    n->live = live;
}

static bool in_range(const struct bpf_range *r, u64 value, s64 with_sign)
{
    return value >= r->umin && value <= r->umax && with_sign >= r->smin && with_sign <= r->smax;
}

static bool holds(const struct bpf_reg_state *r, u64 value)
{
    return in_range(&r->wide, value, (s64)value) && in_range(&r->low, (u32)value, (s32)value) &&
           !((value ^ r->var_off.value) & ~r->var_off.mask);
}

static bool note_holds(const struct note *n, const u64 *regs)
{
    unsigned int i;

    for (i = 0; i < BPF_REG_FP; i++)
        if (n->live >> i & 1 && n->regs[i].type == SCALAR_VALUE && !holds(&n->regs[i], regs[i]))
            return false;
    return true;
}

/* Before each instruction. False: stop. */
bool bpf_check_step(const struct bpf_insn *insn, const u64 *regs)
{
    long idx = insn - first_insn;
    unsigned int i;

    if (++steps > 100000000) /* bpf_loop() may do 8 million rounds */
        fail("it does not end");
    if (fault)
        return false;
    if (idx < 0 || idx >= MAX_INSNS) {
        fail("an instruction outside of the program");
        return false;
    }
    if (nr_notes[idx] > MAX_NOTES)
        return true;
    if (!bpf_check_exact && nr_notes[idx])
        return true;
    if (!nr_notes[idx])
        fail("an instruction that the verifier has not followed");
    for (i = 0; i < nr_notes[idx]; i++)
        if (note_holds(&notes[idx][i], regs))
            return true;
    fail("registers that the verifier has not expected");
    return false;
}

/* ---- helpers ---- */

#define HELPER(name)                                                                     \
    static u64 name(u64 r1 __maybe_unused, u64 r2 __maybe_unused, u64 r3 __maybe_unused, \
                    u64 r4 __maybe_unused, u64 r5 __maybe_unused)
#define POINTER(r) ((void *)(unsigned long)(r))

void host_seed(u64 seed)
{
    random_seed(seed);
}

HELPER(map_lookup_elem)
{
    struct bpf_map *map = POINTER(r1);

    return (unsigned long)map->ops->lookup(map, POINTER(r2));
}

HELPER(map_update_elem)
{
    struct bpf_map *map = POINTER(r1);

    host_check_mem(r2, map->key_size, false);
    host_check_mem(r3, map->value_size, false);
    return 0;
}

HELPER(map_delete_elem)
{
    host_check_mem(r2, ((struct bpf_map *)POINTER(r1))->key_size, false);
    return 0;
}

HELPER(fill)
{
    if (host_check_mem(r1, r2, true))
        memset(POINTER(r1), 'b', r2);
    return 0;
}

HELPER(fill_str)
{
    if (host_check_mem(r1, r2, true))
        memset(POINTER(r1), 'b', r2);
    return r2 ? random_bits() % (r2 + 1) : 0;
}

HELPER(number)
{
    return random_number();
}

HELPER(ringbuf_reserve)
{
    unsigned int i;

    for (i = 0; i < RING_RECORDS && r2 <= 4096; i++) {
        if (record[i].start)
            continue;
        record[i].start = malloc(r2 ? r2 : 1);
        record[i].size = r2;
        return (unsigned long)record[i].start;
    }
    return 0;
}

HELPER(ringbuf_release)
{
    unsigned int i;

    for (i = 0; i < RING_RECORDS; i++) {
        if (record[i].start != POINTER(r1))
            continue;
        free(record[i].start);
        record[i].start = NULL;
        return 0;
    }
    fail("a record is released that was not reserved");
    return 0;
}

HELPER(ringbuf_output)
{
    host_check_mem(r2, r3, false);
    return 0;
}

HELPER(print_text)
{
    host_check_mem(r1, r2, false);
    return 0;
}

bpf_func_t bpf_helper_funcs[__BPF_FUNC_MAX_ID] = {
    [BPF_FUNC_map_lookup_elem] = map_lookup_elem,
    [BPF_FUNC_map_update_elem] = map_update_elem,
    [BPF_FUNC_map_delete_elem] = map_delete_elem,
    [BPF_FUNC_probe_read] = fill,
    [BPF_FUNC_probe_read_user] = fill,
    [BPF_FUNC_probe_read_kernel] = fill,
    [BPF_FUNC_probe_read_str] = fill_str,
    [BPF_FUNC_probe_read_user_str] = fill_str,
    [BPF_FUNC_probe_read_kernel_str] = fill_str,
    [BPF_FUNC_ktime_get_ns] = number,
    [BPF_FUNC_ktime_get_boot_ns] = number,
    [BPF_FUNC_jiffies64] = number,
    [BPF_FUNC_get_prandom_u32] = number,
    [BPF_FUNC_get_smp_processor_id] = number,
    [BPF_FUNC_get_numa_node_id] = number,
    [BPF_FUNC_get_current_pid_tgid] = number,
    [BPF_FUNC_get_current_uid_gid] = number,
    [BPF_FUNC_get_current_comm] = fill,
    [BPF_FUNC_get_current_task] = number,
    [BPF_FUNC_trace_printk] = print_text,
    [BPF_FUNC_perf_event_output] = number,
    [BPF_FUNC_get_stackid] = number,
    [BPF_FUNC_get_stack] = number,
    [BPF_FUNC_ringbuf_output] = ringbuf_output,
    [BPF_FUNC_ringbuf_reserve] = ringbuf_reserve,
    [BPF_FUNC_ringbuf_submit] = ringbuf_release,
    [BPF_FUNC_ringbuf_discard] = ringbuf_release,
    [BPF_FUNC_ringbuf_query] = number,
};

/* ---- one program ---- */

struct text_log {
    struct bpf_verifier_log log;
    char *text;
    size_t size, used;
};

static void write_text(struct bpf_verifier_log *log, const char *text, size_t len)
{
    struct text_log *t = container_of(log, struct text_log, log);
    size_t n = min(len, t->size - 1 - t->used);

    memcpy(t->text + t->used, text, n);
    t->used += n;
    t->text[t->used] = 0;
}

int host_load(struct host_prog *p, const struct bpf_insn *insns, unsigned int len, u32 flags,
              u32 log_level, char *text, size_t size)
{
    struct text_log t = {
        .log = {.level = log_level, .write = write_text}, .text = text, .size = size};
    int err;

    memset(&p->prog, 0, sizeof(p->prog));
    p->prog.type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    p->prog.len = len;
    p->prog.gpl_compatible = true;
    p->prog.prog_flags = flags;
    p->prog.insns = p->insns;
    memcpy(p->insns, insns, len * sizeof(*insns));
    memset(nr_notes, 0, sizeof(nr_notes[0]) * min(len, (unsigned int)MAX_INSNS));
    first_insn = p->insns;
    if (text)
        text[0] = 0;
    err = bpf_check(&p->prog, text ? &t.log : NULL);
    free(p->prog.subprogs);
    return err;
}

const char *host_run(const struct host_prog *p, const u64 *ctx, u64 *result)
{
    unsigned int i;

    memcpy(host_ctx, ctx, sizeof(host_ctx));
    fault = NULL;
    steps = 0;
    hash_has = random_bits() & 1;
    *result = bpf_prog_run_insns(&p->prog, host_ctx);
    for (i = 0; i < RING_RECORDS; i++) {
        if (!record[i].start)
            continue;
        fail("a record was not released");
        free(record[i].start);
        record[i].start = NULL;
    }
    return fault;
}
