/*
 * audit_priv.h - the part of the auditor that the functions of the rules use.
 */
#ifndef FTRACE_AUDIT_PRIV_H
#define FTRACE_AUDIT_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/swaps.h"
#include "ftrace/sites/sites.h"

/* A fetch in the window of an update: a breach if the hart has not fenced when the update ends. */
struct window {
    enum rule rule; /* the rule that it breaks then */
    uint32_t hart;
    struct stale_fetch fetch; /* its hart is NULL */
};

/* A context that a trap stopped inside of a site. */
struct parked {
    uint32_t site, hart;
    uint64_t pc, sp, cycle;
    uint8_t bytes[SITE_BYTES_MAX]; /* of the site then */
};

/* The registers at a call of the tracer or at return_to_handler (calls.h), until it comes back. */
struct followed {
    uint8_t kind; /* enum call_kind */
    bool has_float, has_slot, has_back, has_depth;
    uint32_t hart, site, traps; /* traps: of the hart, audited_hart.traps */
    uint64_t sp, back, pc, cycle;
    uint64_t slot;          /* the doubleword below sp */
    uint64_t function_back; /* TRACER: where the traced function returns to */
    int32_t depth;          /* TRACER: of the task's return stack (tasks.h) */
    uint64_t regs[32], fregs[32];
};

/* A context that a trap stopped while a site of pfe16 relied on the doubleword below sp. */
struct slot_held {
    uint32_t hart, site;
    uint64_t pc, sp, slot, cycle;
};

/* A hart's last store to text; stamp 0: none. */
struct text_store {
    uint64_t stamp, pa, pc, cycle;
    uint64_t va;    /* where the text is run */
    uint64_t alias; /* where a store was made not long before, at alias_cycle; 0: not known */
    uint64_t alias_cycle;
    uint32_t site;        /* NO_SITE: no site */
    uint32_t site_before; /* of the store before, and its stamp */
    uint64_t stamp_before;
};

/* Another hart's store to text while this one's update is open; stamp 0: none. */
struct text_overlap {
    uint32_t hart;
    uint64_t stamp, pc, cycle;
    bool guarded; /* by text_mutex */
};

/* A request for a fence.i to another hart: by an interrupt, whose handler has been entered. */
struct fence_request {
    uint32_t hart; /* that asks */
    uint64_t pc, cycle;
    bool sent, taken;
};

/* An interrupt to a hart by one whose update is open, which is not taken yet. */
struct fence_wait {
    uint32_t hart; /* that has sent it */
    uint64_t pc, cycle;
    uint64_t since; /* the cycle of the hart that should take it */
    bool sent;
};

/* A flush of a hart's translations, of addresses that include code. */
struct text_flush {
    uint32_t requester;
    uint64_t stamp, pc, cycle;
};

/* A context that a trap stopped in code outside of the kernel's image, as in a module. */
struct away {
    uint32_t hart;
    uint64_t pc, sp, cycle;
};

/* The last sfence.vma for a hart. */
struct mapping_change {
    bool known;
    uint32_t requester;
    uint64_t pc, cycle; /* of the requester */
    uint64_t at;        /* where the hart was */
};

/* What the auditor remembers of a hart. */
struct audited_hart {
    struct mapping_change mapping; /* these two: private to lifetime_rules.c */
    struct away resumed;           /* the last context that continued there; pc 0: another one */
    uint32_t depth;                /* traps taken minus trap returns, modulo 2^32 */
    uint32_t traps;                /* traps taken, modulo 2^32 */
    uint32_t odd_site;             /* the last site that it ran with odd contents; NO_SITE: none */
    bool left_m_mode; /* it has left M-mode at least once: its firmware has started a kernel */
    bool fenced;      /* has executed a fence.i since then, or since power-on if it never left */
    struct text_store text;
    struct fence_request request; /* to this hart; these are private to fence_rules.c */
    struct text_flush flush;
    struct fence_wait wait;
    struct text_overlap overlap; /* these three are private to patch_rules.c */
    bool look;                   /* at whether the text is still writable */
    uint64_t writable_since;     /* cycle; 0: not seen so yet */
    uint64_t satp_cycle;         /* when it was given another page table; 0: never */
};

enum { RETURN_HANDLERS_MAX = 4 };

/* A rule's function. */
typedef void (*rule_check)(struct audit *a, const struct event *e);

struct audit {
    VEC_OF(enum rule) untold; /* of findings of which the listener will be told */
    struct audit_config config;
    uint32_t rules_kinds;                       /* of events that some rule needs */
    rule_check checks[EVENT_KINDS][RULE_COUNT]; /* for each kind the functions that need it */
    unsigned check_count[EVENT_KINDS];
    VEC_OF(struct finding) findings;
    struct map index; /* cause -> its finding */
    uint64_t left_out[SEVERITIES];
    struct swaps *swaps;
    struct audited_hart *harts;
    VEC_OF(struct window) windows; /* private to fetch_rules.c */
    uint64_t windows_left_out;
    bool waits;     /* some hart's wait.sent may be set */
    bool user_mode; /* some hart has been in U-mode */
    bool lock_seen; /* the next three are private to patch_rules.c: text_mutex was owned once */
    bool text_protected;          /* the image's text was not writable once */
    bool module_text_protected;   /* a module's */
    VEC_OF(struct parked) parked; /* private to site_rules.c */
    uint64_t parked_left_out;
    VEC_OF(struct away) away; /* private to lifetime_rules.c */
    /* Where traced functions may be made to return to: return_to_handler, and those of kretprobes.
     */
    uint64_t handlers[RETURN_HANDLERS_MAX];
    unsigned handler_count;
    uint64_t return_to_handler;       /* 0: there is none */
    VEC_OF(struct followed) followed; /* private to contract_rules.c */
    uint64_t followed_left_out;
    VEC_OF(struct slot_held) slots_held; /* the same */
    uint64_t slots_left_out;
    /* The last stale fetch; the next event may be the other half of it. */
    struct {
        uint32_t hart, site;
        uint64_t pc, cycle, cause;
    } last;
};

/* A breach of a rule: where it was seen, and its cause, by which breaches are one finding. */
struct breach {
    enum rule rule;
    uint32_t hart, site; /* site: NO_SITE if there is none */
    uint64_t pc, cycle;
    uint64_t cause;
};

/* The cause of breaches of a rule at one place, for example a function's address. */
uint64_t audit_cause(enum rule rule, uint64_t place);

/* The address of the function that contains the pc; the pc if that is not known. */
uint64_t audit_function(const struct audit *a, uint64_t pc);

/* The finding for the cause; NULL: there is none yet. */
struct finding *audit_known(struct audit *a, uint64_t cause);

/*
 * Counts a breach. Returns its finding, to which the caller must add the evidence; NULL: the
 * finding has its evidence already, or there are too many findings.
 */
struct finding *audit_add(struct audit *a, const struct breach *b);

/* Add evidence: a fact to be filled in; a fixed text; a moment now; the site, if there is one. */
struct fact *audit_fact(struct finding *f, enum fact_label label, enum fact_kind kind);
void audit_fact_message(struct finding *f, enum fact_label label, enum message message);
void audit_fact_moment(struct finding *f, enum fact_label label, const struct hart *h, uint64_t pc);
void audit_fact_site(struct finding *f, uint32_t site);
/* The task that the hart runs, if it is known. */
void audit_fact_task(const struct audit *a, struct finding *f, struct hart *h);

/* Must be called last: says how to read the order of facts that have cycles of several harts. */
void audit_fact_order(struct finding *f);

/* Save or restore the state of a file's rules. */
void fence_rules_end(struct audit *a); /* looks once more at the end of a run */
void fence_rules_state_io(struct state_io *io, struct audited_hart *h);
void site_rules_state_io(struct state_io *io, struct audit *a);
void lifetime_rules_state_io(struct state_io *io, struct audit *a);
void contract_rules_state_io(struct state_io *io, struct audit *a);

/* The name of the breach of a rule about a missing fence: itself, or that of a fence that was
 * wrong.
 */
enum rule audit_name_fence(const struct audit *a, enum rule rule, const struct stale_fetch *s);

/* The flush of translations that the hart has executed instead of a fence.i; or NULL. */
const struct text_flush *audit_flush_instead(const struct audit *a, const struct stale_fetch *s);

/* Reports that the fetch breaks the rule. */
void audit_stale(struct audit *a, enum rule rule, const struct stale_fetch *s);

/* The functions of rules.def. */
#define RULE_BESIDE(name, text, severity, events, sentence, remedy)
#define RULE(name, text, severity, events, sentence, remedy) \
    void rule_##name(struct audit *a, const struct event *e);
#include "ftrace/audit/rules.def"
#undef RULE

#endif
