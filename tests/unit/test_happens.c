/*
 * test_happens.c - which accesses come before which: shapes of two and three harts, with and
 * without what orders them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/observer.h"
#include "ftrace/audit/happens.h"

enum { HARTS = 3, WORDS = 3, WIDTH = HARTS * ACCESS_KINDS };
enum { A0 = 10, A1 = 11, A2 = 12 };
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
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"MP+fence.w.w+po",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"MP+fence.w.w+fence.r.r",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, FENCE, FENCE_SET_R, FENCE_SET_R, 0, 0, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"MP+fence.w.w+addr",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, ADD, A0, A1, 0, 0, 0},
      {1, LOAD, X, A2, A1, 0, 0}}},
    {"MP+po+addr",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, LOAD, X, A2, A0, 0, 0}}},
    {"MP+fence.r.r+addr",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_R, FENCE_SET_R, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, LOAD, X, A2, A0, 0, 0}}},
    {"MP+fence.w.r+addr",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, FENCE_SET_W, FENCE_SET_R, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, LOAD, X, A2, A0, 0, 0}}},
    {"MP+fence.rw.rw+ctrl: a branch orders no load",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, BRANCH, A0, 0, 0, 0, 0},
      {1, LOAD, X, A2, 0, 0, 0}}},
    {"MP+fence.rw.rw+ctrl to a store",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, BRANCH, A0, 0, 0, 0, 0},
      {1, STORE, X, 0, 0, 0, 0}}},
    {"MP+rl+aq",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 0, 1},
      {1, AMO, Y, A0, 0, 1, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"MP+rl+po",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 0, 1},
      {1, AMO, Y, A0, 0, 0, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"MP+aq+aq: an acquire is no release",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 1, 0},
      {1, AMO, Y, A0, 0, 1, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"MP+tso+fence.r.r",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, TSO, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, FENCE, FENCE_SET_R, RW, 0, 0, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"a lock that both take",
     true,
     {{0, AMO, Y, A0, 0, 1, 0},
      {0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, FENCE_SET_W, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, AMO, Y, A0, 0, 1, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"ISA2, by a third hart",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, STORE, Z, A0, 0, 0, 0},
      {2, LOAD, Z, A0, 0, 0, 0},
      {2, LOAD, X, A1, A0, 0, 0}}},
    {"ISA2, where the second hart does not depend on it",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, STORE, Z, 0, 0, 0, 0},
      {2, LOAD, Z, A0, 0, 0, 0},
      {2, LOAD, X, A1, A0, 0, 0}}},
    {"a store that atomic operations follow",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, AMO, Y, 0, 0, 0, 1},
      {1, AMO, Y, 0, 0, 0, 0},
      {2, AMO, Y, A0, 0, 1, 0},
      {2, LOAD, X, A1, 0, 0, 0}}},
    {"an interrupt between harts",
     true,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, SEND, 1, 0, 0, 0, 0},
      {1, TAKE, 0, 0, 0, 0, 0},
      {1, LOAD, X, A1, 0, 0, 0}}},
    {"a register that is computed again",
     false,
     {{0, STORE, X, 0, 0, 0, 0},
      {0, FENCE, RW, RW, 0, 0, 0},
      {0, STORE, Y, 0, 0, 0, 0},
      {1, LOAD, Y, A0, 0, 0, 0},
      {1, ADD, 0, A0, 0, 0, 0},
      {1, LOAD, X, A1, A0, 0, 0}}},
    {"its own accesses", true, {{0, STORE, X, 0, 0, 0, 0}, {0, LOAD, X, A0, 0, 0, 0}}},
};

struct world {
    struct happens *h;
    view_number views[WORDS][WIDTH], sent[WIDTH];
    struct happening first;
    bool before; /* the first store to X is before the last access */
};

static uint32_t reg(unsigned number)
{
    return number ? UINT32_C(1) << number : 0;
}

static void access_word(struct world *w, const struct step *s)
{
    const struct ordered_access a = {.loads = s->kind != STORE,
                                     .stores = s->kind != LOAD,
                                     .aq = s->aq,
                                     .rl = s->rl,
                                     .address = reg(s->address),
                                     .value = s->kind == STORE ? reg(s->target) : 0,
                                     .target = s->kind == STORE ? 0 : reg(s->target)};

    happens_begin(w->h, s->hart, &a);
    w->before = w->first.number && happens_is_before(w->h, &w->first, a.stores);
    happens_make(w->h, w->views[s->word], w->views[s->word]);
    if (s->word == X && !w->first.number)
        w->first = (struct happening){s->hart, happens_count(w->h, s->hart, ACCESS_OF_STORES),
                                      ACCESS_OF_STORES};
}

static void do_step(struct world *w, const struct step *s)
{
    switch (s->kind) {
    case FENCE: happens_fence(w->h, s->hart, s->word, s->target, false); break;
    case TSO: happens_fence(w->h, s->hart, s->word, s->target, true); break;
    case ADD: happens_compute(w->h, s->hart, reg(s->word), reg(s->target)); break;
    case BRANCH: happens_branch(w->h, s->hart, reg(s->word)); break;
    case SEND: happens_send(w->h, s->hart, w->sent); break;
    case TAKE: happens_receive(w->h, s->hart, w->sent); break;
    default: access_word(w, s); break;
    }
}

/* Runs the shape; `saved': it is saved and restored after each step. */
static bool is_ordered(const struct shape *shape, bool saved)
{
    struct world w = {.h = happens_new(HARTS)};
    struct state_io io;

    /* Stores before, so that the first one that counts is not the first of its hart. */
    for (unsigned hart = 0; hart < HARTS; hart++)
        do_step(&w, &(struct step){.hart = hart, .kind = STORE, .word = Z});
    for (unsigned i = 0; i < STEPS_MAX && shape->steps[i].kind != END; i++) {
        do_step(&w, &shape->steps[i]);
        if (!saved)
            continue;
        state_io_save(&io, 1);
        happens_state_io(&io, w.h);
        happens_free(w.h);
        w.h = happens_new(HARTS);
        {
            struct state_io in;

            state_io_load(&in, io.saved.at, io.saved.len);
            happens_state_io(&in, w.h);
            assert_int_equal(state_io_end(&in), STATE_OK);
        }
        state_io_free(&io);
    }
    happens_free(w.h);
    return w.before;
}

static void shapes_are_ordered_as_the_memory_model_has_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (is_ordered(&shapes[i], false) != shapes[i].ordered)
            fail_msg("%s", shapes[i].name);
}

static void what_was_saved_orders_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (is_ordered(&shapes[i], true) != shapes[i].ordered)
            fail_msg("%s", shapes[i].name);
}

/* What the start of a hart is ordered after: a fence before it is needed. */
static void a_start_comes_after_what_a_fence_orders(void **state)
{
    static const unsigned succ[] = {0, FENCE_SET_W, FENCE_SET_O, FENCE_SET_R};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(succ); i++) {
        struct world w = {.h = happens_new(HARTS)};

        do_step(&w, &(struct step){.kind = STORE, .word = Z});
        do_step(&w, &(struct step){.kind = STORE, .word = X});
        if (succ[i])
            happens_fence(w.h, 0, RW, succ[i], false);
        happens_next_store(w.h, 0, true, w.sent);
        assert_int_equal(view_has(w.sent, 0, ACCESS_OF_STORES),
                         succ[i] & (FENCE_SET_W | FENCE_SET_O) ? 2 : 0);
        happens_free(w.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_ordered_as_the_memory_model_has_it),
        cmocka_unit_test(what_was_saved_orders_the_same),
        cmocka_unit_test(a_start_comes_after_what_a_fence_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
