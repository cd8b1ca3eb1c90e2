/*
 * start_state.c - see start_state.h. A hart is compared with the task that its tp names, and with
 * the other harts in the kernel.
 */
#include "ftrace/audit/fetches/start_state.h"

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"

/* Numbers of CSRs. */
enum {
    CSR_SIE = 0x104,
    CSR_STVEC = 0x105,
    CSR_SSCRATCH = 0x140,
    CSR_SATP = 0x180,
    SATP_MODE_SHIFT = 60
};

/* The stack pointer at a call (RISC-V ELF psABI, 2.1). */
enum { STACK_ALIGNMENT = 16 };

/* What is judged. */
struct start {
    struct audit *audit;
    struct hart *hart;
    enum start_moment moment;
    const struct start_place *place;
    enum fact_label now;
};

/* What is wrong, and as evidence: a register as it is, and as it should be. */
struct wrong {
    enum message message;
    unsigned reg; /* as in FACT_REGISTER; 0: none */
    uint64_t value, expected;
    bool has_expected;
    const struct hart *other; /* that is compared with; NULL: none */
};

static uint64_t read_csr(struct hart *h, unsigned number)
{
    uint64_t value;

    return hart_csr(h, number, &value) ? value : 0;
}

static bool is_in_kernel(struct hart *h)
{
    return hart_sync_stamp(h) != UINT64_MAX && hart_mode(h) != PRIV_M &&
           read_csr(h, CSR_SATP) >> SATP_MODE_SHIFT;
}

bool start_state_can_judge(struct hart *h)
{
    return audit_translates(h);
}

/* The next other hart in the kernel, from *at on; NULL: there is no other one. */
static struct hart *next_other(const struct start *s, unsigned *at)
{
    const struct cluster *c = s->audit->config.cluster;

    while (*at < cluster_hart_count(c)) {
        struct hart *h = cluster_hart(c, (*at)++);

        if (h != s->hart && is_in_kernel(h))
            return h;
    }
    return NULL;
}

static void report(const struct start *s, const struct wrong *w)
{
    const struct breach b = {.rule = RULE_wrong_start,
                             .hart = hart_id(s->hart),
                             .site = NO_SITE,
                             .pc = hart_pc(s->hart),
                             .cycle = hart_cycles(s->hart),
                             .cause = audit_cause(RULE_wrong_start, w->message)};
    struct finding *f = audit_add(s->audit, &b);
    struct fact *fact;

    if (!f)
        return;
    fact = audit_fact(f, LABEL_STARTED, FACT_MOMENT);
    fact->hart = hart_id(s->hart);
    fact->pc = s->place->pc;
    fact->cycle = s->place->cycle;
    fact->step = s->place->step;
    audit_fact_moment(f, s->now, s->hart, hart_pc(s->hart));
    audit_fact_task(s->audit, f, s->hart);
    if (w->reg)
        audit_fact_register(f, LABEL_WRONG, w->reg, w->value);
    else if (w->value)
        audit_fact(f, LABEL_WRONG, FACT_PLACE)->va = w->value;
    if (w->has_expected && w->reg)
        audit_fact_register(f, LABEL_EXPECTED, w->reg, w->expected);
    else if (w->has_expected)
        audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = w->expected;
    if (w->other)
        audit_fact_moment(f, LABEL_RUNNING, w->other, hart_pc(w->other));
    audit_fact_message(f, LABEL_WHY, w->message);
    audit_fact_order(f);
}

/* ---- the task ---- */

static void judge_task(const struct start *s)
{
    uint64_t tp = call_stack_task(s->hart), sp = hart_reg(s->hart, REG_SP);
    struct tasks *tasks = s->audit->config.tasks;
    struct wrong w = {.reg = REG_TP, .value = tp};
    struct task task;
    int32_t cpu, other_cpu;
    struct hart *other;

    for (unsigned at = 0; (other = next_other(s, &at));) {
        if (call_stack_task(other) == tp) {
            w.message = MESSAGE_START_TASK_TAKEN;
            w.other = other;
            report(s, &w);
            return;
        }
        if (tasks && tasks_cpu(tasks, s->hart, tp, &cpu) &&
            tasks_cpu(tasks, other, call_stack_task(other), &other_cpu) && cpu == other_cpu) {
            w.message = MESSAGE_START_CPU_TAKEN;
            w.other = other;
            report(s, &w);
        }
        /* Where the tasks of others are known, this one must be, too. */
        if (tasks && tasks_read(tasks, other, call_stack_task(other), &task) &&
            !tasks_read(tasks, s->hart, tp, &task)) {
            w.message = MESSAGE_START_NO_TASK;
            report(s, &w);
            return;
        }
    }
    if (s->moment == START_RUN_ENDS || !tasks || !tasks_read(tasks, s->hart, tp, &task) ||
        !task.stack || (sp > task.stack && sp - task.stack <= tasks_stack_bytes(tasks)))
        return;
    report(s, &(struct wrong){MESSAGE_START_STACK, REG_SP, sp,
                              task.stack + tasks_stack_bytes(tasks), true, NULL});
}

/* ---- registers and CSRs ---- */

static void judge_registers(const struct start *s)
{
    uint64_t sp = hart_reg(s->hart, REG_SP), gp = hart_reg(s->hart, REG_GP), global;
    struct hart *other;

    if (s->moment != START_RUN_ENDS && sp % STACK_ALIGNMENT)
        report(s, &(struct wrong){MESSAGE_START_ALIGNMENT, REG_SP, sp,
                                  sp & ~(uint64_t)(STACK_ALIGNMENT - 1), false, NULL});
    if (!s->audit->config.symbols ||
        !symbols_find(s->audit->config.symbols, "__global_pointer$", &global) || gp == global)
        return;
    for (unsigned at = 0; (other = next_other(s, &at));)
        if (hart_mode(other) == PRIV_S && hart_reg(other, REG_GP) == global) {
            report(s, &(struct wrong){MESSAGE_START_GP, REG_GP, gp, global, true, other});
            return;
        }
}

/* The value of a CSR in all other harts; false: they have several, or there are none. */
static bool common_value(const struct start *s, unsigned number, uint64_t *value)
{
    struct hart *other;
    bool any = false;

    for (unsigned at = 0; (other = next_other(s, &at)); any = true) {
        if (any && read_csr(other, number) != *value)
            return false;
        *value = read_csr(other, number);
    }
    return any;
}

/*
 * Kernels have 0 in sscratch while they run themselves, to tell traps from programs by it, or an
 * address of the hart's own.
 */
static void judge_scratch(const struct start *s)
{
    uint64_t scratch = read_csr(s->hart, CSR_SSCRATCH);
    struct hart *other;
    bool any = false;

    for (unsigned at = 0; (other = next_other(s, &at));) {
        if (hart_mode(other) != PRIV_S)
            continue;
        if (read_csr(other, CSR_SSCRATCH))
            return;
        any = true;
    }
    if (any && scratch)
        report(s, &(struct wrong){.message = MESSAGE_START_SCRATCH, .value = scratch});
}

static void judge_csrs(const struct start *s)
{
    uint64_t status = hart_status(s->hart).sstatus & (SSTATUS_SUM | SSTATUS_MXR);
    uint64_t satp = read_csr(s->hart, CSR_SATP), vector = read_csr(s->hart, CSR_STVEC), common;
    const uint64_t software = UINT64_C(1) << IRQ_SSI;

    if (common_value(s, CSR_STVEC, &common) && common != vector)
        report(s, &(struct wrong){MESSAGE_START_VECTOR, 0, vector, common, true, NULL});
    if (common_value(s, CSR_SATP, &common) && satp >> SATP_MODE_SHIFT != common >> SATP_MODE_SHIFT)
        report(s, &(struct wrong){MESSAGE_START_MODE, FACT_SATP, satp, common, true, NULL});
    else if (s->audit->config.text && !audit_maps_text(s->audit, s->hart))
        report(s, &(struct wrong){MESSAGE_START_TABLES, FACT_SATP, satp, 0, false, NULL});
    if (s->moment == START_RUN_ENDS)
        return;
    judge_scratch(s);
    if (status)
        report(s, &(struct wrong){MESSAGE_START_ACCESS, status & SSTATUS_SUM ? FACT_SUM : FACT_MXR,
                                  1, 0, true, NULL});
    if (s->moment == START_WAITS && common_value(s, CSR_SIE, &common) && common & software &&
        !(read_csr(s->hart, CSR_SIE) & software))
        report(s, &(struct wrong){.message = MESSAGE_START_NO_IPI});
}

void start_state_judge(struct audit *a, struct hart *h, enum start_moment moment,
                       const struct start_place *place, enum fact_label now)
{
    const struct start s = {a, h, moment, place, now};

    judge_task(&s);
    judge_registers(&s);
    judge_csrs(&s);
}
