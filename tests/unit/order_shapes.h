/*
 * order_shapes.h - shapes of accesses by two and three harts, with and without what orders them:
 * for tests of happens.h itself, and of those who tell it what instructions do.
 */
#ifndef TESTS_UNIT_ORDER_SHAPES_H
#define TESTS_UNIT_ORDER_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/observer.h"

enum { HARTS = 3, WORDS = 3 };
enum { SHAPE_A0 = 10, SHAPE_A1 = 11, SHAPE_A2 = 12 };
enum { RW = FENCE_SET_R | FENCE_SET_W };

/* What a hart does: a row of a test. */
enum step_kind { END, LOAD, STORE, AMO, FENCE, TSO, ADD, BRANCH, SEND, TAKE };
struct step {
    unsigned hart;
    enum step_kind kind;
    unsigned word;    /* FENCE: the set before; ADD: the source; BRANCH: the source; SEND: to */
    unsigned target;  /* LOAD: the register; STORE: of its value, 0: none; FENCE: the set after */
    unsigned address; /* the register that the address comes from; 0: none */
    bool aq, rl;
};

enum { STEPS_MAX = 12, X = 0, Y = 1, Z = 2 };

/* The first access to X is a store; is it before the last access of all? */
struct shape {
    const char *name;
    bool ordered;
    struct step steps[STEPS_MAX];
};

static const struct shape shapes[] = {
    {"MP",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"MP+fence.w.w+po",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"MP+fence.w.w+fence.r.r",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, FENCE, FENCE_SET_R, FENCE_SET_R, 0, 0, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"MP+fence.w.w+addr",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, ADD, SHAPE_A0, SHAPE_A1, 0, 0, 0},
      {1, LOAD, X, SHAPE_A2, SHAPE_A1, 0, 0}}},
    {"MP+po+addr",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A2, SHAPE_A0, 0, 0}}},
    {"MP+fence.r.r+addr",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_R, FENCE_SET_R, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A2, SHAPE_A0, 0, 0}}},
    {"MP+fence.w.r+addr",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_R, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A2, SHAPE_A0, 0, 0}}},
    {"MP+fence.rw.rw+ctrl: a branch orders no load",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, BRANCH, SHAPE_A0, 0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A2, 0, 0, 0}}},
    {"MP+fence.rw.rw+ctrl to a store",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, BRANCH, SHAPE_A0, 0, 0, 0, 0},
      {1, STORE, X, 0, 0, 0, 0}}},
    {"MP+rl+aq",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 0, 1},
      {1, AMO, Y, SHAPE_A0, 0, 1, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"MP+rl+po",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 0, 1},
      {1, AMO, Y, SHAPE_A0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"MP+aq+aq: an acquire is no release",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 1, 0},
      {1, AMO, Y, SHAPE_A0, 0, 1, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"MP+tso+fence.r.r",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, TSO, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, FENCE, FENCE_SET_R, RW, 0, 0, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"a lock that both take",
     true,
     {{0, AMO, Y, SHAPE_A0, 0, 1, 0},
      {0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, AMO, Y, SHAPE_A0, 0, 1, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"ISA2, by a third hart",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, STORE, Z, SHAPE_A0, 0, 0, 0},
      {2, LOAD, Z, SHAPE_A0, 0, 0, 0},
      {2, LOAD, X, SHAPE_A1, SHAPE_A0, 0, 0}}},
    {"ISA2, where the second hart does not depend on it",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, STORE, Z, 0, 0, 0, 0},
      {2, LOAD, Z, SHAPE_A0, 0, 0, 0},
      {2, LOAD, X, SHAPE_A1, SHAPE_A0, 0, 0}}},
    {"a store that atomic operations follow",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 0, 1},
      {1, AMO, Y, 0, 0, 0, 0},
      {2, AMO, Y, SHAPE_A0, 0, 1, 0},
      {2, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"an interrupt between harts",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, SEND, 1, 0, 0, 0, 0},
      {1, TAKE, 0, 0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A1, 0, 0, 0}}},
    {"a register that is computed again",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, SHAPE_A0, 0, 0, 0},
      {1, ADD, 0, SHAPE_A0, 0, 0, 0},
      {1, LOAD, X, SHAPE_A1, SHAPE_A0, 0, 0}}},
    {"its own accesses", true, {{0, STORE, X, 0, 0, 0, 0}, {0, LOAD, X, SHAPE_A0, 0, 0, 0}}},
};

#endif
