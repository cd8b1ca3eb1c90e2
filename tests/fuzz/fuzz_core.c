/*
 * fuzz_core.c - core files that a user may give. What is accepted makes a machine's timing,
 * whatever its figures are: steps of the pipeline, caches, predictors.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fuzz/check.h"
#include "timing/model.h"

static void run_pipe(const struct core *core)
{
    struct pipe_state s;

    pipe_reset(&s);
    for (unsigned i = 0; i < 4 * CORE_CLASSES; i++) {
        struct pipe_op op = {.class = (uint8_t)(i % CORE_CLASSES),
                             .rd = (uint8_t)(i % 5),
                             .source = {(uint8_t)(i % 7), (uint8_t)(i % 3)},
                             .size = 4,
                             .pc = (uint8_t)(i * 4 % 64),
                             .flags = (uint8_t)(i & 3)};
        struct pipe_cost cost = pipe_step(core, &s, &op);

        CHECK(cost.fetch + cost.data <= cost.cycles);
        CHECK(s.slot < core->issue_width);
        if (i % 3 == 0) {
            cost = pipe_leave(core, &s, (enum pipe_leave_by)(i % PIPE_LEAVES));
            CHECK(cost.branch == cost.cycles);
        }
    }
}

/* In all ways by turns: taken, backward, right behind another. */
static enum pipe_leave_by branch(struct predictor *p, uint64_t pc, uint64_t i)
{
    int32_t offset = i & 2 ? -4 : 4;

    if (p->core->update_busy && i & 4)
        return predictor_branch_ahead(p, pc, i & 1, true);
    return predictor_branch(p, pc, i & 1, &offset);
}

static void run_model(const struct core *core)
{
    struct shared_model *shared = shared_model_new(core);
    struct model *m[2] = {model_new(shared), model_new(shared)};

    for (uint64_t i = 0; i < 200; i++) {
        struct model *one = m[i % 3 == 0];
        struct model_page page = {.va = i << 12, .shift = i & 1 ? 12 : 21, .asid = 1};
        uint64_t pa = i * i * 72;

        (void)model_load(one, pa);
        CHECK(!model_load(one, pa));
        (void)model_store(one, pa, 8, i * 3);
        (void)model_fetch_line(one, pa);
        CHECK(model_has_line(one, pa));
        model_put_page(one, &one->dtlb, &page);
        CHECK(model_has_page(one, &one->dtlb, page.va, 1));
        CHECK(branch(&one->predictor, pa, i) < PIPE_LEAVES);
        CHECK(predictor_jump_indirect(&one->predictor, pa, i, i & 1, i & 2) < PIPE_LEAVES);
        if (i % 5 < 3)
            predictor_call(&one->predictor, pa, i, i * 8);
        else
            CHECK(predictor_return(&one->predictor, i * 8, i) < PIPE_LEAVES);
        (void)model_divide(one, i * 977, i, i & 1, i % 8);
        (void)model_multiply(one, pa, i);
    }
    model_free(m[0]);
    model_free(m[1]);
    shared_model_free(shared);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct diag silent = {.quiet = true, .program = "fuzz"};
    struct diag d = silent;
    struct core *core;
    char *text = xasprintf("%.*s", (int)size, (const char *)bytes);

    d.out = fopen("/dev/null", "w");
    core = core_parse(text, "fuzz.core", &d);
    if (core) {
        run_pipe(core);
        run_model(core);
    }
    core_free(core);
    fclose(d.out);
    free(text);
    return 0;
}
