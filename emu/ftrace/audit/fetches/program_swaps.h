/*
 * program_swaps.h - programs that replace one instruction while another thread runs it, and ask for
 * the fences right afterwards.
 *
 * If it is one store, until then either version may run, and nothing else can be done without
 * stopping the other thread. But nothing says that a program is made for both, as a kernel's
 * functions do. So it is tolerated only from the store to what the program does next: its system
 * call has to bring the fences, or its own fence.i is all that there will be.
 */
#ifndef FTRACE_PROGRAM_SWAPS_H
#define FTRACE_PROGRAM_SWAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/observer.h"

struct program_swaps;
struct state_io;

/* What a program has done after its last store to code, when harts that lack a fence are judged. */
enum program_end {
    PROGRAM_GOES_ON, /* it has neither fenced nor made a system call */
    PROGRAM_FENCED,  /* the kernel has come back with a fence */
    PROGRAM_LEFT, /* it has gone on without: by another system call, or with a fence of its own */
};

struct program_swaps *program_swaps_new(unsigned harts);
void program_swaps_free(struct program_swaps *p); /* NULL is allowed */

/* A hart stores to code. */
void program_swaps_store(struct program_swaps *p, const struct code_write *w, struct hart *h);

/*
 * Whether the hart's program is still between its last store to code and what it does next. stamp:
 * of the store.
 */
bool program_swaps_is_open(const struct program_swaps *p, uint32_t hart, uint64_t stamp);

/* Whether the hart runs the thread that has made that store, not another one. */
bool program_swaps_runs(const struct program_swaps *p, struct hart *h);

/* Events of a hart. The answer is about the hart's program. */
void program_swaps_trap(struct program_swaps *p, const struct trap_event *t);
enum program_end program_swaps_return(struct program_swaps *p, const struct trap_return_event *t);
enum program_end program_swaps_fence(struct program_swaps *p, const struct fence_event *f);

/* How the instruction of a fetch was changed, which another hart runs meanwhile. */
enum program_change {
    PROGRAM_CHANGE_OTHER, /* in no way that is known */
    PROGRAM_CHANGE_PART,  /* a half of it, by one aligned store: old or new, never a mixture */
    PROGRAM_CHANGE_HALVES,
    PROGRAM_CHANGE_MISALIGNED,
    PROGRAM_CHANGE_MERGED, /* with the one after it, into a long one: a hart may be between them */
    /* Another one is changed together with it, and one needs the result of the other, as lui and
     * addi: a hart may run the old one with the new one, however each is fenced. */
    PROGRAM_CHANGE_PAIR,
    PROGRAM_CHANGE_BOTH, /* the same by one store of eight bytes: a hart may be between the two */
};

/* fenced: the stamp of the fetching hart's last fence. */
enum program_change program_swaps_change(const struct program_swaps *p, const struct stale_fetch *f,
                                         uint64_t fenced);

void program_swaps_state_io(struct state_io *io, struct program_swaps *p);

#endif
