/*
 * test_store_order.c - what harts see of each other's stores, in all legal ways: each shape is
 * tried with every interleaving, every order in which stores leave and every value that loads may
 * return, and must show exactly the outcomes of its row. Those that RVWMO permits and that are not
 * in a row need load buffering, which the row then says.
 */
#include <string.h>

#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/choice.h"
#include "cpu/hart_priv.h" /* what else a hart's state depends on */
#include "cpu/store_order.h"
#include "isa/world.h"

/* Three places, in lines of their own. */
#define X DATA
#define Y (DATA + 0x100)
#define Z (DATA + 0x200)

enum { THREADS_MAX = 4, INSNS_MAX = 8, SEEN_MAX = 4, OUTCOMES_MAX = 64, STEPS_MAX = 64 };
/* What an outcome consists of, a digit each: a register of a thread, or a place at the end. */
struct watched {
    unsigned thread, reg;
    uint64_t place; /* 0: the register */
};

struct shape {
    const char *name;
    uint32_t code[THREADS_MAX][INSNS_MAX]; /* ends with 0 */
    struct watched watched[SEEN_MAX];
    const char *outcomes; /* in ascending order */
    enum setting { RAM, TOTAL, X_Y_IO, Y_IO, DEVICE, DEVICE_NC } setting;
};

/* What the place at which a device is, in place of Y, holds. */
#define DEVICE_BASE UINT64_C(0x10000000)
#define SEEN        (DEVICE_BASE + 1) /* X, as the device saw it when it was written to */

/* Virtual addresses of all memory, by gigabytes: as it is, of type IO, and devices of type NC. */
#define AS_IO UINT64_C(0x40000000)
#define AS_NC UINT64_C(0x40000000)
#define ROOT  (RAM_BASE + 0x20000)

/* In each thread s0, s1 and s2 hold the places, and t1 and t2 the values 1 and 2. */
#define W(value, place)  SW(value, place, 0)
#define RD(reg, place)   LW(reg, place, 0)
#define F(pred, succ)    FENCE(0, pred, succ)
#define DEPENDS(on, to)  XOR(T3, on, on), ADD(T3, T3, to)
#define ADDR(on, to, rd) DEPENDS(on, to), LW(rd, T3, 0)
enum { FW = 1, FR = 2, FRW = 3 };
enum { RL = 1, AQ = 2, AQRL = 3 };
#define REG(thread, reg) \
    {                    \
        thread, reg, 0   \
    }
#define AT_END(place) \
    {                 \
        0, 0, place   \
    }

static const struct shape shapes[] = {
    {"SB",
     {{W(T1, S0), RD(A0, S1)}, {W(T1, S1), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10 11",
     RAM},
    {"SB+fence.w.r",
     {{W(T1, S0), F(FW, FR), RD(A0, S1)}, {W(T1, S1), F(FW, FR), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     RAM},
    {"SB+fence.tso",
     {{W(T1, S0), FENCE_TSO, RD(A0, S1)}, {W(T1, S1), FENCE_TSO, RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10 11",
     RAM},
    {"SB+amo.rl-lr.aq",
     {{AMOSWAP_W(RL, ZERO, T1, S0), LR_W(AQ, A0, S1)},
      {AMOSWAP_W(RL, ZERO, T1, S1), LR_W(AQ, A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     RAM},
    {"SB+amo-ld",
     {{AMOSWAP_W(0, ZERO, T1, S0), RD(A0, S1)}, {AMOSWAP_W(0, ZERO, T1, S1), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10 11",
     RAM},
    {"SB+amo.aq-ld",
     {{AMOSWAP_W(AQ, ZERO, T1, S0), RD(A0, S1)}, {AMOSWAP_W(AQ, ZERO, T1, S1), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     RAM},
    {"SB+rfi-addr",
     {{W(T1, S0), RD(A0, S0), ADDR(A0, S1, A1)}, {W(T1, S1), RD(A0, S1), ADDR(A0, S0, A1)}},
     {REG(0, A1), REG(1, A1)},
     "00 01 10 11",
     RAM},
    {"SB+amo-rfi-addr",
     {{AMOSWAP_W(0, ZERO, T1, S0), RD(A0, S0), ADDR(A0, S1, A1)},
      {AMOSWAP_W(0, ZERO, T1, S1), RD(A0, S1), ADDR(A0, S0, A1)}},
     {REG(0, A1), REG(1, A1)},
     "01 10 11",
     RAM},

    {"MP",
     {{W(T1, S0), W(T1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     RAM},
    {"MP+fence.w.w+po",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     RAM},
    {"MP+po+fence.r.r",
     {{W(T1, S0), W(T1, S1)}, {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     RAM},
    {"MP+fence.w.w+fence.r.r",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"MP+fence.tso",
     {{W(T1, S0), FENCE_TSO, W(T1, S1)}, {RD(A0, S1), FENCE_TSO, RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"MP+fence.w.w+addr",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), ADDR(A0, S0, A1)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"MP+fence.w.w+ctrl",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), BNE(A0, ZERO, 4), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     RAM},
    {"MP+amo.rl+lr.aq",
     {{W(T1, S0), AMOSWAP_W(RL, ZERO, T1, S1)}, {LR_W(AQ, A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"MP+amo+lr.aq",
     {{W(T1, S0), AMOSWAP_W(0, ZERO, T1, S1)}, {LR_W(AQ, A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     RAM},
    {"MP+fence.w.w-amo+fence.r.r",
     {{W(T1, S0), F(FW, FW), AMOSWAP_W(0, ZERO, T1, S1)}, {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"MP+sc.rl+fence.r.r",
     {{W(T1, S0), LR_W(0, A2, S1), SC_W(RL, A3, T1, S1)}, {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"MP+fence.w.w+data-rfi-addr (rule 12)",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), W(A0, S2), RD(A2, S2), ADDR(A2, S0, A1)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"MP+fence.w.w+ctrl-rfi-addr",
     {{W(T1, S0), F(FW, FW), W(T1, S1)},
      {RD(A0, S1), BNE(A0, ZERO, 4), W(T1, S2), RD(A2, S2), ADDR(A2, S0, A1)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     RAM},

    {"LB (11 needs load buffering)",
     {{RD(A0, S0), W(T1, S1)}, {RD(A0, S1), W(T1, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10",
     RAM},
    {"S",
     {{W(T2, S0), W(T1, S1)}, {RD(A0, S1), W(T1, S0)}},
     {REG(1, A0), AT_END(X)},
     "01 02 11 12",
     RAM},
    {"S+fence.w.w+data",
     {{W(T2, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), W(A0, S0)}},
     {REG(1, A0), AT_END(X)},
     "00 02 11",
     RAM},
    {"R",
     {{W(T1, S0), W(T1, S1)}, {W(T2, S1), RD(A0, S0)}},
     {AT_END(Y), REG(1, A0)},
     "10 11 20 21",
     RAM},
    {"R+fence.w.w+fence.w.r",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {W(T2, S1), F(FW, FR), RD(A0, S0)}},
     {AT_END(Y), REG(1, A0)},
     "10 11 21",
     RAM},
    {"R+fence.w.w+po",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {W(T2, S1), RD(A0, S0)}},
     {AT_END(Y), REG(1, A0)},
     "10 11 20 21",
     RAM},
    {"2+2W",
     {{W(T1, S0), W(T2, S1)}, {W(T1, S1), W(T2, S0)}},
     {AT_END(X), AT_END(Y)},
     "11 12 21 22",
     RAM},
    {"2+2W+fence.w.w",
     {{W(T1, S0), F(FW, FW), W(T2, S1)}, {W(T1, S1), F(FW, FW), W(T2, S0)}},
     {AT_END(X), AT_END(Y)},
     "12 21 22",
     RAM},
    {"2+2W+fence.w.w+po",
     {{W(T1, S0), F(FW, FW), W(T2, S1)}, {W(T1, S1), W(T2, S0)}},
     {AT_END(X), AT_END(Y)},
     "11 12 21 22",
     RAM},

    {"WRC",
     {{W(T1, S0)}, {RD(A0, S0), W(T1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(2, A0), REG(2, A1)},
     "000 001 010 011 100 101 110 111",
     RAM},
    {"WRC+fence.rw.rw+fence.r.r",
     {{W(T1, S0)}, {RD(A0, S0), F(FRW, FRW), W(T1, S1)}, {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(1, A0), REG(2, A0), REG(2, A1)},
     "000 001 010 011 100 101 111",
     RAM},
    {"WRC+data+addr",
     {{W(T1, S0)}, {RD(A0, S0), W(A0, S1)}, {RD(A0, S1), ADDR(A0, S0, A1)}},
     {REG(1, A0), REG(2, A0), REG(2, A1)},
     "000 001 100 101 111",
     RAM},
    {"ISA2+fence.w.w+data+addr",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), W(A0, S2)}, {RD(A0, S2), ADDR(A0, S0, A1)}},
     {REG(1, A0), REG(2, A0), REG(2, A1)},
     "000 001 100 101 111",
     RAM},
    {"ISA2",
     {{W(T1, S0), W(T1, S1)}, {RD(A0, S1), W(A0, S2)}, {RD(A0, S2), RD(A1, S0)}},
     {REG(1, A0), REG(2, A0), REG(2, A1)},
     "000 001 100 101 110 111",
     RAM},
    {"IRIW",
     {{W(T1, S0)}, {W(T1, S1)}, {RD(A0, S0), RD(A1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(2, A0), REG(2, A1), REG(3, A0), REG(3, A1)},
     "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111",
     RAM},
    {"IRIW+fence.r.r",
     {{W(T1, S0)},
      {W(T1, S1)},
      {RD(A0, S0), F(FR, FR), RD(A1, S1)},
      {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(2, A0), REG(2, A1), REG(3, A0), REG(3, A1)},
     "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111",
     RAM},

    {"CoRR", {{W(T1, S0)}, {RD(A0, S0), RD(A1, S0)}}, {REG(1, A0), REG(1, A1)}, "00 01 11", RAM},
    {"CoRR2",
     {{W(T1, S0), W(T2, S0)}, {RD(A0, S0), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 02 11 12 22",
     RAM},
    {"CoWR", {{W(T1, S0), RD(A0, S0)}, {W(T2, S0)}}, {REG(0, A0), AT_END(X)}, "11 12 22", RAM},
    {"CoRW1", {{RD(A0, S0), W(T1, S0)}, {W(T2, S0)}}, {REG(0, A0), AT_END(X)}, "01 02 21", RAM},
    {"AMO",
     {{AMOADD_W(0, A0, T1, S0)}, {AMOADD_W(0, A0, T1, S0)}},
     {REG(0, A0), REG(1, A0), AT_END(X)},
     "012 102",
     RAM},
    {"AMO after a store",
     {{W(T2, S0), AMOADD_W(0, A0, T1, S0)}, {AMOADD_W(0, A0, T1, S0)}},
     {REG(0, A0), REG(1, A0), AT_END(X)},
     "203 234 324",
     RAM},
    {"LR+SC",
     {{LR_W(0, A0, S0), ADDI(A0, A0, 1), SC_W(0, A1, A0, S0)},
      {LR_W(0, A0, S0), ADDI(A0, A0, 1), SC_W(0, A1, A0, S0)}},
     {REG(0, A1), REG(1, A1), AT_END(X)},
     "002 011 101",
     RAM},
    {"LR+SC against a store",
     {{LR_W(0, A0, S0), ADDI(A0, A0, 4), SC_W(0, A1, A0, S0)}, {W(T1, S0)}},
     {REG(0, A0), REG(0, A1), AT_END(X)},
     "401 411 505",
     RAM},
    {"SD+LW+fence.r.r",
     {{SD(T4, S0, 0)}, {LW(A0, S0, 0), F(FR, FR), LW(A1, S0, 4)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     RAM},
    {"SD+LW",
     {{SD(T4, S0, 0)}, {LW(A0, S0, 0), LW(A1, S0, 4)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     RAM},
    {"SW+LD",
     {{SW(T1, S0, 0), LD(A0, S0, 0), SRLI(A1, A0, 32)}, {SW(T1, S0, 4)}},
     {REG(0, A1)},
     "0 1",
     RAM},
    {"misaligned",
     {{SW(T4, S0, 6)}, {LH(A0, S0, 6), F(FR, FR), LH(A1, S0, 8)}},
     {REG(1, A0), REG(1, A1)},
     "00 10",
     RAM},
};

/* Ztso: only a store before a load is not in order, and an own store is seen early. */
static const struct shape total_shapes[] = {
    {"SB",
     {{W(T1, S0), RD(A0, S1)}, {W(T1, S1), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10 11",
     TOTAL},
    {"SB+fence.w.r",
     {{W(T1, S0), F(FW, FR), RD(A0, S1)}, {W(T1, S1), F(FW, FR), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     TOTAL},
    {"SB+amo-ld",
     {{AMOSWAP_W(0, ZERO, T1, S0), RD(A0, S1)}, {AMOSWAP_W(0, ZERO, T1, S1), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     TOTAL},
    {"SB+st-amo",
     {{W(T1, S0), AMOADD_W(0, A0, ZERO, S1)}, {W(T1, S1), AMOADD_W(0, A0, ZERO, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     TOTAL},
    {"SB+rfi",
     {{W(T1, S0), RD(A0, S0), RD(A1, S1)}, {W(T1, S1), RD(A0, S1), RD(A1, S0)}},
     {REG(0, A0), REG(0, A1), REG(1, A0), REG(1, A1)},
     "1010 1011 1110 1111",
     TOTAL},
    {"MP",
     {{W(T1, S0), W(T1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     TOTAL},
    {"LB",
     {{RD(A0, S0), W(T1, S1)}, {RD(A0, S1), W(T1, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10",
     TOTAL},
    {"S",
     {{W(T2, S0), W(T1, S1)}, {RD(A0, S1), W(T1, S0)}},
     {REG(1, A0), AT_END(X)},
     "01 02 11",
     TOTAL},
    {"R",
     {{W(T1, S0), W(T1, S1)}, {W(T2, S1), RD(A0, S0)}},
     {AT_END(Y), REG(1, A0)},
     "10 11 20 21",
     TOTAL},
    {"2+2W",
     {{W(T1, S0), W(T2, S1)}, {W(T1, S1), W(T2, S0)}},
     {AT_END(X), AT_END(Y)},
     "12 21 22",
     TOTAL},
    {"WRC",
     {{W(T1, S0)}, {RD(A0, S0), W(T1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(2, A0), REG(2, A1)},
     "000 001 010 011 100 101 111",
     TOTAL},
    {"IRIW",
     {{W(T1, S0)}, {W(T1, S1)}, {RD(A0, S0), RD(A1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(2, A0), REG(2, A1), REG(3, A0), REG(3, A1)},
     "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111",
     TOTAL},
    {"LR+SC",
     {{LR_W(0, A0, S0), ADDI(A0, A0, 1), SC_W(0, A1, A0, S0)},
      {LR_W(0, A0, S0), ADDI(A0, A0, 1), SC_W(0, A1, A0, S0)}},
     {REG(0, A1), REG(1, A1), AT_END(X)},
     "002 011 101",
     TOTAL},
};

/*
 * Fences with input and output: Y is a device, which looks at X when it is written to; or X and Y
 * are RAM in pages that make it one (Svpbmt).
 */
enum { FI = 8, FO = 4 };
#define RINGS(fence)                    \
    {                                   \
        {                               \
            W(T1, S0), fence, W(T1, S1) \
        }                               \
    }
#define ASKS(fence)                        \
    {                                      \
        {W(T1, S0), F(FW, FO), W(T1, S1)}, \
        {                                  \
            RD(A0, S1), fence, RD(A1, S0)  \
        }                                  \
    }
#define NO_FENCE ADDI(ZERO, ZERO, 0)

static const struct shape io_shapes[] = {
    {"doorbell", RINGS(NO_FENCE), {AT_END(SEEN)}, "0 1", DEVICE},
    {"doorbell+fence.w.o", RINGS(F(FW, FO)), {AT_END(SEEN)}, "1", DEVICE},
    {"doorbell+fence.w.w", RINGS(F(FW, FW)), {AT_END(SEEN)}, "0 1", DEVICE},
    {"doorbell+fence.w.i", RINGS(F(FW, FI)), {AT_END(SEEN)}, "0 1", DEVICE},
    {"doorbell+fence.r.o", RINGS(F(FR, FO)), {AT_END(SEEN)}, "0 1", DEVICE},
    {"doorbell+fence.o.o", RINGS(F(FO, FO)), {AT_END(SEEN)}, "0 1", DEVICE},
    {"doorbell+fence.w.ow", RINGS(F(FW, FO | FW)), {AT_END(SEEN)}, "1", DEVICE},
    {"doorbell+fence.w.r",
     RINGS(F(FW, FR)),
     {AT_END(SEEN)},
     "1",
     DEVICE}, /* stronger than the ISA */
    {"doorbell NC+fence.w.w", RINGS(F(FW, FW)), {AT_END(SEEN)}, "1", DEVICE_NC},
    {"doorbell NC", RINGS(NO_FENCE), {AT_END(SEEN)}, "0 1", DEVICE_NC},
    {"MP with a device", ASKS(NO_FENCE), {REG(1, A0), REG(1, A1)}, "00 01 10 11", DEVICE},
    {"MP with a device+fence.i.r", ASKS(F(FI, FR)), {REG(1, A0), REG(1, A1)}, "00 01 11", DEVICE},
    {"MP with a device+fence.r.r",
     ASKS(F(FR, FR)),
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     DEVICE},
    {"MP with a device+fence.o.r",
     ASKS(F(FO, FR)),
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     DEVICE},
    {"MP with a device+addr",
     {{W(T1, S0), F(FW, FO), W(T1, S1)}, {RD(A0, S1), ADDR(A0, S0, A1)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     DEVICE},
    {"MP with a device NC+fence.r.r",
     ASKS(F(FR, FR)),
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     DEVICE_NC},
    {"SB with a device",
     {{W(T1, S0), RD(A0, S1)}, {W(T1, S1), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10 11",
     DEVICE},
    {"SB with a device+fence.w.i+fence.o.r",
     {{W(T1, S0), F(FW, FI), RD(A0, S1)}, {W(T1, S1), F(FO, FR), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     DEVICE},
    {"SB with a device+fence.w.o+fence.o.r",
     {{W(T1, S0), F(FW, FO), RD(A0, S1)}, {W(T1, S1), F(FO, FR), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "00 01 10 11",
     DEVICE},

    {"MP with a flag of type IO",
     {{W(T1, S0), W(T1, S1)}, {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 10 11",
     Y_IO},
    {"MP with a flag of type IO+fence.w.w",
     {{W(T1, S0), F(FW, FW), W(T1, S1)}, {RD(A0, S1), F(FR, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     Y_IO},
    {"MP with a flag of type IO+fence.w.o+fence.i.r",
     {{W(T1, S0), F(FW, FO), W(T1, S1)}, {RD(A0, S1), F(FI, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     Y_IO},
    {"MP with a flag of type IO+amo+lr",
     {{W(T1, S0), F(FW, FO), AMOSWAP_W(0, ZERO, T1, S1)}, {LR_W(0, A0, S1), F(FI, FR), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     Y_IO},
    {"MP of type IO",
     {{W(T1, S0), W(T1, S1)}, {RD(A0, S1), RD(A1, S0)}},
     {REG(1, A0), REG(1, A1)},
     "00 01 11",
     X_Y_IO},
    {"SB of type IO",
     {{W(T1, S0), RD(A0, S1)}, {W(T1, S1), RD(A0, S0)}},
     {REG(0, A0), REG(1, A0)},
     "01 10 11",
     X_Y_IO},
};

/* ---- the search ---- */

struct search {
    struct world w;
    const struct shape *shape;
    unsigned threads;
    struct state_io start;
    /* the choices of the present run; the first `known` of them are given */
    struct {
        unsigned taken, count;
    } steps[STEPS_MAX];
    unsigned known, at;
    struct map visited;
    char outcomes[OUTCOMES_MAX][SEEN_MAX + 1];
    unsigned outcome_count;
    unsigned runs;
    uint64_t device, seen; /* what the device holds, and saw */
};

static unsigned take_step(struct search *s, unsigned count)
{
    assert_in_range(s->at, 0, STEPS_MAX - 1);
    if (s->at == s->known) {
        s->steps[s->at].taken = 0;
        s->steps[s->at].count = count;
        s->known++;
    }
    assert_int_equal(s->steps[s->at].count, count);
    return s->steps[s->at++].taken;
}

static unsigned answer(void *context, enum choice_kind kind, unsigned hart, unsigned count)
{
    (void)hart;
    if (kind ==
        CHOICE_CONDITIONAL) /* the shapes are those of sc that do not fail without a cause */
        return 0;
    assert_int_equal(kind, CHOICE_LOAD_VALUE);
    return take_step(context, count);
}

/* Goes back to the last step that has another choice. False: there is none. */
static bool next_run(struct search *s)
{
    while (s->known && s->steps[s->known - 1].taken + 1 == s->steps[s->known - 1].count)
        s->known--;
    if (!s->known)
        return false;
    s->steps[s->known - 1].taken++;
    return true;
}

static uint64_t code_of(unsigned thread)
{
    return CODE + thread * 0x100;
}

static unsigned length_of(const struct shape *shape, unsigned thread)
{
    unsigned n = 0;

    while (n < INSNS_MAX && shape->code[thread][n])
        n++;
    return n;
}

static bool has_ended(const struct search *s, unsigned thread)
{
    return hart_pc(cluster_hart(s->w.cluster, thread)) ==
           code_of(thread) + 4 * length_of(s->shape, thread);
}

static uint64_t hash_of(const struct search *s)
{
    uint64_t hash = cluster_store_order_hash(s->w.cluster);
    uint64_t places[] = {X, X + 8, Y, Z};

    for (unsigned t = 0; t < s->threads; t++) {
        const struct hart *h = cluster_hart(s->w.cluster, t);

        for (unsigned r = 1; r < 32; r++)
            hash = (hash ^ hart_reg(h, r)) * UINT64_C(0x9fb21c651e98df25), hash ^= hash >> 29;
        hash = (hash ^ hart_pc(h)) * UINT64_C(0x9fb21c651e98df25), hash ^= hash >> 29;
        hash = (hash ^ (h->s.reserved ? h->s.reserved_line : 0)) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 29;
    }
    hash = (hash ^ (s->device << 8 | s->seen)) * UINT64_C(0x9fb21c651e98df25);
    for (unsigned i = 0; i < 4; i++)
        hash = (hash ^ peek(&s->w, places[i], 8)) * UINT64_C(0x9fb21c651e98df25),
        hash ^= hash >> 29;
    return hash >> 1;
}

static void note_outcome(struct search *s)
{
    char outcome[SEEN_MAX + 1] = {0};

    for (unsigned i = 0; i < SEEN_MAX; i++) {
        const struct watched *w = &s->shape->watched[i];

        if (w->place == SEEN)
            outcome[i] = (char)('0' + s->seen);
        else if (w->place)
            outcome[i] = (char)('0' + peek(&s->w, w->place, 4));
        else if (w->reg)
            outcome[i] = (char)('0' + hart_reg(cluster_hart(s->w.cluster, w->thread), w->reg));
    }
    for (unsigned i = 0; i < s->outcome_count; i++)
        if (!strcmp(s->outcomes[i], outcome))
            return;
    assert_in_range(s->outcome_count, 0, OUTCOMES_MAX - 1);
    strcpy(s->outcomes[s->outcome_count++], outcome);
}

/* Does the step with that number: the next instruction of a thread, or a store leaves. */
static void do_step(const struct search *s, unsigned number)
{
    for (unsigned t = 0; t < s->threads; t++) {
        struct hart *h = cluster_hart(s->w.cluster, t);
        unsigned ready = hart_stores_that_may_leave(h);

        if (!has_ended(s, t) && !number--) {
            assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
            return;
        }
        if (number < ready) {
            hart_let_store_leave(h, number);
            return;
        }
        number -= ready;
    }
}

static unsigned count_steps(const struct search *s)
{
    unsigned count = 0;

    for (unsigned t = 0; t < s->threads; t++)
        count += !has_ended(s, t) + hart_stores_that_may_leave(cluster_hart(s->w.cluster, t));
    return count;
}

/* Whether the state was not met before. */
static bool is_new(struct search *s)
{
    uint64_t hash = hash_of(s), value;

    if (map_get(&s->visited, hash, &value))
        return false;
    map_put(&s->visited, hash, 1);
    return true;
}

static void restart(struct search *s)
{
    struct state_io io;

    for (uint64_t at = X; at < X + 16; at += 8)
        poke(&s->w, at, 0, 8);
    poke(&s->w, Y, 0, 8);
    poke(&s->w, Z, 0, 8);
    s->device = s->seen = 0;
    state_io_load(&io, s->start.saved.at, s->start.saved.len);
    cluster_state_io(&io, s->w.cluster);
    assert_int_equal(state_io_end(&io), STATE_OK);
    s->at = 0;
}

static void run_once(struct search *s)
{
    unsigned count;

    restart(s);
    while ((count = count_steps(s))) {
        if (s->at == s->known && !is_new(s))
            return;
        do_step(s, take_step(s, count));
    }
    note_outcome(s);
}

/* ---- the device, and the pages ---- */

static enum fault ask_device(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    const struct search *s = ctx;

    (void)offset, (void)size;
    *value = s->device;
    return FAULT_NONE;
}

static enum fault tell_device(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    struct search *s = ctx;

    (void)offset, (void)size;
    s->device = value;
    s->seen = peek(&s->w, X, 4);
    return FAULT_NONE;
}

static void add_device(struct search *s)
{
    const struct device device = {.name = "doorbell",
                                  .base = DEVICE_BASE,
                                  .size = 0x1000,
                                  .sizes = 4,
                                  .ctx = s,
                                  .read = ask_device,
                                  .write = tell_device};

    assert_true(bus_map_device(s->w.bus, &device, &(struct diag){0}));
}

/* Gigabytes of Sv39: devices, devices of type NC, RAM, RAM of type IO. */
static void add_pages(struct search *s)
{
    enum { RIGHTS = 0xcf, NC = 1, IO = 2, TYPE_SHIFT = 61, GIGABYTE = 0x40000 << 10 };
    const uint64_t types[] = {0, NC, 0, IO};

    for (uint64_t at = 0; at < 4; at++)
        poke(&s->w, ROOT + 8 * at, types[at] << TYPE_SHIFT | (at & 2) * GIGABYTE | RIGHTS, 8);
}

static void translate(struct hart *h)
{
    enum { SV39 = 8, MODE_SHIFT = 60 };

    open_memory(h);
    set_csr(h, MENVCFG, UINT64_MAX);
    set_csr(h, SATP, (uint64_t)SV39 << MODE_SHIFT | ROOT >> 12);
    enter(h, PRIV_S, hart_pc(h));
}

static void begin_thread(struct search *s, unsigned thread)
{
    const enum setting setting = s->shape->setting;
    struct hart *h = cluster_hart(s->w.cluster, thread);

    for (unsigned n = 0; n < length_of(s->shape, thread); n++)
        poke(&s->w, code_of(thread) + 4 * n, s->shape->code[thread][n], 4);
    poke(&s->w, code_of(thread) + 4 * length_of(s->shape, thread), JAL(ZERO, 0), 4);
    hart_set_pc(h, code_of(thread));
    hart_set_reg(h, S0, setting == X_Y_IO ? X + AS_IO : X);
    hart_set_reg(h, S1,
                 setting == DEVICE      ? DEVICE_BASE
                 : setting == DEVICE_NC ? DEVICE_BASE + AS_NC
                 : setting >= X_Y_IO    ? Y + AS_IO
                                        : Y);
    hart_set_reg(h, S2, Z);
    hart_set_reg(h, T1, 1);
    hart_set_reg(h, T2, 2);
    hart_set_reg(h, T4, UINT64_C(0x100000001));
    if (setting >= X_Y_IO)
        translate(h);
}

static void begin(struct search *s, const struct shape *shape)
{
    struct cluster_config config = {.fetch = FETCH_COHERENT,
                                    .stores = STORES_RANDOM,
                                    .extensions = shape->setting == TOTAL ? EXTS_ALL : 0,
                                    .chooser = {.choose = answer, .context = s}};

    memset(s, 0, sizeof *s);
    s->shape = shape;
    while (s->threads < THREADS_MAX && shape->code[s->threads][0])
        s->threads++;
    s->w = world_with(&config, s->threads);
    add_device(s);
    add_pages(s);
    for (unsigned t = 0; t < s->threads; t++)
        begin_thread(s, t);
    state_io_save(&s->start, 1 << 16);
    cluster_state_io(&s->start, s->w.cluster);
}

static void end(struct search *s)
{
    state_io_free(&s->start);
    map_free(&s->visited);
    world_free(&s->w);
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool shows_its_outcomes(const struct shape *shape)
{
    struct search s;
    char text[OUTCOMES_MAX * (SEEN_MAX + 1) + 1] = "";
    bool same;

    begin(&s, shape);
    do {
        run_once(&s);
        s.runs++;
    } while (next_run(&s));
    qsort(s.outcomes, s.outcome_count, sizeof s.outcomes[0], compare);
    for (unsigned i = 0; i < s.outcome_count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, s.outcomes[i]);
    }
    same = !strcmp(text, shape->outcomes);
    if (!same)
        print_error("%s shows %s, and not %s (%u runs)\n", shape->name, text, shape->outcomes,
                    s.runs);
    end(&s);
    return same;
}

static void show(const struct shape *list, size_t count)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < count; i++)
        wrong += !shows_its_outcomes(&list[i]);
    assert_int_equal(wrong, 0);
}

static void each_shape_shows_exactly_what_is_permitted(void **state)
{
    (void)state;
    show(shapes, sizeof shapes / sizeof shapes[0]);
}

static void with_ztso_only_a_store_is_late(void **state)
{
    (void)state;
    show(total_shapes, sizeof total_shapes / sizeof total_shapes[0]);
}

static void devices_and_memory_that_is_one_are_ordered_by_fences_that_name_them(void **state)
{
    (void)state;
    show(io_shapes, sizeof io_shapes / sizeof io_shapes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_shows_exactly_what_is_permitted),
        cmocka_unit_test(with_ztso_only_a_store_is_late),
        cmocka_unit_test(devices_and_memory_that_is_one_are_ordered_by_fences_that_name_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
