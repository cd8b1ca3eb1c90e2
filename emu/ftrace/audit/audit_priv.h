/*
 * audit_priv.h - the part of the auditor that the families of rules use, and what they are to it.
 */
#ifndef FTRACE_AUDIT_PRIV_H
#define FTRACE_AUDIT_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "cpu/observer.h"
#include "ftrace/audit/audit.h"
#include "ftrace/events/events.h"
#include "ftrace/sites/sites.h"

struct breakpoint_rules;
struct breakpoints;
struct contract_rules;
struct fetch_rules;
struct patch;
struct site_rules;
struct slot_rules;
struct state_rules;
struct store_stacks;
struct text_rules;
struct translation_rules;
struct vector_states;

/* Pages other than their own through which a hart has stored to text; it needs two at a time. */
enum { ALIASES_MAX = 4 };

/* A hart's last store to text; stamp 0: none. */
struct text_store {
    uint64_t stamp, pa, pc, cycle, step;
    uint64_t va; /* where the text is run */
    struct {
        uint64_t va, stamp;           /* of the last store to this page; stamp 0: none */
    } aliases[ALIASES_MAX];           /* the newest first */
    uint64_t looked_pa, looked_cycle; /* of the store whose page was looked up last */
    bool through_alias;               /* that one: through aliases[0] */
    uint32_t site;                    /* NO_SITE: no site */
    uint32_t site_before;             /* of the store before, and its stamp */
    uint64_t stamp_before;
};

/* The store of the present EVENT_CODE_WRITE, for all rules. */
struct seen_store {
    uint32_t site;             /* that has a byte of it; NO_SITE: none has */
    const struct patch *patch; /* the last one of that site; NULL: there is none */
    uint32_t onlooker;         /* patch_rules_onlooker's answer, while has_onlooker */
    bool has_onlooker;
};

/* What the auditor remembers of a hart for all rules. */
struct audited_hart {
    uint32_t depth;    /* traps taken minus trap returns, modulo 2^32 */
    uint32_t traps;    /* traps taken, modulo 2^32 */
    uint32_t switches; /* switches from one task to another, modulo 2^32 */
    bool left_m_mode;  /* it has left M-mode at least once: its firmware has started a kernel */
    uint32_t odd_site; /* the last site that it ran with odd contents; NO_SITE: none, or taken */
    bool fenced;       /* has executed a fence.i since then, or since power-on if it never left */
    struct text_store text;
    uint64_t vectors; /* hart_status.vectors when its vector registers were kept last */
};

/*
 * A family of rules: the functions of its file, NAME_rules.c, and the state of its rules, which
 * only they know.
 */
struct rule_family {
    void *(*create)(struct audit *a); /* the state */
    void (*destroy)(void *rules);
    /* An event of a kind that rules.def has for it or one of its rules; NULL: it has none. */
    void (*event)(void *rules, const struct event *e);
    void (*ftrace_event)(void *rules, const struct ftrace_event *e);
    void (*end)(void *rules); /* the run has ended; NULL: that breaks no rule */
    void (*state_io)(struct state_io *io, void *rules);
};

#define FAMILY(name, events) extern const struct rule_family name##_family;
#include "ftrace/audit/rules.def"

struct event_user {
    void (*event)(void *rules, const struct event *e);
    void *rules;
};

struct ftrace_event_user {
    void (*event)(void *rules, const struct ftrace_event *e);
    void *rules;
};

/* An event that is to be emitted. */
struct noted {
    struct finding_event event;
    uint32_t hart; /* of the breach */
};

/* A cache: the base and offset of an instruction that stores, as to decode it takes long. */
enum { STORE_INSNS = 8 };
struct store_insn {
    uint32_t word; /* 0: none */
    uint8_t base;
    int64_t offset;
};

struct audit {
    struct audit_config config;
    struct decoder *decoder;            /* of all extensions: for many words at a time */
    struct store_insn *store_insns;     /* STORE_INSNS of them */
    const struct layout_traits *traits; /* of the sites' layout */
    void *rules[RULE_FAMILIES];
    uint32_t kinds; /* of the machine's events that some rule needs */
    /* Who needs the events of each kind. */
    struct event_user users[RULE_EVENTS][RULE_FAMILIES];
    struct ftrace_event_user ftrace_users[FTRACE_EVENT_KINDS][RULE_FAMILIES];
    unsigned user_count[RULE_EVENTS], ftrace_user_count[FTRACE_EVENT_KINDS];
    struct audited_hart *harts;
    struct seen_store store;
    struct store_stacks *stores;
    struct vector_states *vectors;   /* of detours; NULL: the harts have no vector unit */
    struct breakpoints *breakpoints; /* in code, and what they replaced */
    bool user_mode;                  /* some hart has been in U-mode */
    struct run_end end;              /* for the families' end() */
    bool sees_switches;              /* audited_hart.switches counts */
    bool has_direct_calls;           /* the kernel can make trampolines for single functions */
    struct map debugged; /* half of the address of each parcel of code that a debugger wrote */
    VEC_OF(struct finding) findings;
    struct map index; /* cause -> its finding */
    uint64_t left_out[SEVERITIES];
    VEC_OF(struct noted) noted; /* emitted when the evidence is complete */
};

/* The writer of a hart's last store to text. */
static inline struct writer text_store_writer(const struct text_store *t, uint32_t hart)
{
    return (struct writer){
        .kind = WRITER_HART, .hart = hart, .pc = t->pc, .cycle = t->cycle, .step = t->step};
}

/* A breach of a rule: where it was seen, and its cause, by which breaches are one finding. */
struct breach {
    enum rule rule;
    uint32_t hart, site; /* site: NO_SITE if there is none */
    uint64_t pc, cycle;
    uint64_t step; /* 0: now */
    uint64_t cause;
};

/* The cause of breaches of a rule at one place, for example a function's address. */
uint64_t audit_cause(enum rule rule, uint64_t place);

/* The address of the function that contains the pc; the pc if that is not known. */
uint64_t audit_function(const struct audit *a, uint64_t pc);

/*
 * The address by which the kernel was linked, of one of its image by which a hart without
 * translation runs it; any other as it is.
 */
uint64_t audit_linked(const struct audit *a, uint64_t address);

/* Whether the kernel has been started: another hart, or a program. */
bool audit_is_settled(const struct audit *a);

/*
 * Whether the hart is in S-mode, with a page table; and with one that has all of the image's text.
 * A hart that is being started has another one.
 */
bool audit_translates(struct hart *h);
bool audit_maps_text(const struct audit *a, struct hart *h);

/*
 * Whether a byte of [pa, pa + size) was last written by a debugger, which lets all harts fetch it:
 * what it puts into code is meant, whatever the kernel believes. The newest 16,384 parcels of two
 * bytes are known; who loads a whole image so is taken for a loader.
 */
bool audit_by_debugger(const struct audit *a, uint64_t pa, uint64_t size);

/*
 * The address of the function that decided to make a store to code: the one that called those that
 * store on behalf of any caller (store_stacks.h). Breaches by one such function have one cause.
 */
uint64_t audit_patcher(const struct audit *a, const struct writer *who);

/* The virtual address of the store that the hart executes; 0: not known. */
uint64_t audit_store_address(const struct audit *a, struct hart *h, const struct code_write *w);

/* The finding for the cause; NULL: there is none yet. */
struct finding *audit_known(struct audit *a, uint64_t cause);

/*
 * Counts a breach. Returns its finding, to which the caller must add the evidence before its event
 * function returns; NULL: the finding has its evidence already, or there are too many findings.
 */
struct finding *audit_add(struct audit *a, const struct breach *b);

/*
 * Add evidence: a fact to be filled in; a fixed text; a moment now; the site, if there is one; a
 * register's value, `reg' as in FACT_REGISTER.
 */
struct fact *audit_fact(struct finding *f, enum fact_label label, enum fact_kind kind);
void audit_fact_message(struct finding *f, enum fact_label label, enum message message);
void audit_fact_moment(struct finding *f, enum fact_label label, const struct hart *h, uint64_t pc);
void audit_fact_site(struct finding *f, uint32_t site);
void audit_fact_register(struct finding *f, enum fact_label label, unsigned reg, uint64_t value);
/* A text, which is cut if it is too long. */
void audit_fact_text(struct finding *f, enum fact_label label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The task that the hart runs, if it is known. */
void audit_fact_task(const struct audit *a, struct finding *f, struct hart *h);

/*
 * Adds the call stack of the hart, as it is now, unless only its instruction is known. A family
 * needs it only for a hart other than that of the breach: when its event function has returned, the
 * auditor adds the stack and the task of each FACT_STORE after it, as they were at the store, and
 * those of the hart of the breach after its last FACT_MOMENT, or in the end.
 */
void audit_fact_stack(const struct audit *a, struct finding *f, enum fact_label label,
                      struct hart *h);
/* The same as if the hart were at pc: it goes on where its stack cannot be followed. */
void audit_fact_stack_at(const struct audit *a, struct finding *f, enum fact_label label,
                         struct hart *h, uint64_t pc);

/* Must be called last: says how to read the order of facts that have cycles of several harts. */
void audit_fact_order(struct finding *f);

/* ---- what families share or ask of each other ---- */

/* In pfe16 the site keeps ra in the doubleword below sp. */
enum { SLOT_BELOW_SP = 8 };

/* For audit_cause: one finding for each register, and for the tracer and the return (call_kind). */
static inline uint64_t audit_place_of_register(unsigned kind, unsigned reg)
{
    return (uint64_t)kind << 8 | reg;
}

/*
 * Whether the hart's last fetch of the site was reported because the site has odd contents. The
 * answer is `true' once for each fetch: the site may be mended before the next.
 */
static inline bool audit_take_odd(struct audit *a, unsigned hart, uint32_t site)
{
    if (site == NO_SITE || a->harts[hart].odd_site != site)
        return false;
    a->harts[hart].odd_site = NO_SITE;
    return true;
}

/* A hart that may fetch while the present store to code is made; NO_HART: there is none. */
enum { NO_HART = UINT32_MAX };
uint32_t patch_rules_onlooker(struct audit *a, const struct code_write *w);

/* The hart goes on with this task. */
void guest_rules_task_runs(const struct audit *a, const struct hart *h, uint64_t tp);

/* Whether the site is of a module that is loaded, so that its code may be run. */
bool state_rules_module_runs(const struct audit *a, uint32_t site);

/* Whether a kprobe was found at the address, in code that had been freed. */
bool state_rules_probe_was_freed(const struct audit *a, uint64_t va);

/*
 * Whether the function that begins, and was made to return to the handler of rethooks, has `back`,
 * which that has replaced, in its node. True, too: it does not return there, or it is not known.
 */
bool contract_rules_hook_keeps(const struct audit *a, struct hart *h, uint64_t back);

/* Whether no task has the kernel's mutex of that name. */
bool audit_lock_is_free(const struct audit *a, struct hart *h, const char *name);
/* Whether some task has it. False, too: the kernel has no such lock. */
bool audit_lock_is_taken(const struct audit *a, struct hart *h, const char *name);

/* ---- what was not followed, as there was too much of it ---- */

uint64_t fetch_rules_windows_left_out(const struct fetch_rules *r);
uint64_t fetch_rules_swaps_left_out(const struct fetch_rules *r);
uint64_t site_rules_left_out(const struct site_rules *r);
uint64_t contract_rules_left_out(const struct contract_rules *r);
uint64_t slot_rules_left_out(const struct slot_rules *r);
uint64_t breakpoint_rules_left_out(const struct breakpoint_rules *r);
uint64_t text_rules_left_out(const struct text_rules *r);
uint64_t translation_rules_left_out(const struct translation_rules *r);
uint64_t state_rules_left_out(const struct state_rules *r);
uint64_t state_rules_labels_left_out(const struct state_rules *r);

#endif
