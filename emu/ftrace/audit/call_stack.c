/*
 * call_stack.c - see call_stack.h.
 */
#include "ftrace/audit/call_stack.h"

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "load/image.h"
#include "load/symbols.h"
#include "unwind/unwind.h"

/* ---- the source of frames ---- */

static bool read_memory(void *ctx, unsigned hart, uint64_t va, void *to, unsigned len)
{
    const struct audit *a = ctx;

    return hart_peek(cluster_hart(a->config.cluster, hart), va, to, len);
}

static uint64_t read_csr(void *ctx, unsigned hart, enum unwind_csr csr)
{
    const struct audit *a = ctx;
    uint64_t value;

    return hart_csr(cluster_hart(a->config.cluster, hart), csr, &value) ? value : 0;
}

/* Before the kernel has enabled translation it runs at physical addresses. */
static uint64_t canonical(void *ctx, uint64_t address)
{
    return audit_linked(ctx, address);
}

static bool replaced(void *ctx, uint64_t sp, uint64_t *address)
{
    const struct audit *a = ctx;
    struct call call;

    if (!calls_open_at(a->config.calls, CALL_FUNCTION, sp, &call))
        return false;
    *address = call.back;
    return true;
}

static struct unwind_source source_of(const struct audit *a)
{
    return (struct unwind_source){.ctx = (void *)(uintptr_t)a, /* the functions only read it */
                                  .symbols = a->config.symbols,
                                  .lines = a->config.lines,
                                  .read = read_memory,
                                  .csr = read_csr,
                                  .canonical = canonical,
                                  .replaced = replaced};
}

/* ---- frames ---- */

static void begin(struct hart *h, uint64_t pc, struct unwound *u)
{
    *u = (struct unwound){
        .pc = pc, .exact = true, .user = hart_mode(h) == PRIV_U, .hart = hart_id(h)};
    for (unsigned reg = 0; reg < UNWIND_REGS; reg++)
        u->reg[reg] = hart_reg(h, reg);
}

static void add_frame(const struct unwind_source *source, struct call_stack *stack,
                      const struct unwound *u)
{
    unsigned n = stack->count++;

    stack->at[n] = source->canonical(source->ctx, u->pc);
    stack->exact |= (uint16_t)(u->exact << n);
    stack->user |= (uint16_t)(u->user << n);
}

/* Follows the frames from u on. */
static void follow_frames(const struct audit *a, struct unwound u, struct call_stack *stack,
                          uint64_t slots[STACK_FRAMES])
{
    const struct unwind_source source = source_of(a);
    struct unwound caller;

    *stack = (struct call_stack){0};
    add_frame(&source, stack, &u);
    while (unwind_step(&source, &u, &caller)) {
        if (stack->count == STACK_FRAMES) {
            stack->more = true;
            return;
        }
        slots[stack->count - 1] = caller.pc_at;
        add_frame(&source, stack, &caller);
        u = caller;
    }
    slots[stack->count - 1] = 0;
}

void call_stack_take(const struct audit *a, struct hart *h, uint64_t pc, struct call_stack *stack,
                     uint64_t slots[STACK_FRAMES])
{
    struct unwound u;

    begin(h, pc, &u);
    follow_frames(a, u, stack, slots);
}

/* The frame of a task that runs on no hart. False: it is not known. */
static bool begin_sleeper(const struct audit *a, struct hart *h, uint64_t tp, struct unwound *u)
{
    static const uint8_t saved[] = {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}; /* s0 to s11 */
    struct task_registers registers;

    *u = (struct unwound){.hart = hart_id(h), .lost = UINT32_MAX & ~UINT32_C(1)};
    if (!tasks_registers(a->config.tasks, h, tp, &registers))
        return false;
    u->pc = u->reg[REG_RA] = registers.pc;
    u->reg[REG_SP] = registers.sp;
    u->reg[REG_TP] = tp;
    u->lost &= ~(UINT32_C(1) << REG_RA | UINT32_C(1) << REG_SP | UINT32_C(1) << REG_TP);
    for (size_t i = 0; i < ARRAY_LEN(saved); i++) {
        u->reg[saved[i]] = registers.s[i];
        u->lost &= ~(UINT32_C(1) << saved[i]);
    }
    return true;
}

bool call_stack_of_sleeper(const struct audit *a, struct hart *h, uint64_t tp,
                           struct call_stack *stack)
{
    uint64_t slots[STACK_FRAMES];
    struct unwound u;

    if (!begin_sleeper(a, h, tp, &u))
        return false;
    follow_frames(a, u, stack, slots);
    return true;
}

/* Frames that are followed in search of code. */
enum { SEARCHED_FRAMES = 256 };

static bool leads_through(const struct audit *a, struct unwound u, uint64_t start, uint64_t end)
{
    const struct unwind_source source = source_of(a);
    struct unwound caller;

    for (unsigned n = 0; n < SEARCHED_FRAMES; n++) {
        if (!u.user && u.pc >= start && u.pc < end)
            return true;
        if (!unwind_step(&source, &u, &caller))
            return false;
        u = caller;
    }
    return false;
}

bool call_stack_uses(const struct audit *a, struct hart *h, uint64_t start, uint64_t end)
{
    struct unwound u;

    begin(h, hart_pc(h), &u);
    return leads_through(a, u, start, end);
}

bool call_stack_of_sleeper_uses(const struct audit *a, struct hart *h, uint64_t tp, uint64_t start,
                                uint64_t end)
{
    struct unwound u;

    return begin_sleeper(a, h, tp, &u) && leads_through(a, u, start, end);
}

uint64_t call_stack_task(struct hart *h)
{
    enum { CSR_SSCRATCH = 0x140 };
    uint64_t tp;

    if (hart_mode(h) != PRIV_U)
        return hart_reg(h, REG_TP);
    return hart_csr(h, CSR_SSCRATCH, &tp) ? tp : 0; /* the kernel keeps it there */
}

void call_stack_state_io(struct state_io *io, struct call_stack *stack)
{
    for (unsigned i = 0; i < STACK_FRAMES; i++)
        STATE_IO(io, stack->at[i]);
    STATE_IO(io, stack->exact);
    STATE_IO(io, stack->user);
    STATE_IO_BELOW(io, stack->count, STACK_FRAMES + 1);
    STATE_IO_BELOW(io, stack->patcher, STACK_FRAMES);
    STATE_IO(io, stack->more);
}
