/*
 * legal.h - for programs that change code as the ISA allows, on 1 to 4 harts.
 *
 * Each program is built twice: correct, and with -DMISS, which leaves out one
 * fence, or one store. The first must have no findings in any fetch mode, the second must have one.
 * Hart 0 runs main(), the others helper(); when main() returns, its result is the run's
 * status.
 */
#ifndef LEGAL_H
#define LEGAL_H

#include <stdint.h>

#include "virt.h"

enum { HARTS_MAX = 4, PAGE = 4096 };

#define LI_A0(n)   (0x00000513u | (uint32_t)(n) << 20)
#define ADD_A0(n)  (0x00050513u | (uint32_t)(n) << 20)
#define RET        0x00008067u
#define NOP        0x00000013u
#define JUMP(step) (0x0000006fu | (uint32_t)(step) << 20) /* step below 2048 */

typedef unsigned long function(void);

void helper(unsigned long hart);

/* The number of harts. */
unsigned long harts(void);

/* A full data fence: stores before it are seen before stores after it. */
static inline void full_fence(void)
{
    __asm__ volatile("fence rw, rw" ::: "memory");
}

/* Lets others request a fence.i of this hart by a software interrupt. Called on each hart. */
void accept_fences(void);

/* The other harts execute fence.i, all but those in `except` (a bit each), and have when it
 * returns. */
void fence_others(unsigned long except);

/* Hart 0 gives orders to the others, which report when they are done. */
void tell_others(unsigned long work);          /* returns when all have done it */
unsigned long next_work(unsigned long former); /* waits for an order other than `former` */
void work_done(void);

static inline function *as_function(uint32_t *code)
{
    union {
        uint32_t *code;
        function *call;
    } at = {code};

    return at.call;
}

/* At `code`: returns n. */
static inline void write_function(uint32_t *code, unsigned n)
{
    ((volatile uint32_t *)code)[0] = LI_A0(n);
    ((volatile uint32_t *)code)[1] = RET;
}

/* Fails the run if the values differ; with a missing fence they may. */
#ifdef MISS
#define EXPECT(truth) ((void)(truth))
#else
#define EXPECT(truth)                  \
    do {                               \
        if (!(truth))                  \
            finish(__LINE__ % 90 + 1); \
    } while (0)
#endif

#endif
