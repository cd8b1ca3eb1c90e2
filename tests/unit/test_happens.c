/*
 * test_happens.c - which accesses come before which, in the shapes of order_shapes.h.
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
#include "ftrace/audit/order/happens.h"
#include "unit/order_shapes.h"

enum { WIDTH = 8 };

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

    assert_int_equal(happens_width(w.h), WIDTH);
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
