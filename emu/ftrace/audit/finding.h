/*
 * finding.h - what the auditor has found: a broken rule, how often, and the evidence.
 *
 * Evidence is a list of labelled facts, which all reports print in the same way.
 * They are in the order in which the events happened. The cycle counters of two
 * harts are two clocks and do not show which of two events came first; the steps,
 * instructions of all harts together (cluster_steps), do. 0: a step is not known.
 *
 * All of it is plain data without pointers.
 */
#ifndef FTRACE_FINDING_H
#define FTRACE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "ftrace/audit/rules.h"
#include "mem/ram.h"

enum {
    FACTS_MAX = 24,
    FACT_BYTES_MAX = 16,
    FACT_WORDS_MAX = 160,
    EXAMPLES_MAX = 8,
    STACK_FRAMES = 16,
};

enum { NO_FINDING = UINT32_MAX };

enum fact_kind {
    FACT_SITE,  /* site */
    FACT_FENCE, /* hart, cycle, step, pc, requester: a fence.i of the hart */
    FACT_STORE, /* writer; size: 1: by a program in user mode; if its pc is 0: hart, pc, cycle, step
                   of the first store to the page, pc 0:    not known */
    FACT_MOMENT,   /* hart, pc, cycle, step */
    FACT_BYTES,    /* va, bytes, size */
    FACT_UNFENCED, /* hart, message: it lacks a fence.i after the store */
    FACT_MESSAGE,  /* message; MESSAGE_WRITER: as FACT_STORE */
    FACT_PLACE,    /* va: code there; message: what it is, if it has no name */
    FACT_REGISTER, /* size: its number, as below; va: its value */
    FACT_TASK,     /* bytes: its name, with a NUL; pid, -1: not known */
    FACT_STACK,    /* stack */
    FACT_TEXT,     /* text */
    FACT_RECORD,   /* of ftrace: va: where it is; size: 1: it says on; pc: its count; cycle: the
                      number of ops that trace the function */
    FACT_KEY,      /* va: a static key; pid: the number of its users */
    FACT_JUMP,     /* va: the target of the jump that should be there */
    FACT_KINDS,
};

/* The label that is printed: fact_label_name(). */
enum fact_label {
    LABEL_SITE,
    LABEL_FENCED,
    LABEL_WRITTEN,
    LABEL_FETCHED,
    LABEL_EXECUTED,
    LABEL_OLD,
    LABEL_IN_MEMORY,
    LABEL_MISSING,
    LABEL_UNKNOWN,
    LABEL_ORDER,
    LABEL_CALLS,
    LABEL_NEAR,
    LABEL_STOPPED,
    LABEL_RESUMED,
    LABEL_CALLED,
    LABEL_RETURNED,
    LABEL_EXPECTED,
    LABEL_DETOUR,
    LABEL_BEFORE,
    LABEL_AFTER,
    LABEL_JUDGED,
    LABEL_LEFT,
    LABEL_TASK,
    LABEL_UNMAPPED,
    LABEL_LITERAL,
    LABEL_REQUESTED,
    LABEL_STARTED,
    LABEL_FLUSHED,
    LABEL_WAITING,
    LABEL_RUNNING,
    LABEL_NEW,
    LABEL_PLACE,
    LABEL_BETWEEN,
    LABEL_MAPPED,
    LABEL_STACK,
    LABEL_REPLACED,
    LABEL_SLOT,
    LABEL_WHY,
    LABEL_SAID,
    LABEL_EXCEPTION,
    LABEL_CAUSE,
    LABEL_PATCHED,
    LABEL_UPDATE,
    LABEL_RETURNS,
    LABEL_HANGS,
    LABEL_BEGINS,
    LABEL_RECORD,
    LABEL_OPS,
    LABEL_WRONG,
    LABEL_KEY,
    LABEL_DATA,
    LABEL_PUBLISHED,
    LABEL_READ,
    LABEL_ENTRY,
    LABEL_USED,
    LABEL_REACHED,
    LABEL_FREED,
    LABEL_ASKED,
    LABELS,
};

/* Fixed texts. */
enum message {
    MESSAGE_NONE,
    MESSAGE_WRITER,       /* the writer is not known */
    MESSAGE_BYTES,        /* whether the bytes were written is not known */
    MESSAGE_CLOCKS,       /* cycles of different harts */
    MESSAGE_NO_PUSH,      /* a return address was replaced, but not kept */
    MESSAGE_NOT_REPLACED, /* a return address was kept, but not replaced */
    MESSAGE_NOT_HOOKED,   /* the same of one that a rethook has kept */
    MESSAGE_NOT_KEPT,     /* a rethook has kept another one */
    MESSAGE_SITE_CALLS,   /* these three: a detour without a name */
    MESSAGE_CALLED_REST,
    MESSAGE_RETURNS_THERE,
    MESSAGE_NO_HOOK,     /* no return address on this stack was replaced */
    MESSAGE_NEVER,       /* the hart has never executed a fence.i */
    MESSAGE_SINCE_START, /* the hart has executed none since its firmware started the kernel there
                          */
    MESSAGE_STARTED,     /* the hart has executed none since it was started */
    MESSAGE_RUN,         /* the hart has run the instruction since it was changed */
    MESSAGE_NOT_RUN,     /* the hart has not executed it since it was changed */
    MESSAGE_DATA_FENCE,  /* a data fence between store and request */
    MESSAGE_INTERRUPTS_OFF, /* so the hart does not take the interrupt */
    MESSAGE_LOCK_HERE,      /* text_mutex at the last store; at the store between */
    MESSAGE_LOCK_THERE,
    MESSAGE_LOCK_OTHER,
    MESSAGE_LOCK_BARE, /* text_mutex, although no other hart was seen to change text */
    MESSAGE_ALIAS,     /* of text, left mapped */
    MESSAGE_WRITABLE,  /* text at its own address */
    MESSAGE_OPEN,      /* any page of the kernel that can be written and executed */
    MESSAGE_DATA_OPEN, /* a page of data that can be executed */
    MESSAGE_OPENED,    /* a page that is made executable while it can be written */
    /* Of a slot, in which a copy of the instruction under a breakpoint is executed. */
    MESSAGE_NO_SLOT,
    MESSAGE_OTHER_INSN,
    MESSAGE_NO_WAY_BACK,
    MESSAGE_USES_PC,
    MESSAGE_OF_SYSTEM,
    MESSAGE_RESERVATION,
    MESSAGE_STEP_INTERRUPTS,
    /* Of what was carried out for the instruction under a breakpoint. */
    MESSAGE_ELSEWHERE,
    MESSAGE_RESULT,
    MESSAGE_LEFT_OUT,
    MESSAGE_GIVEN_UP,
    MESSAGE_SITE_AGAIN,
    MESSAGE_INSIDE,        /* of an instruction, after a fault */
    MESSAGE_TRAP_LOOP,     /* these eight: how the guest hangs */
    MESSAGE_HANDLER_TRAPS, /* the trap handler itself */
    MESSAGE_DEAF,          /* with interrupts off */
    MESSAGE_SPINS,         /* with interrupts on */
    MESSAGE_LOOPS,
    MESSAGE_LOOPS_OFF,
    MESSAGE_OFF,
    MESSAGE_WAITS_DEAF,
    /* How a hart that was started goes to work. */
    MESSAGE_START_TASK_TAKEN,
    MESSAGE_START_CPU_TAKEN,
    MESSAGE_START_NO_TASK,
    MESSAGE_START_STACK,
    MESSAGE_START_ALIGNMENT,
    MESSAGE_START_GP,
    MESSAGE_START_VECTOR,
    MESSAGE_START_MODE,
    MESSAGE_START_TABLES,
    MESSAGE_START_ACCESS,
    MESSAGE_START_NO_IPI,
    MESSAGE_START_SCRATCH,
    /* Of changed text: whole_insn.h. */
    MESSAGE_BREAK_INSIDE,
    MESSAGE_BREAK_TOO_LONG,
    MESSAGE_PART,
    MESSAGE_REST,
    MESSAGE_ILLEGAL,
    MESSAGE_NOT_RESTORED,
    MESSAGE_TARGET,
    MESSAGE_NOP, /* what a jump label should have */
    /* How a record of ftrace disagrees. */
    MESSAGE_RECORD_UNSORTED,
    MESSAGE_RECORD_TWICE,
    MESSAGE_RECORD_OF_FREED,
    MESSAGE_RECORD_MISSING,
    MESSAGE_RECORD_NEVER_ENABLED,
    MESSAGE_RECORD_COUNT,
    MESSAGE_RECORD_LEFT_ON,
    MESSAGE_RECORD_LEFT_OFF,
    MESSAGE_RECORD_SITE_ON,
    MESSAGE_RECORD_SITE_OFF,
    MESSAGE_RECORD_REGS,
    MESSAGE_RECORD_TRAMPOLINE,
    MESSAGE_RECORD_OPS,
    MESSAGE_OTHER_TABLE, /* what was written is not an entry, or was not seen */
    MESSAGE_RECORD_NO_SITE,
    MESSAGE_RECORD_INSIDE,
    MESSAGE_RECORD_ASKED,
    MESSAGE_RECORD_NAMELESS,
    MESSAGE_RECORD_UNNAMED,
    MESSAGE_TRACE_OP,
    MESSAGE_TRACE_OP_LATE,
    MESSAGE_PROGRAM_RUNS,
    MESSAGE_TEXT_IN_USE,
    MESSAGE_OPS_IN_USE,
    MESSAGE_OPS_FREED, /* this and the next four: what leads into text that is freed */
    MESSAGE_GRAPH_FREED,
    MESSAGE_PROBE_OWNER_FREED,
    MESSAGE_TRACEPOINT_FREED,
    MESSAGE_NOTIFIER_FREED,
    MESSAGE_PROBES_ALL,
    MESSAGE_NO_OPS, /* how a call of an ops is wrong */
    MESSAGE_OP_UNWANTED,
    MESSAGE_OP_LEFT_OUT,
    MESSAGE_OP_TWICE,
    MESSAGE_LIST_LATE,       /* in an update */
    MESSAGE_RETURN_UNWANTED, /* this and the next three: a graph tracer's return function */
    MESSAGE_RETURN_LEFT_OUT,
    MESSAGE_RETURN_OLDER,
    MESSAGE_RETURN_NOBODY,
    MESSAGE_NO_STACK,   /* of a task, for the graph tracer's entries */
    MESSAGE_GUARD_KEPT, /* of a task, by a tracer that has ended */
    MESSAGE_GRAPH_ON,
    MESSAGE_GRAPH_OFF,
    MESSAGE_STACK_FREED, /* a task's return stack; the next three, too */
    MESSAGE_STACK_EMPTY,
    MESSAGE_HOOKS_EMPTY,
    MESSAGE_STACK_OWN,
    MESSAGE_STACK_PASSED,    /* an entry was pushed past its end */
    MESSAGE_ENTRIES_DROPPED, /* this and the next two: of a task, by other than its returns */
    MESSAGE_ENTRIES_ADDED,
    MESSAGE_HOOKS_DROPPED,
    MESSAGE_TEXT_FREED, /* a page that a hart may still fetch from */
    MESSAGE_HOOK_FREED, /* the node or the rethook of a return that is still to come */
    MESSAGE_HOOK_ENDED, /* the handler of a rethook that was ended */
    MESSAGE_STACK_SHARED,
    MESSAGE_HOOKS_SHARED,
    MESSAGE_LOADS_BELOW, /* these three: of a trampoline */
    MESSAGE_STORES_BELOW,
    MESSAGE_FRAME_RECORD,  /* of a trampoline */
    MESSAGE_PROBE_LACKING, /* how a kprobe disagrees with the code */
    MESSAGE_PROBE_LEFT,
    MESSAGE_PROBE_GONE,
    MESSAGE_PROBE_SHARED,
    MESSAGE_PROBE_FREED,
    MESSAGE_PROBE_RESTORED, /* by a store to text */
    MESSAGE_PROBE_IN_SITE,
    MESSAGE_PROBE_DISABLED,
    MESSAGE_PROBE_NOT_CALLED,
    MESSAGE_PROBE_UNLISTED,
    MESSAGE_PROBE_CURRENT, /* after a hit */
    MESSAGE_FILTER_FREED,  /* of an ops */
    MESSAGE_TABLE_LACKS,
    MESSAGE_TABLE_ODD, /* of the table of a module's sites */
    MESSAGE_GRACE_PERIOD,
    /* Which of a return address and its entry on the shadow stack was replaced. */
    MESSAGE_SHADOW_KEPT,
    MESSAGE_SHADOW_LEFT,
    MESSAGE_SHADOW_OTHER,
    MESSAGE_PAD_REPLACED, /* why there is no landing pad */
    MESSAGE_PAD_NONE,
    MESSAGE_PAD_LABEL,
    MESSAGE_PAD_ALIGNMENT,
    MESSAGES,
};

/*
 * The innermost frames of a call stack, by their addresses: the instruction that is about to be
 * executed, in the first frame and in code that a trap interrupted; in the others a return address.
 */
struct call_stack {
    uint64_t at[STACK_FRAMES];
    uint16_t exact, user; /* a bit each: at[] is an instruction; it is in user mode */
    uint8_t count;
    uint8_t patcher; /* of a store: the frame that decided to patch (store_stacks.h) */
    bool more;       /* there are further frames */
};

struct fact {
    enum fact_label label;
    enum fact_kind kind;
    enum message message;
    uint32_t site, hart, requester;
    uint64_t pc, va, cycle, step;
    int32_t pid;
    struct writer writer;
    uint8_t size;
    uint8_t bytes[FACT_BYTES_MAX];
    struct call_stack stack;
    char text[FACT_WORDS_MAX];
};

/* An address in the code of frame i: the instruction, or the call before the return address. */
uint64_t call_stack_code(const struct call_stack *stack, unsigned i);

/* One breach. */
struct example {
    enum rule rule;
    uint32_t hart, site; /* site: NO_SITE if the code is not a site */
    uint64_t pc, cycle, step;
};

/* All breaches with one cause (audit.h). The evidence is that of the first one. */
struct finding {
    enum rule rule;
    uint64_t count;
    uint64_t by_rule[RULE_COUNT]; /* the count by rule; several rules if a hart has never fenced */
    uint64_t harts;               /* the harts that fetched, a bit each */
    struct example examples[EXAMPLES_MAX]; /* the first ones that differ in place or hart */
    unsigned example_count;
    struct example last; /* the newest breach */
    uint64_t last_task;  /* tp of its hart's task; 0: not known */
    uint32_t caused_by;  /* the index of the finding that it follows from, or NO_FINDING */
    bool explained;      /* by that one, as both are about the same code */
    struct fact facts[FACTS_MAX];
    unsigned fact_count;
};

/*
 * The registers of FACT_REGISTER: x0 to x31, f0 to f31, the doubleword below sp, and other state:
 * the fields of sstatus, CSRs, the task's numbers, and the vector unit's.
 */
enum {
    FACT_FREG = 32,
    FACT_SLOT = 64,
    FACT_SIE,
    FACT_SPIE,
    FACT_SPP,
    FACT_FS,
    FACT_SUM,
    FACT_MXR,
    FACT_SATP,
    FACT_FCSR,
    FACT_PREEMPT,
    FACT_RECURSION,
    FACT_CALL_DEPTH,
    FACT_PAUSED,
    FACT_VS,
    FACT_VL,
    FACT_VTYPE,
    FACT_VSTART,
    FACT_VCSR,
    FACT_VREG, /* v0 to v31; the value: the first doubleword that differs */
    FACT_REGISTERS = FACT_VREG + 32,
};

const char *fact_register_name(const struct fact *fact); /* "a0", "fa0", "-8(sp)", "sstatus.SIE" */
/* The number of the register with that name, of those that the rule compares; -1: there is none. */
int fact_register_number(enum rule rule, const char *name);
const char *fact_label_name(enum fact_label label);
const char *message_text(enum message message);

#endif
