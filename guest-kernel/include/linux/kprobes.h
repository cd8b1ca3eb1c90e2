/*
 * kprobes.h - probes: functions that are called when the kernel is about to execute an instruction.
 *
 * A probe is a breakpoint, or on the call site of a function an ftrace_ops where the layout's
 * trampoline saves all registers. Handlers run with preemption off, those of breakpoints also with
 * interrupts off.
 */
#ifndef LINUX_KPROBES_H
#define LINUX_KPROBES_H

#include <asm/kprobes.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/rethook.h>
#include <linux/sched.h>

/* Code of the probes themselves: no probe may be in it. */
#define __kprobes notrace __section(".kprobes.text")
/* The same for a function that stays where it is. */
#define NOKPROBE_SYMBOL(fname)                                                          \
    static const unsigned long nokprobe_##fname __used __section("_kprobe_blacklist") = \
        (unsigned long)(fname)

struct ftrace_ops;
struct ftrace_regs;
struct kprobe;
struct module;
struct pt_regs;

/* Not 0: has set regs->epc; the instruction is not executed. */
typedef int (*kprobe_pre_handler_t)(struct kprobe *p, struct pt_regs *regs);
typedef void (*kprobe_post_handler_t)(struct kprobe *p, struct pt_regs *regs, unsigned long flags);

/* The user sets addr, or symbol_name and offset; the handlers; and KPROBE_FLAG_DISABLED. */
struct kprobe {
    struct kprobe *hash_next; /* in its bucket; written under kprobe_mutex */
    struct list_head list;    /* of an aggregate: its probes; of these: the links */
    unsigned long nmissed;    /* hits while another probe was handled */
    kprobe_opcode_t *addr;
    const char *symbol_name;
    unsigned int offset;
    kprobe_pre_handler_t pre_handler;
    kprobe_post_handler_t post_handler;
    kprobe_opcode_t opcode; /* the instruction */
    struct arch_specific_insn ainsn;
    u32 flags; /* KPROBE_FLAG_*, under kprobe_mutex */
};

/* Linux's values. */
enum {
    KPROBE_FLAG_GONE = 1,     /* its module has been unloaded */
    KPROBE_FLAG_DISABLED = 2, /* registered, but not called */
    KPROBE_FLAG_FTRACE = 8,
    KPROBE_FLAG_ON_FUNC_ENTRY = 16,
};

/* kprobe_status of a hart. */
enum {
    KPROBE_HIT_ACTIVE = 0x1, /* in pre_handler */
    KPROBE_HIT_SS = 0x2,     /* the copy of the instruction is executed */
    KPROBE_REENTER = 0x4,    /* the same for a probe that was hit meanwhile */
    KPROBE_HIT_SSDONE = 0x8, /* in post_handler */
};

/* What each hart handles; with preemption off. */
extern struct kprobe *current_kprobe[NR_CPUS];
extern struct kprobe_ctlblk kprobe_ctlblks[NR_CPUS];

static __always_inline struct kprobe *kprobe_running(void)
{
    return current_kprobe[current->cpu];
}

static __always_inline void set_current_kprobe(struct kprobe *p)
{
    current_kprobe[current->cpu] = p;
}

static __always_inline void reset_current_kprobe(void)
{
    set_current_kprobe(NULL);
}

static __always_inline struct kprobe_ctlblk *get_kprobe_ctlblk(void)
{
    return &kprobe_ctlblks[current->cpu];
}

static inline bool kprobe_gone(const struct kprobe *p)
{
    return p->flags & KPROBE_FLAG_GONE;
}

static inline bool kprobe_disabled(const struct kprobe *p)
{
    return p->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE);
}

static inline bool kprobe_ftrace(const struct kprobe *p)
{
    return p->flags & KPROBE_FLAG_FTRACE;
}

/*
 * Returns 0 or: -EINVAL (no such place, or none to probe), -ENOENT (no such symbol), -EILSEQ
 * (inside an instruction), -ENOMEM. May sleep, as all functions here that change probes.
 */
int register_kprobe(struct kprobe *p);
/* On return no handler of p runs, and none will. */
void unregister_kprobe(struct kprobe *p);
/* All or none. */
int register_kprobes(struct kprobe **kps, int num);
void unregister_kprobes(struct kprobe **kps, int num);
int disable_kprobe(struct kprobe *p);
int enable_kprobe(struct kprobe *p);
/* The probe or aggregate at addr; with preemption off. */
struct kprobe *get_kprobe(void *addr);
void kprobes_inc_nmissed_count(struct kprobe *p);
/* Whether the place is the start of its function. 0 or a negative error. */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym, unsigned long offset);
bool within_kprobe_blacklist(unsigned long addr);

/* A call of a function with a kretprobe. */
struct kretprobe_instance {
    struct rethook_node node;
    char data[]; /* data_size bytes, for the handlers */
};

typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri, struct pt_regs *regs);

/* The user sets kp's place, the handlers, maxactive (0: a default) and data_size. */
struct kretprobe {
    struct kprobe kp;
    kretprobe_handler_t handler;       /* when the function returns; its result is ignored */
    kretprobe_handler_t entry_handler; /* not 0: this call's return is not wanted */
    int maxactive;                     /* calls at the same time; more are missed */
    unsigned long nmissed;
    size_t data_size;
    struct rethook *rh;
};

/* The errors of register_kprobe(); also -EINVAL (not the entry of a function), -E2BIG. */
int register_kretprobe(struct kretprobe *rp);
void unregister_kretprobe(struct kretprobe *rp);
bool is_kretprobe(const struct kprobe *p);

/* Slots: executable, never writable. NULL: no memory. */
u16 *get_insn_slot(void);
/* After a grace period: no hart is in the slot. */
void free_insn_slot(u16 *slot);
bool is_kprobe_insn_slot(unsigned long addr);

/* A module is about to be freed: its probes are gone, and stay registered. */
void kprobes_module_going(const struct module *mod);
void kprobes_init(void);

void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
                           struct ftrace_regs *fregs);

#endif
