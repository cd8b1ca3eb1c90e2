/*
 * native_host_priv.h - what native.c must know of the host's processor: how the holes of stencils
 * are filled, and how native code is entered. mk/stencils.py has the other half, the relocations.
 */
#ifndef CPU_NATIVE_HOST_PRIV_H
#define CPU_NATIVE_HOST_PRIV_H

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/hart_priv.h"

#ifdef __x86_64__

/* ---- x86-64 ---- */

/* With a number of 8, 32 or 64 bits, or the distance of an address. */
enum fill { FILL_8, FILL_32, FILL_64, FILL_NEAR };

/* The most bytes that a block may have: jumps reach everything. */
enum { HOST_BLOCK_MAX = INT_MAX };

/* The bytes for a hole behind the native code of a block. */
static inline unsigned host_constant_bytes(UNUSED enum fill how)
{
    return 0;
}

/*
 * Fills the hole `to`, which is executed at the address `here`, with v. *constants is where a
 * number of 8 bytes can be put within reach; it moves if one is.
 */
static inline void host_fill(uint8_t *to, uint64_t here, enum fill how, uint64_t v,
                             UNUSED uint8_t **constants)
{
    switch (how) {
    case FILL_8: *to = (uint8_t)v; break;
    case FILL_64: memcpy(to, &v, 8); break;
    case FILL_NEAR: v -= here; FALLTHROUGH;
    case FILL_32: {
        uint32_t low = (uint32_t)v;

        assert((int64_t)v == (int32_t)v || v == low);
        memcpy(to, &low, 4);
        break;
    }
    }
}

/* Makes what was written be executed from now on. */
static inline void host_publish(UNUSED uint8_t *write, UNUSED const uint8_t *execute,
                                UNUSED size_t bytes)
{
}

/* Whether one instruction multiplies and adds, with one rounding. */
static inline bool host_fuses_floats(void)
{
    return __builtin_cpu_supports("fma");
}

/* Whether it has the instructions of the stencils for vectors. */
static inline bool host_has_vectors(void)
{
    return __builtin_cpu_supports("avx2");
}

/* Saves the registers that native code must not change for its caller, and calls it. */
__attribute__((naked, noinline)) static void call_native(UNUSED struct hart *h,
                                                         UNUSED const void *enter)
{
    __asm__("pushq %%rbx\n\t"
            "pushq %%rbp\n\t"
            "pushq %%r12\n\t"
            "pushq %%r13\n\t"
            "pushq %%r14\n\t"
            "pushq %%r15\n\t"
            "movq %%rdi, %%rbx\n\t"
            "movq %%rsp, %c[stack](%%rbx)\n\t"
            "leaq 1f(%%rip), %%rax\n\t"
            "movq %%rax, %c[leave](%%rbx)\n\t"
            "jmp *%%rsi\n"
            "1:\n\t"
            "movq %c[stack](%%rbx), %%rsp\n\t"
            "popq %%r15\n\t"
            "popq %%r14\n\t"
            "popq %%r13\n\t"
            "popq %%r12\n\t"
            "popq %%rbp\n\t"
            "popq %%rbx\n\t"
            "ret"
            :
            : [stack] "i"(offsetof(struct hart, cache.native.stack)), [leave] "i"(offsetof(
                                                                          struct hart,
                                                                          cache.native.leave)));
}

#elif defined __aarch64__

/* ---- aarch64 ---- */

/* The number that an `adr' gives, or the distance of a jump: as many bits as the name says. */
enum fill { FILL_NUMBER, FILL_BRANCH_14, FILL_BRANCH_19, FILL_BRANCH_26 };

/* From its hot to its cold part a block has `tbz', which reaches 32 KiB. */
enum { HOST_BLOCK_MAX = 1 << 15 };

static inline unsigned host_constant_bytes(enum fill how)
{
    return how == FILL_NUMBER ? sizeof(uint64_t) : 0;
}

/* The instruction that moves v to the register, movz or movn; 0: there is none. */
static inline uint32_t host_move(uint32_t reg, uint64_t v)
{
    enum { PART = 16, PARTS = 4, IMM_AT = 5, PART_AT = 21 };
    const uint32_t movz = 0xd2800000, movn = 0x92800000;

    for (unsigned part = 0; part < PARTS; part++) {
        uint64_t mask = UINT64_C(0xffff) << part * PART;
        uint32_t into = part << PART_AT | reg;

        if (!(v & ~mask))
            return movz | into | (uint32_t)(v >> part * PART) << IMM_AT;
        if (!(~v & ~mask))
            return movn | into | (uint32_t)(~v >> part * PART) << IMM_AT;
    }
    return 0;
}

/* The bits [at, at + width) of an instruction that jumps or loads that far. */
static inline uint32_t host_distance(int64_t bytes, unsigned at, unsigned width)
{
    int64_t words = bytes >> 2;

    assert(!(bytes & 3) && words >> (width - 1) == words >> 63);
    return ((uint32_t)words & (UINT32_MAX >> (32 - width))) << at;
}

/*
 * `adr' becomes a move of the number, or a load of it: the constants lie behind the code, which is
 * mapped to be read, too.
 */
static inline uint32_t host_number(const uint8_t *to, uint32_t reg, uint64_t v, uint8_t **constants)
{
    const uint32_t ldr = 0x58000000;
    uint32_t move = host_move(reg, v);

    if (move)
        return move;
    memcpy(*constants, &v, sizeof v);
    move = ldr | host_distance(*constants - to, 5, 19) | reg;
    *constants += sizeof v;
    return move;
}

static inline void host_fill(uint8_t *to, uint64_t here, enum fill how, uint64_t v,
                             uint8_t **constants)
{
    int64_t distance = (int64_t)(v - here);
    uint32_t insn;

    memcpy(&insn, to, sizeof insn);
    switch (how) {
    case FILL_NUMBER: insn = host_number(to, insn & 31, v, constants); break;
    case FILL_BRANCH_14: insn |= host_distance(distance, 5, 14); break;
    case FILL_BRANCH_19: insn |= host_distance(distance, 5, 19); break;
    case FILL_BRANCH_26: insn |= host_distance(distance, 0, 26); break;
    }
    memcpy(to, &insn, sizeof insn);
}

/* The data cache is by physical addresses, so what was written here is seen there. */
static inline void host_publish(uint8_t *write, const uint8_t *execute, size_t bytes)
{
    char *there = (char *)(uintptr_t)execute;

    __builtin___clear_cache((char *)write, (char *)write + bytes);
    __builtin___clear_cache(there, there + bytes);
}

static inline bool host_fuses_floats(void)
{
    return true;
}

static inline bool host_has_vectors(void)
{
    return true;
}

_Static_assert(offsetof(struct hart, cache.native.leave) < 1 << 15 &&
                   offsetof(struct hart, cache.native.stack) < 1 << 15,
               "instructions have 12 bits for an offset in words of 8 bytes");

/* Saves the registers that native code must not change for its caller, and calls it. */
static NOINLINE void call_native(struct hart *h, const void *enter)
{
    register struct hart *hart __asm__("x26") = h; /* HOST_HART of stencils.c */
    register const void *to __asm__("x16") = enter;

    /* The frame pointer cannot be named as one that is changed. */
    __asm__ volatile("stp x29, x30, [sp, #-16]!\n\t"
                     "mov x10, sp\n\t"
                     "str x10, [%[hart], %[stack]]\n\t"
                     "adr x10, 1f\n\t"
                     "str x10, [%[hart], %[leave]]\n\t"
                     "br %[to]\n"
                     "1:\n\t"
                     "ldr x10, [%[hart], %[stack]]\n\t"
                     "mov sp, x10\n\t"
                     "ldp x29, x30, [sp], #16"
                     : [to] "+r"(to)
                     : [hart] "r"(hart), [stack] "i"(offsetof(struct hart, cache.native.stack)),
                       [leave] "i"(offsetof(struct hart, cache.native.leave))
                     : "memory", "cc", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
                       "x10", "x11", "x12", "x13", "x14", "x15", "x17", "x18", "x19", "x20", "x21",
                       "x22", "x23", "x24", "x25", "x27", "x28", "x30", "v0", "v1", "v2", "v3",
                       "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
                       "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
                       "v27", "v28", "v29", "v30", "v31");
}

#endif

#endif
