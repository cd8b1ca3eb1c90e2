/*
 * search.c - see search.h. Depth first: `path' has the choices of the present execution.
 */
#include "litmus/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/state_hash.h"
#include "cpu/store_order.h"
#include "load/image.h"
#include "machine/snapshot.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* A choice of the present execution. */
struct choice {
    uint16_t answer, count;
};

/* A decoded instruction; harts come to the same few ones again and again. */
struct decoded {
    uint32_t word;
    bool known, legal;
    struct insn insn;
};

enum { DECODED = 64 };

struct search {
    const struct test_image *image;
    const struct search_limits *limits;
    struct machine *machine;
    struct cluster *cluster;
    const struct ram *ram;
    const struct snapshot *start;
    struct outcomes *out;
    VEC_OF(struct choice) path;
    size_t depth;       /* choices that the present execution has met */
    struct moves moves; /* of the present execution */
    struct moves entry; /* before the start: each hart takes its registers */
    struct map known;   /* hashes of states from which all is tried */
    struct map written; /* words of code, by address / 4, that some execution writes */
    bool found_written; /* the present one writes another, so the search begins again */
    uint64_t *values;   /* room for a final state */
    unsigned steps;     /* of the present execution */
    /*
     * The hart that has begun to execute and has not changed memory since; LITMUS_HARTS_MAX: none.
     * What others do does not depend on it until then, and it loses nothing by waiting: a load may
     * return older values as well later on. So it goes on alone. Only where loads and fetches are
     * late.
     */
    unsigned alone;
    bool late;
    bool answering; /* the machine is in the test, and its questions are choices */
    struct decoded decoded[DECODED];
};

/* ---- choices ---- */

static unsigned choose(struct search *s, unsigned count)
{
    if (count < 2)
        return 0;
    if (s->depth == s->path.len)
        VEC_PUSH(&s->path, ((struct choice){0, (uint16_t)count}));
    return s->path.at[s->depth++].answer;
}

/* Prepares the next execution: the last choice that has another answer gets it. False: none has. */
static bool next_path(struct search *s)
{
    while (s->path.len) {
        struct choice *last = &s->path.at[s->path.len - 1];

        if (++last->answer < last->count)
            return true;
        s->path.len--;
    }
    return false;
}

/* The machine's question (cpu/choice.h). */
static unsigned on_question(void *ctx, enum choice_kind kind, unsigned hart, unsigned count)
{
    struct search *s = ctx;
    unsigned answer;

    if (!s->answering)
        return 0;
    answer = choose(s, count);
    VEC_PUSH(&s->moves.list, ((struct move){.what = MOVE_ANSWER,
                                            .hart = (uint8_t)hart,
                                            .kind = (uint8_t)kind,
                                            .answer = (uint16_t)answer,
                                            .insns = machine_insns(s->machine)}));
    return answer;
}

/* ---- steps ---- */

static struct hart *hart_of(const struct search *s, unsigned hart)
{
    return cluster_hart(s->cluster, hart);
}

static bool has_ended(const struct search *s, unsigned hart)
{
    const struct hart *h = hart_of(s, hart);
    uint64_t pc = hart_pc(h);

    return pc == s->image->harts[hart].end || pc == s->image->harts[hart].fault ||
           hart_waits_for(h) != HART_WAITS_NOT;
}

static void step(struct search *s, unsigned hart, struct moves *moves)
{
    struct move *last = moves->list.len ? &moves->list.at[moves->list.len - 1] : NULL;
    uint64_t insns = machine_insns(s->machine);

    if (last && last->what == MOVE_RUN && last->hart == hart)
        last->more++;
    else
        VEC_PUSH(&moves->list, ((struct move){.hart = (uint8_t)hart, .insns = insns, .more = 1}));
    (void)machine_run_alone(s->machine, hart, 1);
    s->steps++;
}

/* The hart's next instruction as its hart sees memory; NULL: there is none. */
static const struct insn *next_insn(struct search *s, unsigned hart)
{
    struct hart *h = hart_of(s, hart);
    struct decoded *d;
    uint32_t word;

    if (!hart_peek(h, hart_pc(h), &word, sizeof word))
        return NULL;
    d = &s->decoded[(word ^ word >> 7 ^ word >> 15 ^ word >> 20) % DECODED];
    if (!d->known || d->word != word) {
        d->word = word;
        d->known = true;
        d->legal = insn_decode(word, &d->insn);
    }
    return d->legal ? &d->insn : NULL;
}

/* A fence.i where fetches are apart: the code that the hart has written is seen before. */
static bool orders_nothing(const struct search *s, const struct insn *i)
{
    return i->op == OP_fence_i && s->out->fetch == FETCH_APART;
}

/* Whether the instruction makes a load, AMO or sc leave that waits. */
static bool needs_late(const struct search *s, unsigned hart, const struct insn *i)
{
    return (op_sources(i) | op_targets(i)) & hart_late_registers(hart_of(s, hart));
}

/*
 * Whether the hart's next instruction changes only its own registers, and nobody writes it: then it
 * may be executed at any time.
 */
static bool is_private(struct search *s, unsigned hart)
{
    uint64_t pc = hart_pc(hart_of(s, hart)), seen;
    const struct insn *i = next_insn(s, hart);

    return i && (insn_is_private(i) || orders_nothing(s, i)) && !needs_late(s, hart, i) &&
           !map_get(&s->written, pc >> 2, &seen) &&
           !map_get(&s->written, (pc + i->size - 1) >> 2, &seen);
}

static void let_leave(struct search *s, unsigned hart, unsigned number)
{
    VEC_PUSH(&s->moves.list, ((struct move){.what = MOVE_LEAVE,
                                            .hart = (uint8_t)hart,
                                            .answer = (uint16_t)number,
                                            .insns = machine_insns(s->machine)}));
    hart_let_store_leave(hart_of(s, hart), number);
    s->alone = LITMUS_HARTS_MAX;
}

/* Whether the hart's next instruction reads or changes memory at the present moment. */
static bool is_atomic(struct search *s, unsigned hart)
{
    const struct insn *i = next_insn(s, hart);

    return !i || insn_is_atomic(i) || needs_late(s, hart, i);
}

static void step_shared(struct search *s, unsigned hart)
{
    unsigned waiting = hart_waiting_stores(hart_of(s, hart));
    bool at_once = is_atomic(s, hart);

    step(s, hart, &s->moves);
    /* before an instruction that is done at a moment, others may go on */
    s->alone = s->late && !at_once && (has_ended(s, hart) || !is_atomic(s, hart)) &&
                       hart_waiting_stores(hart_of(s, hart)) >= waiting
                   ? hart
                   : LITMUS_HARTS_MAX;
}

static void step_private(struct search *s, unsigned hart)
{
    while (!has_ended(s, hart) && is_private(s, hart) && s->steps < s->limits->steps)
        step(s, hart, &s->moves);
}

/* ---- states ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

static uint64_t hash_memory(const struct search *s, uint64_t hash, uint64_t pa, uint64_t size)
{
    const uint8_t *bytes = ram_host(s->ram, pa);

    for (uint64_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;

        memcpy(&word, bytes + i, 8);
        if (word)
            hash = mix(mix(hash, pa + i), word);
    }
    return hash;
}

/* Notes the words of the hart's program that were written. */
static void note_written(struct search *s, unsigned hart)
{
    const uint64_t from = s->image->harts[hart].start & ~UINT64_C(3);
    const uint64_t to = s->image->harts[hart].end;
    const uint8_t *before = s->image->bytes + (from - IMAGE_BASE), *now = ram_host(s->ram, from);
    uint64_t seen;

    if (!memcmp(before, now, to - from))
        return;
    for (uint64_t at = from; at < to; at += 4) {
        if (!memcmp(before + (at - from), now + (at - from), 4) ||
            map_get(&s->written, at >> 2, &seen))
            continue;
        map_put(&s->written, at >> 2, 1);
        s->found_written = true;
    }
}

static uint64_t hash_state(const struct search *s)
{
    const struct test_image *i = s->image;
    uint64_t hash = 0;

    for (unsigned h = 0; h < i->test->harts; h++) {
        hash = mix(hash, hart_state_hash(hart_of(s, h)));
        hash = hash_memory(s, hash, i->harts[h].start,
                           (i->harts[h].end - i->harts[h].start + 7) & ~UINT64_C(7));
    }
    hash = hash_memory(s, hash, i->data, i->locations_size);
    hash = hash_memory(s, hash, i->tables, i->data + i->data_size - i->tables);
    hash = mix(mix(hash, cluster_store_order_hash(s->cluster)), s->alone);
    return hash >> 1; /* a key of the map */
}

/* Whether all that follows the present state was tried, or is being tried. */
static bool is_known(struct search *s)
{
    uint64_t hash = hash_state(s), seen;

    for (unsigned h = 0; h < s->image->test->harts; h++)
        note_written(s, h);
    if (map_get(&s->known, hash, &seen))
        return true;
    map_put(&s->known, hash, 1);
    s->out->states++;
    return false;
}

/* ---- ends ---- */

static uint64_t value_of(const struct search *s, const struct place *p)
{
    const struct location *l;
    uint64_t value = 0;

    if (p->is_register)
        return hart_reg(hart_of(s, p->hart), p->reg);
    l = &s->image->test->locations.at[p->location];
    memcpy(&value, ram_host(s->ram, s->image->pa[p->location] + p->element * l->size), l->size);
    return l->is_signed ? (uint64_t)((int64_t)(value << (64 - 8 * l->size)) >> (64 - 8 * l->size))
                        : value;
}

static void copy_moves(struct moves *to, const struct moves *from)
{
    for (size_t i = 0; i < from->list.len; i++)
        VEC_PUSH(&to->list, from->list.at[i]);
}

/* Where the outcome with this text is in the list, or belongs. */
static size_t place_of(const struct outcomes *o, const char *text)
{
    size_t from = 0, to = o->list.len;

    while (from < to) {
        size_t middle = (from + to) / 2;

        if (strcmp(o->list.at[middle].text, text) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void take_end(struct search *s)
{
    const struct test *t = s->image->test;
    struct final_state state = {.values = s->values};
    struct outcome o = {.executions = 1};
    size_t at;

    for (unsigned h = 0; h < t->harts; h++)
        if (hart_pc(hart_of(s, h)) == s->image->harts[h].fault)
            state.faults |= (uint8_t)(1U << h);
    for (size_t i = 0; i < t->observed.len; i++)
        state.values[i] = value_of(s, &t->observed.at[i]);
    if (t->filter && !condition_holds(s->image, t->filter, &state))
        return;
    o.text = final_state_text(s->image, &state);
    at = place_of(s->out, o.text);
    if (at < s->out->list.len && !strcmp(s->out->list.at[at].text, o.text)) {
        s->out->list.at[at].executions++;
        free(o.text);
        return;
    }
    o.holds = condition_holds(s->image, t->condition, &state);
    copy_moves(&o.moves, &s->entry);
    copy_moves(&o.moves, &s->moves);
    VEC_PUSH(&s->out->list, o);
    memmove(&s->out->list.at[at + 1], &s->out->list.at[at], (s->out->list.len - 1 - at) * sizeof o);
    s->out->list.at[at] = o;
}

/* ---- the search ---- */

/* What can happen next: a hart executes an instruction, or one of its stores leaves. */
struct event_choice {
    unsigned hart;
    bool leaves;
    unsigned number; /* of the store */
};

enum { EVENTS_MAX = 256 };

static unsigned list_events(const struct search *s, struct event_choice list[EVENTS_MAX])
{
    unsigned count = 0;

    for (unsigned h = 0; h < s->image->test->harts; h++) {
        unsigned stores = hart_stores_that_may_leave(hart_of(s, h));

        if (s->alone != LITMUS_HARTS_MAX && s->alone != h)
            continue;
        if (!has_ended(s, h))
            list[count++] = (struct event_choice){.hart = h};
        for (unsigned n = 0; n < stores && count < EVENTS_MAX - LITMUS_HARTS_MAX; n++)
            list[count++] = (struct event_choice){.hart = h, .leaves = true, .number = n};
    }
    return count;
}

/* No hart has anything else to do: a load that waits takes its value. False: none waits. */
static bool end_load(struct search *s)
{
    for (unsigned h = 0; h < s->image->test->harts; h++) {
        if (!hart_late_loads(hart_of(s, h)))
            continue;
        let_leave(s, h, hart_stores_that_may_leave(hart_of(s, h)));
        return true;
    }
    return false;
}

static void run_once(struct search *s)
{
    struct event_choice list[EVENTS_MAX], next;

    s->depth = s->steps = 0;
    s->alone = LITMUS_HARTS_MAX;
    s->moves.list.len = 0;
    for (unsigned h = 0; h < s->image->test->harts; h++)
        step_private(s, h);
    for (;;) {
        unsigned count;

        if (s->depth == s->path.len && is_known(s))
            return;
        count = list_events(s, list);
        if (!count && s->alone != LITMUS_HARTS_MAX) {
            s->alone = LITMUS_HARTS_MAX;
            continue;
        }
        if (!count && end_load(s))
            continue;
        if (!count) {
            take_end(s);
            return;
        }
        if (s->steps >= s->limits->steps) {
            s->out->cut = true;
            return;
        }
        next = list[choose(s, count)];
        if (next.leaves) {
            let_leave(s, next.hart, next.number);
            continue;
        }
        step_shared(s, next.hart);
        step_private(s, next.hart);
    }
}

/* Each hart takes its registers and comes to its program. */
static bool enter(struct search *s)
{
    for (unsigned h = 0; h < s->image->test->harts; h++) {
        for (unsigned n = 0; hart_pc(hart_of(s, h)) != s->image->harts[h].start; n++) {
            if (n == 1000)
                return false;
            step(s, h, &s->entry);
        }
    }
    return true;
}

/* After words were found that are written: they were taken for private before. */
static void begin_again(struct search *s)
{
    s->found_written = false;
    s->path.len = 0;
    map_clear(&s->known);
    outcomes_free(s->out);
    s->out->states = 0;
}

/*
 * Tries all executions. With FETCH_APART it ends when it finds that code is written, which
 * s->found_written then says.
 */
static enum exit_status search(struct search *s, const struct diag *d)
{
    bool again;

    if (!enter(s)) {
        diag_error(d, "%s: a hart does not reach its program", s->image->test->path);
        return EXIT_INTERNAL;
    }
    s->start = machine_snapshot(s->machine);
    s->answering = true;
    do {
        if (s->out->executions >= s->limits->executions) {
            s->out->cut = true;
            break;
        }
        if (!machine_restore(s->machine, s->start))
            return EXIT_IO;
        s->out->executions++;
        run_once(s);
        again = s->found_written;
        if (again && s->out->fetch == FETCH_APART)
            break;
        if (again)
            begin_again(s);
    } while (again || next_path(s));
    return EXIT_PASS;
}

/* As `rvftrace run' does it with what the image says is code. */
static void declare_code(const struct search *s)
{
    const struct image *im = machine_image(s->machine);

    for (size_t i = 0; i < im->text_count; i++)
        cluster_declare_code(s->cluster, im->texts[i].pa, im->texts[i].size);
}

static void search_free(struct search *s)
{
    free(s->values);
    VEC_FREE(&s->path);
    VEC_FREE(&s->moves.list);
    VEC_FREE(&s->entry.list);
    map_free(&s->known);
    map_free(&s->written);
    machine_free(s->machine);
}

/* With the fetch mode out->fetch. *code_is_written: with FETCH_APART, so it must be another one. */
static enum exit_status search_with(const struct test_image *image, struct machine_config *board,
                                    const struct search_limits *limits, const struct diag *d,
                                    struct outcomes *out, bool *code_is_written)
{
    struct search s = {.image = image, .limits = limits, .out = out};
    enum exit_status status;

    board->cluster.fetch = out->fetch;
    board->cluster.chooser = (struct chooser){on_question, &s};
    s.late = board->cluster.stores == STORES_RANDOM && out->fetch != FETCH_COHERENT &&
             !image->test->translated;
    status = machine_new(board, d, &s.machine);
    if (status != EXIT_PASS)
        return status;
    s.cluster = machine_cluster(s.machine);
    declare_code(&s);
    s.ram = bus_ram(cluster_bus(s.cluster));
    s.values = xcalloc(image->test->observed.len + 1, sizeof *s.values);
    status = search(&s, d);
    *code_is_written = s.found_written;
    search_free(&s);
    return status;
}

enum exit_status search_test(const struct test_image *image, const char *path,
                             const struct machine_config *config,
                             const struct search_limits *limits, const struct diag *d,
                             struct outcomes *out)
{
    struct machine_config board = *config;
    bool code_is_written = false;
    enum exit_status status;

    board.image = path;
    board.harts = image->test->harts;
    out->fetch = image->test->fetches ? config->cluster.fetch : FETCH_APART;
    status = search_with(image, &board, limits, d, out, &code_is_written);
    if (status != EXIT_PASS || !code_is_written)
        return status;
    outcomes_free(out);
    *out = (struct outcomes){.fetch = config->cluster.fetch};
    return search_with(image, &board, limits, d, out, &code_is_written);
}

void outcomes_free(struct outcomes *o)
{
    for (size_t i = 0; i < o->list.len; i++) {
        free(o->list.at[i].text);
        VEC_FREE(&o->list.at[i].moves.list);
    }
    VEC_FREE(&o->list);
}
