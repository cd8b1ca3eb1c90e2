/*
 * host.c - the guest kernel's verifier and interpreter of BPF, on the host: maps, helpers, and the
 * checks of each step and each access to memory of a program that was accepted.
 *
 * A step is right if the registers, and what the program has kept on its stack, are as the verifier
 * has described them before that instruction.
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

/* ---- memory of the kernel ---- */

void *__kmalloc(size_t size, gfp_t flags)
{
    return flags & __GFP_ZERO ? calloc(1, size) : malloc(size);
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

/* ---- maps ---- */

enum { VALUE_SIZE = 64 };

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
};

struct bpf_map *bpf_map_get(u32 fd)
{
    if (fd < HOST_MAP_FD || fd >= HOST_MAP_FD + ARRAY_SIZE(maps))
        return ERR_PTR(-EBADF);
    return &maps[fd - HOST_MAP_FD];
}

void bpf_map_put(struct bpf_map *map)
{
    (void)map;
}

/* ---- what a program may access ---- */

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
    if (within(addr, size, stack_start, MAX_BPF_STACK) ||
        within(addr, size, (unsigned long)array_value, VALUE_SIZE) ||
        within(addr, size, (unsigned long)hash_value, VALUE_SIZE))
        return true;
    if (!write && within(addr, size, (unsigned long)host_ctx, sizeof(host_ctx)))
        return true;
    fail("an access to memory that the program has not");
    return false;
}

/* False: the interpreter must not do it. */
bool bpf_check_mem(u64 addr, int size, bool write)
{
    return host_check_mem(addr, size, write);
}

/* ---- what the verifier has said ---- */

static struct note {
    bool there;
    struct bpf_verifier_state state;
} notes[HOST_MAX_INSNS];
static const struct bpf_insn *first_insn;

void bpf_check_note(u32 insn_idx, const struct bpf_verifier_state *state)
{
    notes[insn_idx].there = true;
    notes[insn_idx].state = *state;
}

static bool is_in_value(const struct bpf_reg_state *r, u64 value)
{
    u64 start = (unsigned long)(r->map == &maps[0] ? array_value : hash_value) + r->off;

    return value - start >= r->umin && value - start <= r->umax;
}

/* Whether the description is right. */
static bool describes(const struct bpf_reg_state *r, u64 value)
{
    switch (r->type) {
    case SCALAR_VALUE:
        return value >= r->umin && value <= r->umax && !(value & ((1ull << r->zeros) - 1));
    case PTR_TO_CTX: return value == (unsigned long)host_ctx;
    case PTR_TO_STACK: return value == stack_start + MAX_BPF_STACK + r->off;
    case CONST_PTR_TO_MAP: return value == (unsigned long)r->map;
    case PTR_TO_MAP_VALUE: return is_in_value(r, value);
    case PTR_TO_MAP_VALUE_OR_NULL: return !value || is_in_value(r, value);
    default: return true; /* nothing is said */
    }
}

static bool describes_all(const struct bpf_verifier_state *state, const u64 *regs)
{
    const u64 *top = (const u64 *)(unsigned long)(stack_start + MAX_BPF_STACK);
    unsigned int i;

    for (i = 0; i < MAX_BPF_REG; i++)
        if (!describes(&state->regs[i], regs[i]))
            return false;
    for (i = 0; i < BPF_STACK_SLOTS; i++)
        if (state->slots[i].spilled && !describes(&state->slots[i].reg, top[-(long)i - 1]))
            return false;
    return true;
}

/* Before each instruction. False: stop. */
bool bpf_check_step(const struct bpf_insn *insn, const u64 *regs)
{
    long idx = insn - first_insn;

    if (++steps > HOST_MAX_INSNS)
        fail("it does not end");
    else if (idx < 0 || idx >= HOST_MAX_INSNS || !notes[idx].there)
        fail("an instruction that the verifier has not followed");
    else if (!describes_all(&notes[idx].state, regs))
        fail("a register or part of the stack is not what the verifier has said");
    return !fault;
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

HELPER(print_text)
{
    host_check_mem(r1, r2, false);
    return 0;
}

bpf_func_t bpf_helper_funcs[__BPF_FUNC_MAX_ID] = {
    [BPF_FUNC_map_lookup_elem] = map_lookup_elem, [BPF_FUNC_map_update_elem] = map_update_elem,
    [BPF_FUNC_map_delete_elem] = map_delete_elem, [BPF_FUNC_probe_read_kernel] = fill,
    [BPF_FUNC_probe_read_kernel_str] = fill_str,  [BPF_FUNC_ktime_get_ns] = number,
    [BPF_FUNC_get_prandom_u32] = number,          [BPF_FUNC_get_smp_processor_id] = number,
    [BPF_FUNC_get_current_pid_tgid] = number,     [BPF_FUNC_get_current_uid_gid] = number,
    [BPF_FUNC_get_current_comm] = fill,           [BPF_FUNC_get_current_task] = number,
    [BPF_FUNC_trace_printk] = print_text,         [BPF_FUNC_perf_event_output] = number,
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

int host_load(struct host_prog *p, const struct bpf_insn *insns, unsigned int len, char *text,
              size_t size)
{
    struct text_log t = {.log = {.write = write_text}, .text = text, .size = size};

    memset(&p->prog, 0, sizeof(p->prog));
    p->prog.type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    p->prog.len = len;
    p->prog.gpl_compatible = true;
    p->prog.insns = p->insns;
    memcpy(p->insns, insns, len * sizeof(*insns));
    memset(notes, 0, sizeof(notes));
    first_insn = p->insns;
    if (text)
        text[0] = 0;
    return bpf_check(&p->prog, text ? &t.log : NULL);
}

const char *host_run(const struct host_prog *p, const u64 *ctx, u64 *result)
{
    memcpy(host_ctx, ctx, sizeof(host_ctx));
    fault = NULL;
    steps = 0;
    hash_has = random_bits() & 1;
    *result = bpf_prog_run_insns(&p->prog, host_ctx);
    return fault;
}
