/*
 * itrace.c - see itrace.h.
 *
 * An instruction is announced before it is executed (EVENT_INSN); what it has written is read when
 * the next one of any hart is announced, or at a trap. So one instruction at a time is pending, of
 * the hart that runs.
 */
#include "itrace/itrace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/harts.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"
#include "cpu/observer.h"
#include "ftrace/kernel/tasks.h"
#include "itrace/commit_line.h"
#include "load/symbols.h"

enum { DECODED = 1 << 12, CSRS_MAX = 4, BUFFER_BYTES = 1 << 16 };

/* The longest line: that of cbo.zero, which has a store for each byte. */
enum { LINE_MAX_BYTES = COMMIT_HEAD_MAX + (CACHE_BLOCK_BYTES + CSRS_MAX + 4) * COMMIT_ITEM_MAX };

/* CSR numbers that are written with others, or that are views of others. */
enum {
    CSR_FFLAGS = 0x001,
    CSR_FRM = 0x002,
    CSR_FCSR = 0x003,
    CSR_SSTATUS = 0x100,
    CSR_SIE = 0x104,
    CSR_SIP = 0x144,
    CSR_MSTATUS = 0x300,
    CSR_MIE = 0x304,
    CSR_MIP = 0x344,
};

/* What an instruction does to memory. */
enum effect { EFFECT_NONE, EFFECT_LOAD, EFFECT_STORE, EFFECT_SC, EFFECT_AMO, EFFECT_ZERO };

struct decoded {
    struct insn insn;
    enum effect effect;
    unsigned bytes;   /* of the access */
    uint32_t targets; /* integer registers that it writes, a bit each */
    bool legal, writes_float;
};

struct itrace {
    struct itrace_config config;
    const struct decoder *decoder; /* the cluster's */
    struct decoded *decoded;       /* by hash of the word */

    /* The instruction that was announced. */
    struct hart *hart; /* NULL: none */
    const struct decoded *now;
    struct commit_line head;
    uint64_t va;
    uint32_t fcsr;
    struct commit_item csrs[CSRS_MAX];
    unsigned csr_count;

    /* The code of wanted functions of the image, in ascending order, and that of all its functions.
     */
    VEC_OF(struct span) functions;
    struct span named;
    /* Other code, such as that of a module: whether the function that was asked about last is. */
    struct span asked;
    bool asked_wanted;
    /* Whether a hart's task is wanted. */
    struct {
        uint64_t tp;
        bool known, wanted;
    } task[HARTS_MAX];

    size_t used;
    char buffer[BUFFER_BYTES + LINE_MAX_BYTES];
};

/* ---- output ---- */

static void flush(struct itrace *t)
{
    (void)!fwrite(t->buffer, 1, t->used, t->config.out); /* new_file_commit reports a failure */
    t->used = 0;
}

static char *begin_line(struct itrace *t)
{
    if (t->used > BUFFER_BYTES)
        flush(t);
    return t->buffer + t->used;
}

static void end_line(struct itrace *t, char *end)
{
    *end++ = '\n';
    t->used = (size_t)(end - t->buffer);
}

/* ---- decoding ---- */

static enum effect effect_of(const struct insn *i)
{
    switch (op_class(i->op)) {
    case CLASS_LOAD: return EFFECT_LOAD;
    case CLASS_STORE: return EFFECT_STORE;
    case CLASS_CBO: return i->op == OP_cbo_zero ? EFFECT_ZERO : EFFECT_NONE;
    case CLASS_AMO: break;
    default: return EFFECT_NONE;
    }
    switch (i->op) {
    case OP_lr_w:
    case OP_lr_d: return EFFECT_LOAD;
    case OP_sc_w:
    case OP_sc_d: return EFFECT_SC;
    default: return EFFECT_AMO;
    }
}

static const struct decoded *decode(struct itrace *t, uint32_t word)
{
    struct decoded *d = &t->decoded[(word ^ word >> 12 ^ word >> 20) % DECODED];

    if (d->insn.word == word && d->insn.size)
        return d;
    *d = (struct decoded){.legal = false};
    d->legal = decoder_decode(t->decoder, word, &d->insn);
    if (!d->legal)
        return d;
    d->effect = effect_of(&d->insn);
    d->bytes = 1U << (op_info(d->insn.op)->match >> 12 & 3);
    d->targets = op_targets(&d->insn) & ~UINT32_C(1);
    d->writes_float = op_floating(d->insn.op) == FLOATING_FW;
    return d;
}

/* The address of the access, before the instruction, which may change its register. */
static uint64_t address_of(const struct decoded *d, const struct hart *h)
{
    uint64_t base = hart_reg(h, d->insn.rs1);

    if (d->effect == EFFECT_ZERO)
        return base & ~(uint64_t)(CACHE_BLOCK_BYTES - 1);
    if (op_class(d->insn.op) == CLASS_AMO || insn_is_annotated(&d->insn))
        return base;
    return base + (uint64_t)(int64_t)d->insn.imm;
}

/* ---- what was selected ---- */

/* Finds the functions of the image that are wanted. */
static void find_functions(struct itrace *t)
{
    const struct symbols *all = t->config.symbols;

    t->named = (struct span){.from = UINT64_MAX};
    for (size_t i = 0; i < symbols_count(all); i++) {
        const struct symbol *s = symbols_get(all, i);

        if (s->kind != SYMBOL_FUNC || s->end <= s->addr)
            continue;
        t->named.from = s->addr < t->named.from ? s->addr : t->named.from;
        t->named.to = s->end - 1 > t->named.to ? s->end - 1 : t->named.to;
        if (selection_has_function(t->config.selected, s->name))
            VEC_PUSH(&t->functions, ((struct span){s->addr, s->end - 1}));
    }
}

static bool is_wanted_elsewhere(struct itrace *t, uint64_t pc)
{
    uint64_t start, end;

    if (span_has(&t->asked, pc))
        return t->asked_wanted;
    if (!symbols_bounds(t->config.symbols, pc, &start, &end)) {
        start = pc;
        end = pc + 1;
    }
    t->asked = (struct span){start, end - 1};
    t->asked_wanted =
        selection_has_function(t->config.selected, symbols_name_at(t->config.symbols, pc, NULL));
    return t->asked_wanted;
}

static bool is_wanted_function(struct itrace *t, uint64_t pc)
{
    size_t low = 0, high = t->functions.len;

    if (!span_has(&t->named, pc))
        return is_wanted_elsewhere(t, pc);
    while (low < high) { /* the first that ends at pc or later */
        size_t middle = (low + high) / 2;

        if (t->functions.at[middle].to < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->functions.len && t->functions.at[low].from <= pc;
}

/* In user mode tp is the program's, and the task is that of the kernel before. */
static bool is_wanted_task(struct itrace *t, struct hart *h)
{
    unsigned id = hart_id(h);
    uint64_t tp = hart_reg(h, REG_TP);
    struct task task;

    if (t->task[id].known && (t->task[id].tp == tp || hart_mode(h) == PRIV_U))
        return t->task[id].wanted;
    t->task[id].tp = tp;
    t->task[id].known = true;
    t->task[id].wanted = t->config.tasks && tasks_read(t->config.tasks, h, tp, &task) &&
                         selection_has_task(t->config.selected, task.name, task.pid);
    return t->task[id].wanted;
}

static bool is_wanted(struct itrace *t, struct hart *h, uint64_t pc)
{
    const struct selection *s = t->config.selected;

    return s->harts >> hart_id(h) & 1 &&
           ((s->cycles.from == 0 && s->cycles.to == UINT64_MAX) ||
            span_has(&s->cycles, hart_cycles(h))) &&
           ((s->steps.from == 0 && s->steps.to == UINT64_MAX) ||
            span_has(&s->steps, cluster_steps(t->config.cluster))) &&
           (!s->function || is_wanted_function(t, pc)) && (!s->task || is_wanted_task(t, h));
}

/* ---- lines ---- */

static void add_csr(struct itrace *t, unsigned number, uint64_t value)
{
    if (t->csr_count < CSRS_MAX)
        t->csrs[t->csr_count++] =
            (struct commit_item){.kind = COMMIT_CSR, .number = number, .value = value};
}

/* The CSR under the name by which Spike logs it: that of which it is a view. */
static void add_csr_written(struct itrace *t, unsigned number, uint64_t value)
{
    static const struct {
        unsigned view, whole;
    } views[] = {{CSR_SSTATUS, CSR_MSTATUS}, {CSR_SIE, CSR_MIE}, {CSR_SIP, CSR_MIP}};

    if (number == CSR_FCSR) {
        add_csr(t, CSR_FFLAGS, value & 31);
        add_csr(t, CSR_FRM, value >> 5 & 7);
        return;
    }
    if (number == CSR_SIE) /* under both names */
        add_csr(t, number, value);
    for (unsigned i = 0; i < ARRAY_LEN(views); i++)
        if (number == views[i].view && hart_csr(t->hart, views[i].whole, &value))
            number = views[i].whole;
    add_csr(t, number, value);
}

/* What was written beside the instruction's own target. */
static void add_side_effects(struct itrace *t)
{
    uint64_t value;

    switch (t->now->insn.op) {
    case OP_mret:
    case OP_sret:
        if (hart_csr(t->hart, CSR_MSTATUS, &value))
            add_csr(t, CSR_MSTATUS, value);
        break;
    default:
        if (op_floating(t->now->insn.op) != FLOATING_X) {
            uint32_t fcsr = hart_status(t->hart).fcsr;

            if (fcsr != t->fcsr)
                add_csr(t, CSR_FFLAGS, fcsr & 31);
        }
        break;
    }
}

static char *put_register(char *at, enum commit_kind kind, unsigned number, uint64_t value)
{
    const struct commit_item item = {.kind = kind, .number = number, .value = value};

    return commit_put_item(at, &item, NULL);
}

/* CSRs up to this number, those of lower numbers first. */
static char *put_csrs(struct itrace *t, char *at, unsigned below)
{
    for (unsigned i = 0; i < t->csr_count; i++) {
        const char *name = csr_name(t->csrs[i].number);

        if (t->csrs[i].number >= below || t->csrs[i].kind != COMMIT_CSR)
            continue;
        at = commit_put_item(at, &t->csrs[i], name ? name : "unknown");
        t->csrs[i].kind = COMMIT_OTHER;
    }
    return at;
}

/* Spike orders what was written by number, whatever its kind. */
static char *put_registers(struct itrace *t, char *at)
{
    const struct decoded *d = t->now;
    uint32_t targets = d->targets;

    if (d->insn.op == OP_ecall) /* of the built-in firmware, which answers in these */
        targets = UINT32_C(1) << REG_A0 | UINT32_C(1) << REG_A1;
    for (; targets; targets &= targets - 1) {
        unsigned reg = (unsigned)__builtin_ctz(targets);

        if (t->csr_count)
            at = put_csrs(t, at, reg);
        at = put_register(at, COMMIT_X, reg, hart_reg(t->hart, reg));
    }
    if (d->writes_float) {
        at = t->csr_count ? put_csrs(t, at, d->insn.rd) : at;
        at = put_register(at, COMMIT_F, d->insn.rd, hart_freg(t->hart, d->insn.rd));
    }
    return t->csr_count ? put_csrs(t, at, UINT32_MAX) : at;
}

static char *put_load(const struct itrace *t, char *at)
{
    const struct commit_item item = {.kind = COMMIT_LOAD, .va = t->va};

    return commit_put_item(at, &item, NULL);
}

static char *put_store(char *at, uint64_t va, unsigned size, uint64_t value)
{
    const struct commit_item item = {.kind = COMMIT_STORE, .size = size, .va = va, .value = value};

    return commit_put_item(at, &item, NULL);
}

/* What memory has now; the next instruction has not begun. */
static uint64_t memory_at(const struct itrace *t)
{
    uint64_t value = 0;

    return hart_peek(t->hart, t->va, &value, t->now->bytes) ? value : 0;
}

static bool has_stored(const struct itrace *t)
{
    const struct insn *i = &t->now->insn;

    if (i->rd)
        return !hart_reg(t->hart, i->rd);
    return t->now->bytes == 8 ? memory_at(t) == hart_reg(t->hart, i->rs2)
                              : memory_at(t) == (uint32_t)hart_reg(t->hart, i->rs2);
}

static char *put_accesses(const struct itrace *t, char *at)
{
    const struct insn *i = &t->now->insn;
    unsigned bytes = t->now->bytes;

    switch (t->now->effect) {
    case EFFECT_NONE: return at;
    case EFFECT_LOAD: return put_load(t, at);
    case EFFECT_STORE:
        return put_store(at, t->va, bytes,
                         op_floating(i->op) == FLOATING_X ? hart_reg(t->hart, i->rs2)
                                                          : hart_freg(t->hart, i->rs2));
    case EFFECT_SC: return has_stored(t) ? put_store(at, t->va, bytes, memory_at(t)) : at;
    case EFFECT_AMO: return put_store(put_load(t, at), t->va, bytes, memory_at(t));
    case EFFECT_ZERO:
        for (unsigned n = 0; n < CACHE_BLOCK_BYTES; n++)
            at = put_store(at, t->va + n, 1, 0);
        return at;
    }
    return at;
}

/* Writes the line of the pending instruction, which has ended. */
static void commit(struct itrace *t)
{
    char *at = commit_put_head(begin_line(t), &t->head);

    if (t->now->legal) {
        add_side_effects(t);
        at = put_accesses(t, put_registers(t, at));
    }
    end_line(t, at);
    t->hart = NULL;
}

/* ---- events ---- */

static void on_insn(struct itrace *t, const struct insn_event *e)
{
    struct hart *h = e->hart;

    if (t->hart)
        commit(t);
    if (!is_wanted(t, h, e->pc))
        return;
    t->hart = h;
    t->now = decode(t, e->word);
    t->head = (struct commit_line){.hart = hart_id(h),
                                   .mode = hart_mode(h),
                                   .size = insn_size((uint16_t)e->word),
                                   .word = e->word,
                                   .pc = e->pc};
    t->csr_count = 0;
    if (!t->now->legal)
        return;
    if (t->now->effect != EFFECT_NONE)
        t->va = address_of(t->now, h);
    if (op_floating(t->now->insn.op) != FLOATING_X)
        t->fcsr = hart_status(h).fcsr;
}

static const char *const exceptions[] = {
    [EXC_FETCH_MISALIGNED] = "trap_instruction_address_misaligned",
    [EXC_FETCH_ACCESS] = "trap_instruction_access_fault",
    [EXC_ILLEGAL] = "trap_illegal_instruction",
    [EXC_BREAKPOINT] = "trap_breakpoint",
    [EXC_LOAD_MISALIGNED] = "trap_load_address_misaligned",
    [EXC_LOAD_ACCESS] = "trap_load_access_fault",
    [EXC_STORE_MISALIGNED] = "trap_store_address_misaligned",
    [EXC_STORE_ACCESS] = "trap_store_access_fault",
    [EXC_ECALL_U] = "trap_user_ecall",
    [EXC_ECALL_S] = "trap_supervisor_ecall",
    [EXC_ECALL_M] = "trap_machine_ecall",
    [EXC_FETCH_PAGE] = "trap_instruction_page_fault",
    [EXC_LOAD_PAGE] = "trap_load_page_fault",
    [EXC_STORE_PAGE] = "trap_store_page_fault",
    [EXC_SOFTWARE_CHECK] = "trap_software_check",
};

static bool has_tval(const struct trap_event *e)
{
    return !e->interrupt && (e->cause < EXC_ECALL_U || e->cause > EXC_ECALL_M);
}

static void put_trap(struct itrace *t, const struct trap_event *e)
{
    unsigned hart = hart_id(e->hart);
    char *at = commit_put_text(commit_put_core(begin_line(t), hart), "exception ");

    if (!e->interrupt && e->cause < ARRAY_LEN(exceptions) && exceptions[e->cause]) {
        at = commit_put_text(at, exceptions[e->cause]);
    } else {
        at = commit_put_text(at, e->interrupt ? "interrupt #" : "trap #");
        at += sprintf(at, "%u", (unsigned)e->cause);
    }
    end_line(t, commit_put_hex(commit_put_text(at, ", epc "), e->epc, 16));
    if (!has_tval(e))
        return;
    at = commit_put_text(commit_put_core(begin_line(t), hart), "          tval ");
    end_line(t, commit_put_hex(at, e->tval, 16));
}

static void on_trap(struct itrace *t, const struct trap_event *e)
{
    t->task[hart_id(e->hart)].known = false;
    if (t->hart == e->hart && !e->interrupt && e->epc == t->head.pc)
        t->hart = NULL; /* it has trapped, and nothing was written */
    if (t->hart)
        commit(t);
    if (is_wanted(t, e->hart, e->epc))
        put_trap(t, e);
}

/* A fence that firmware has executed for a hart. */
static void on_fence(struct itrace *t, const struct fence_event *e, const char *name)
{
    if (e->origin != FENCE_REMOTE || !is_wanted(t, e->hart, hart_pc(e->hart)))
        return;
    end_line(
        t, commit_put_text(
               commit_put_text(commit_put_core(begin_line(t), hart_id(e->hart)), ">>>>  "), name));
}

static void on_event(void *trace, const struct event *e)
{
    struct itrace *t = trace;

    if (!cluster_traces_insns(t->config.cluster)) {
        if (t->hart)
            commit(t);
        return;
    }
    switch (e->kind) {
    case EVENT_INSN: on_insn(t, &e->insn); break;
    case EVENT_TRAP: on_trap(t, &e->trap); break;
    case EVENT_TRAP_RETURN: t->task[hart_id(e->trap_return.hart)].known = false; break;
    case EVENT_FENCE_I: on_fence(t, &e->fence, "fence.i"); break;
    case EVENT_SFENCE_VMA: on_fence(t, &e->fence, "sfence.vma"); break;
    case EVENT_CSR_WRITE:
        if (t->hart == e->csr_write.hart)
            add_csr_written(t, e->csr_write.number, e->csr_write.new_value);
        break;
    default: break;
    }
}

struct itrace *itrace_new(const struct itrace_config *config)
{
    struct itrace *t = xcalloc(1, sizeof *t);
    const struct listener l = {.ctx = t,
                               .kinds = EVENT_BIT(EVENT_INSN) | EVENT_BIT(EVENT_TRAP) |
                                        EVENT_BIT(EVENT_TRAP_RETURN) | EVENT_BIT(EVENT_FENCE_I) |
                                        EVENT_BIT(EVENT_SFENCE_VMA) | EVENT_BIT(EVENT_CSR_WRITE),
                               .on_event = on_event};

    t->config = *config;
    t->decoder = cluster_decoder(config->cluster);
    t->decoded = xcalloc(DECODED, sizeof *t->decoded);
    if (config->selected->function)
        find_functions(t);
    cluster_listen(config->cluster, &l);
    return t;
}

/* Whether the pending instruction has ended: an instruction that jumps to itself has. */
static bool has_ended(const struct itrace *t)
{
    enum timing_class class = op_class(t->now->insn.op);

    return hart_pc(t->hart) != t->head.pc || class == CLASS_JUMP || class == CLASS_JUMP_INDIRECT ||
           class == CLASS_BRANCH;
}

void itrace_end(struct itrace *t)
{
    if (t->hart && has_ended(t))
        commit(t);
    t->hart = NULL;
    flush(t);
}

void itrace_free(struct itrace *t)
{
    if (!t)
        return;
    free(t->decoded);
    VEC_FREE(&t->functions);
    free(t);
}
