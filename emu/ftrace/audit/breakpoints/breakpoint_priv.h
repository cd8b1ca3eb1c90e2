/*
 * breakpoint_priv.h - the parts of the family `breakpoint': breakpoint_rules.c follows harts from
 * the trap of a breakpoint on, breakpoint_code.c looks at code as they would fetch it, and
 * breakpoint_report.c makes findings. fault_steps.c looks at other instructions that a handler
 * carries out.
 */
#ifndef FTRACE_BREAKPOINT_PRIV_H
#define FTRACE_BREAKPOINT_PRIV_H

#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "cpu/observer.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/breakpoints/insn_effect.h"

enum stage {
    STAGE_HANDLER, /* in the trap's handler */
    STAGE_SLOT,    /* in the slot */
    STAGE_AFTER,   /* in the handler of the breakpoint after the copy */
    STAGE_FAULT,   /* in the handler of an exception that the copy has raised */
    STAGES,
};

/* A breakpoint's trap, until the hart goes on after the replaced instruction. */
struct hit {
    uint8_t stage; /* enum stage */
    bool has_preempt;
    uint32_t hart, depth, traps, switches; /* of the stage's trap (struct audited_hart) */
    int32_t preempt;                       /* the task's preempt_count at the first trap */
    int32_t preempt_after;                 /* and after the instruction, which may store it */
    uint32_t word;                         /* the replaced instruction, as in memory */
    uint64_t pc, pa;                       /* of the breakpoint */
    uint64_t slot, cycle, step;            /* cycle, step: of the first trap */
    uint64_t current;          /* the hart's current probe then; UINT64_MAX: not known */
    struct hart_status status; /* at the stage's trap; SIE: at the first one */
    uint64_t regs[32], fregs[32];
};

/* Where a hart goes on after the trap of a breakpoint, and the instruction that was replaced. */
struct step {
    struct hart *hart;
    uint64_t pc; /* 0: nowhere yet */
    struct insn insn;
};

/* ---- breakpoint_code.c ---- */

/* An instruction as a hart would fetch it now. */
struct fetched {
    uint64_t va, last_pa; /* last_pa: of its last two bytes */
    unsigned size;        /* 0: nothing can be executed there */
    uint32_t word;        /* as the hart fetches it */
    uint32_t memory;      /* the same bytes of memory */
    bool writer_known;    /* `writer' has made the newest store to it since the hart's fence.i */
    struct writer writer;
};

/*
 * The parcel that the hart fetches at the address after its return from a trap and `ahead' further
 * instructions. *pa: that of the parcel before, 0: not known; and then of this one.
 */
bool hit_fetch_parcel(struct hart *h, uint64_t va, uint64_t ahead, uint64_t *pa,
                      struct hart_parcel *p);

/* The instruction at the address; `pa' as above. */
struct fetched hit_fetch_after(struct hart *h, uint64_t va, uint64_t ahead, uint64_t pa);

/* The instruction at the address, as it would fetch it now. */
struct fetched hit_fetch(struct hart *h, uint64_t va);

/* Whether it is an ebreak or c.ebreak. */
bool hit_is_breakpoint(const struct fetched *f);

/* Whether the instruction at pc is a jump to `to' and nothing else. */
bool hit_jumps_to(const struct fetched *f, uint64_t pc, uint64_t to);

/* Whether the address is in the kernel's own code. */
bool hit_is_in_kernel(const struct audit *a, struct hart *h, uint64_t va);

/* Whether the address is in code that has a name, where no slot can be. */
bool hit_is_in_code(const struct audit *a, struct hart *h, uint64_t va);

/* The start of the function that has the address; 0: not known. */
uint64_t hit_function(const struct audit *a, struct hart *h, uint64_t va);

/* Whether the breakpoint is among the first instructions of a function. */
bool hit_is_at_entry(const struct audit *a, struct hart *h, const struct hit *d);

/*
 * Whether a handler may have meant to go on there: with another function, as live patches do, or
 * with the function's caller, as error injection does at a function's entry. The function that
 * happens to begin right after the instruction is not meant.
 */
bool hit_is_on_purpose(const struct audit *a, struct hart *h, const struct hit *d, uint64_t pc);

/* Whether the instruction changes or needs what a trap has changed, so that a copy fails. */
bool hit_is_of_system(const struct insn *i);

/*
 * Whether a breakpoint is within a loop of lr and sc: on one of them or between. Then the sc never
 * succeeds, as the handler's own stores and its return end the reservation.
 */
bool hit_is_in_loop(const struct audit *a, struct hart *h, const struct hit *d,
                    const struct insn *replaced);

/* ---- breakpoint_report.c ---- */

/* `wrong': the instruction of the slot that is wrong. */
void hit_report_slot(struct audit *a, enum message why, const struct hit *d, const struct step *s,
                     const struct fetched *wrong);

/* The hart goes on elsewhere than at `expected'; 0: a slot. */
void hit_report_elsewhere(struct audit *a, const struct hit *d, const struct step *s,
                          uint64_t expected);

/* The replaced instruction has another result than the register shows. */
void hit_report_result(struct audit *a, const struct hit *d, const struct step *s,
                       const struct insn_effect *e);

/* What was carried out for the instruction is wrong, as the message says. */
void hit_report_step(struct audit *a, enum message why, const struct hit *d, const struct step *s);

/* The register, as in FACT_REGISTER, has changed. */
void hit_report_change(struct audit *a, const struct hit *d, const struct step *s, unsigned reg,
                       uint64_t before, uint64_t after);

/* The function's return address was replaced, and is not kept. */
void hit_report_hook(struct audit *a, const struct hit *d, const struct step *s);

/* ---- fault_steps.c ---- */

/* A load or store of the kernel that has faulted, while its handler runs; pc 0: there is none. */
struct fault_step {
    uint64_t pc, sp, tp, cycle, step;
    uint32_t depth, switches; /* as in struct audited_hart */
};

/* The hart has taken such a fault; it has returned from some trap, with a fault kept. */
void fault_steps_trap(const struct audit *a, struct fault_step *f, const struct trap_event *t);
void fault_steps_return(struct audit *a, struct fault_step *f, const struct trap_return_event *t);

void fault_step_io(struct state_io *io, struct fault_step *f);

#endif
