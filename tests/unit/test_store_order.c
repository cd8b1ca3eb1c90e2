/*
 * test_store_order.c - what harts see of each other's stores, in all legal ways: each shape is
 * tried with every interleaving, every order in which stores leave and every value that loads may
 * return, and must show exactly the outcomes of its row. Those that RVWMO permits and that are not
 * in a row need loads that are late, which late_shapes have.
 */
#include <string.h>

#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/choice.h"
#include "cpu/hart_priv.h" /* what else a hart's state depends on */
#include "cpu/store_order.h"
#include "isa/world.h"
#include "store_order_shapes.h"

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

/* At the end the loads that wait take their values. */
static void end_loads(const struct search *s)
{
    for (unsigned t = 0; t < s->threads; t++)
        while (hart_late_loads(cluster_hart(s->w.cluster, t)))
            hart_let_store_leave(cluster_hart(s->w.cluster, t), 0);
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
    end_loads(s);
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
                                    .late_registers = shape->setting == LATE,
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

static void atomic_operations_and_loads_are_late_as_is_permitted(void **state)
{
    (void)state;
    show(late_shapes, sizeof late_shapes / sizeof late_shapes[0]);
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
        cmocka_unit_test(atomic_operations_and_loads_are_late_as_is_permitted),
        cmocka_unit_test(with_ztso_only_a_store_is_late),
        cmocka_unit_test(devices_and_memory_that_is_one_are_ordered_by_fences_that_name_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
