/*
 * calls.h - the machine's own record of calls and returns of traced functions.
 *
 * A call begins when its site is executed, and ends when the return address is
 * reached with the stack pointer of the call. No instruction is added to the
 * guest, and the guest's own tracer is not used. Begins and ends are properly
 * nested on each stack. Writers of output formats are listeners.
 */
#ifndef FTRACE_CALLS_H
#define FTRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/feed.h"
#include "cpu/observer.h"
#include "ftrace/sites/sites.h"

struct call_registers;
struct call_values;
struct calls;
struct cluster;
struct ftrace_stream;
struct hart;
struct state_io;
struct image;
struct symbols;

enum call_kind {
    CALL_FUNCTION, /* a traced function, from its site on */
    CALL_TRACER,   /* the trampoline of an enabled site, until the instruction after the site */
    /*
     * From a return handler to the true return address. Listeners are called for that of
     * return_to_handler only.
     */
    CALL_RETURN,
    CALL_TRAP, /* a trap from the kernel, until the interrupted code continues */
    /*
     * A function whose return address the handler of a breakpoint has replaced, from there on.
     * Listeners are not called for it.
     */
    CALL_HOOK,
};

/*
 * Where a function returns to. A return handler is what a tracer or probe has put in the place of
 * a return address, by whatever name: return_to_handler, the trampoline of kretprobes, and others.
 */
enum call_hook {
    HOOK_UNKNOWN, /* its tracer did not return yet */
    HOOK_NONE,    /* to its caller */
    HOOK_HANDLER, /* to return_to_handler */
    HOOK_OTHER,   /* to another return handler */
    HOOK_CALLED,  /* into the trampoline, which has called the rest of the function */
};

/* Whether something has put another address in the place of the function's return address. */
static inline bool is_hooked(enum call_hook hook)
{
    return hook > HOOK_NONE;
}

/* An open call on a stack. */
struct call {
    enum call_kind kind;
    enum site_state state; /* FUNCTION: of its site, as this hart fetched it */
    const char *function;  /* FUNCTION: its name; NULL: not known (a module's) */
    uint64_t tail_of; /* FUNCTION, when it is entered by a tail call: pc of the function that made
                         the call; else 0 */
    uint32_t site;    /* FUNCTION, TRACER: its site's id; NO_SITE: seen at the trampoline only */
    uint64_t pc;      /* of the site; TRAP: the interrupted pc */
    uint64_t back;    /* where it returns to; FUNCTION: the return address */
    uint64_t sp;      /* the stack pointer of its caller */
    union {
        uint64_t cause;       /* TRAP: scause */
        uint64_t handler_sp;  /* FUNCTION with HOOK_CALLED: the stack pointer at `handler' */
        uint64_t called_step; /* RETURN: `step' of the function that has returned; 0: not known */
    };
    /*
     * FUNCTION, HOOK, and TRACER at its end: where the function returns to, if something has
     * replaced its return address; else 0. TRAP: ra.
     */
    uint64_t handler;
    enum call_hook hook; /* FUNCTION, HOOK; RETURN: HOOK_CALLED if the trampoline called the rest */
    unsigned hart;       /* these three: when it began */
    uint64_t cycle, step;
};

struct call_moment {
    unsigned hart;
    uint32_t stack;       /* counts from 1, in order of first use */
    struct clocks clocks; /* of the hart */
    uint64_t when;        /* its cycle, made monotonic on each stack */
    /*
     * With `registers' of the listener: of the function that begins, or at the address to which
     * calls have come back. NULL: there are none.
     */
    const struct call_values *values;
};

enum call_end {
    CALL_CAME_BACK,
    CALL_ABANDONED,  /* it did not return: its stack was dropped or unwound */
    CALL_STRAYED,    /* TRACER, RETURN: it reached the return address of an outer call instead */
    CALL_UNBALANCED, /* TRACER, RETURN: it came back with another stack pointer */
    CALL_LOST,       /* RETURN: it is about to jump to an address that no open call returns to */
    /*
     * FUNCTION, HOOK, only in FTRACE_CALL_LEFT: it, or an outer call, returned without its return
     * handler, although its return address had been replaced by that.
     */
    CALL_UNWOUND,
    CALL_UNSENT, /* RETURN, only in FTRACE_CALL_LEFT: no function had its return address replaced */
    /*
     * TRACER, only in FTRACE_CALL_LEFT: it calls the rest of the function, and gets it back by the
     * CALL_RETURN with HOOK_CALLED.
     */
    CALL_CALLED,
    CALL_DROPPED, /* it is not followed any further: there were too many calls */
    CALL_OPEN,    /* it was still open at the end of the run */
};

struct calls_listener {
    void *ctx;
    bool on_only; /* only functions whose site is on */
    /*
     * Without a listener: calls_site_stored will be called for each store to a site of the image.
     * Then only sites that may be on, or were, have probes.
     */
    bool stores_told;
    /*
     * NULL: `enter' and `leave' are called as the guest calls and returns. Otherwise the reader of
     * this feed calls them, and the harts' thread calls `look' and `meet' in advance.
     */
    struct feed *feed;
    /*
     * Called as the hart may run another task now. False: must be called again before the hart's
     * next call.
     */
    bool (*look)(void *ctx, struct hart *h);
    /*
     * Not NULL: values of registers are read at calls and returns, and no engine writes hits. The
     * registers of a function, by its site; NULL: none. Called on the harts' thread.
     */
    const struct call_registers *(*registers)(void *ctx, uint32_t site);
    /* Called when a function's pc, or the address of a call, is met for the first time. */
    void (*meet)(void *ctx, uint64_t address);
    /* NULL: there is no listener */
    void (*enter)(void *ctx, const struct call *c, const struct call_moment *at);
    void (*leave)(void *ctx, const struct call *c, const struct call_moment *at, enum call_end how);
    /* Saves or restores the listener's own state (base/state_io.h); may be NULL. */
    void (*state_io)(void *ctx, struct state_io *io);
};

/*
 * Plants probes at all sites; without a listener only sites that are on matter, and there are only
 * the events CALL_ENTERED and CALL_LEFT (ftrace/events/events.h). All it is given must outlive it.
 */
struct calls *calls_new(struct cluster *c, const struct image *im, const struct site_table *sites,
                        const struct symbols *symbols, const struct ftrace_stream *stream,
                        struct calls_listener listener);
void calls_free(struct calls *c); /* NULL is allowed */

/*
 * The innermost open call of a kind whose caller has this stack pointer. False: none is known;
 * without a listener calls are known only while their sites are on. `c` may be NULL.
 */
MUST_USE bool calls_open_at(const struct calls *c, enum call_kind kind, uint64_t sp,
                            struct call *found);

/* Calls back for each open call, stack by stack, the outermost first. `c` may be NULL. */
void calls_each(const struct calls *c, void (*found)(void *ctx, const struct call *call),
                void *ctx);

/* Whether the image has a site whose calls can be recorded. */
bool calls_possible(const struct site_table *sites);

/* Must be called at traps and returns from them. */
void calls_trap(struct calls *c, const struct trap_event *t);
void calls_trap_return(struct calls *c, const struct trap_return_event *t);

/*
 * Must be called when a site was added or is gone (site_table_listen). Without a listener, calls of
 * sites of modules are then seen at the site, and not only where ftrace's own trampolines begin.
 */
void calls_site_changed(struct calls *c, uint32_t id);

/* Must be called after a store to a site; `bytes': of the site, as they are in memory now. */
void calls_site_stored(struct calls *c, uint32_t id, const uint8_t *bytes);

/* Must be called when a hart's translations have changed (EVENT_SFENCE_VMA). */
void calls_mapping_changed(struct calls *c);

/* Saves or restores the open calls and the listener's state. Restoring plants their probes. */
void calls_state_io(struct state_io *io, struct calls *c);
void calls_state_skip(struct state_io *io, const struct site_table *sites); /* restores nothing */

/* Forgets all calls, as if none had begun. */
void calls_forget(struct calls *c);

/*
 * The number of calls whose return cannot be seen, because there were too many return addresses
 * before theirs. Such a call ends as CALL_ABANDONED, when a later one shows that it has ended.
 */
uint64_t calls_returns_left_out(const struct calls *c);

/* The number of calls that have ended with CALL_DROPPED, because too many were open. */
uint64_t calls_open_left_out(const struct calls *c);

/* At the end of the run: ends all open calls with CALL_OPEN. */
void calls_end(struct calls *c);

#endif
