/*
 * breakpoint_code.c - code around breakpoints, as harts would fetch it: a part of the family
 * `breakpoint'.
 */
#include "cpu/cluster.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/breakpoints/breakpoint_priv.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/kernel/text_map.h"
#include "load/symbols.h"

/* The farthest that a function's first instructions reach, at which a handler may skip it all. */
enum { ENTRY_BYTES = 16 };

/* A constrained loop of lr and sc has at most 16 instructions (ISA vol. I, 13.3). */
enum { LOOP_BYTES_MAX = 64 };

bool hit_fetch_parcel(struct hart *h, uint64_t va, uint64_t ahead, uint64_t *pa,
                      struct hart_parcel *p)
{
    if (*pa && va % PAGE_BYTES)
        *pa += 2;
    else if (!hart_translate(h, va, ACCESS_FETCH, pa))
        return false;
    return hart_look_ahead(h, *pa, hart_insns(h) + 1 + ahead, p);
}

struct fetched hit_fetch_after(struct hart *h, uint64_t va, uint64_t ahead, uint64_t pa)
{
    struct fetched f = {.va = va, .last_pa = pa};
    unsigned size = 2;

    for (unsigned at = 0; at < size; at += 2) {
        struct hart_parcel p;

        if (!hit_fetch_parcel(h, va + at, ahead, &f.last_pa, &p))
            return (struct fetched){0};
        f.word |= (uint32_t)p.fetched << 8 * at;
        f.memory |= (uint32_t)p.memory << 8 * at;
        if (p.writer_known) {
            f.writer_known = true;
            f.writer = p.who;
        }
        if (!at)
            size = insn_size(p.fetched);
    }
    f.size = size;
    return f;
}

struct fetched hit_fetch(struct hart *h, uint64_t va)
{
    return hit_fetch_after(h, va, 0, 0);
}

bool hit_is_breakpoint(const struct fetched *f)
{
    return f->size && ebreak_size(f->word) == f->size;
}

bool hit_jumps_to(const struct fetched *f, uint64_t pc, uint64_t to)
{
    struct insn i;

    return f->size && insn_decode(f->word, &i) && i.op == OP_jal && !i.rd &&
           pc + (uint64_t)(int64_t)i.imm == to;
}

static bool is_in_module(const struct audit *a, struct hart *h, uint64_t va)
{
    char name[MODULE_NAME_MAX];

    return a->config.symbols && module_name_at(a->config.cluster, h, a->config.symbols, va, name);
}

bool hit_is_in_kernel(const struct audit *a, struct hart *h, uint64_t va)
{
    uint64_t pa;

    return (a->config.text && hart_translate(h, va, ACCESS_FETCH, &pa) &&
            text_map_has(a->config.text, pa, 2)) ||
           (a->config.symbols && symbols_function_at(a->config.symbols, va));
}

bool hit_is_in_code(const struct audit *a, struct hart *h, uint64_t va)
{
    return hit_is_in_kernel(a, h, va) ||
           (a->config.programs && bpf_text_name_at(a->config.programs, va, NULL)) ||
           is_in_module(a, h, va);
}

uint64_t hit_function(const struct audit *a, struct hart *h, uint64_t va)
{
    const struct symbol *s = a->config.symbols ? symbols_function_at(a->config.symbols, va) : NULL;
    struct module_function function;

    if (s)
        return s->addr;
    return a->config.symbols &&
                   module_function_at(a->config.cluster, h, a->config.symbols, va, &function)
               ? function.va
               : 0;
}

bool hit_is_at_entry(const struct audit *a, struct hart *h, const struct hit *d)
{
    uint64_t start = hit_function(a, h, d->pc);

    return start && d->pc - start <= ENTRY_BYTES;
}

bool hit_is_on_purpose(const struct audit *a, struct hart *h, const struct hit *d, uint64_t pc)
{
    if (hit_function(a, h, pc) == pc)
        return pc != d->pc + insn_size((uint16_t)d->word);
    return hit_is_at_entry(a, h, d) && (pc == d->regs[REG_RA] || pc == hart_reg(h, REG_RA));
}

bool hit_is_of_system(const struct insn *i)
{
    return i->op == OP_fence_i || (i->size == 4 && (i->word & 0x7f) == 0x73);
}

static bool is_lr(const struct insn *i)
{
    return i->op == OP_lr_w || i->op == OP_lr_d;
}

static bool is_sc(const struct insn *i)
{
    return i->op == OP_sc_w || i->op == OP_sc_d;
}

bool hit_is_in_loop(const struct audit *a, struct hart *h, const struct hit *d,
                    const struct insn *replaced)
{
    uint64_t at = hit_function(a, h, d->pc), lr = 0;

    if (is_lr(replaced) || is_sc(replaced))
        return true;
    if (!at)
        return false;
    while (at < d->pc || (lr && at < lr + LOOP_BYTES_MAX)) {
        struct fetched f = hit_fetch(h, at);
        struct insn i;

        if (!f.size)
            return false;
        if (insn_decode(f.word, &i) && is_lr(&i))
            lr = at < d->pc ? at : 0;
        if (insn_decode(f.word, &i) && is_sc(&i)) {
            if (at > d->pc)
                return lr != 0;
            lr = 0;
        }
        at += f.size;
    }
    return false;
}
