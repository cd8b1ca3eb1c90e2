/*
 * fault_steps.c - loads and stores of the kernel that fault, and are carried out by the handler, as
 * mmiotrace does: a part of the family `breakpoint'.
 *
 * A handler may go on at the instruction again, after it, or at a fixup. What all of these have in
 * common is that an instruction begins there. The instructions are counted from the one that has
 * faulted.
 */
#include <string.h>

#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/breakpoints/breakpoint_priv.h"

/* How far after the instruction a wrong length can lead. */
enum { SKIPPED_MAX = 8 };

void fault_steps_trap(const struct audit *a, struct fault_step *f, const struct trap_event *t)
{
    const struct audited_hart *own = &a->harts[hart_id(t->hart)];

    *f = (struct fault_step){.pc = t->epc,
                             .sp = hart_reg(t->hart, REG_SP),
                             .tp = hart_reg(t->hart, REG_TP),
                             .cycle = hart_cycles(t->hart),
                             .step = cluster_steps(a->config.cluster),
                             .depth = own->depth,
                             .switches = own->switches};
}

static void report(struct audit *a, const struct fault_step *f, struct hart *h, uint64_t pc,
                   const struct fetched *insn)
{
    const struct breach b = {.rule = RULE_wrong_step,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = f->pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_wrong_step, MESSAGE_INSIDE)};
    struct finding *found = audit_add(a, &b);
    struct fact *fact;

    if (!found)
        return;
    fact = audit_fact(found, LABEL_EXECUTED, FACT_BYTES);
    fact->va = f->pc;
    fact->size = (uint8_t)insn->size;
    memcpy(fact->bytes, &insn->word, insn->size);
    fact = audit_fact(found, LABEL_STOPPED, FACT_MOMENT);
    fact->hart = hart_id(h);
    fact->pc = f->pc;
    fact->cycle = f->cycle;
    fact->step = f->step;
    audit_fact_moment(found, LABEL_RESUMED, h, pc);
    audit_fact(found, LABEL_EXPECTED, FACT_PLACE)->va = f->pc + insn->size;
    audit_fact_message(found, LABEL_WHY, MESSAGE_INSIDE);
    audit_fact_order(found);
}

/* The hart goes on at pc, a little after the instruction: in the middle of one? */
static void judge(struct audit *a, const struct fault_step *f, struct hart *h, uint64_t pc)
{
    const struct fetched insn = hit_fetch(h, f->pc);
    uint64_t at = f->pc + insn.size;

    if (!insn.size || !hit_is_in_code(a, h, f->pc))
        return;
    while (at < pc) {
        struct fetched next = hit_fetch(h, at);

        if (!next.size)
            return;
        at += next.size;
    }
    if (at != pc)
        report(a, f, h, pc, &insn);
}

void fault_steps_return(struct audit *a, struct fault_step *f, const struct trap_return_event *t)
{
    const struct audited_hart *own = &a->harts[hart_id(t->hart)];
    const struct fault_step fault = *f;

    if (own->depth + 1 != fault.depth)
        return; /* of a trap in the handler */
    f->pc = 0;
    if (t->from == PRIV_S && t->to == PRIV_S && own->switches == fault.switches &&
        hart_reg(t->hart, REG_SP) == fault.sp && hart_reg(t->hart, REG_TP) == fault.tp &&
        t->pc > fault.pc && t->pc - fault.pc <= SKIPPED_MAX)
        judge(a, &fault, t->hart, t->pc);
}

void fault_step_io(struct state_io *io, struct fault_step *f)
{
    STATE_IO(io, f->pc);
    STATE_IO(io, f->sp);
    STATE_IO(io, f->tp);
    STATE_IO(io, f->cycle);
    STATE_IO(io, f->step);
    STATE_IO(io, f->depth);
    STATE_IO(io, f->switches);
}
