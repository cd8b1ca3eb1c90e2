/*
 * test_start_rules.c - harts that are started, and whether they fence before they go to work; and
 * what harts have in an old version when the run ends.
 */
#include "unit/ftrace_world.h"

#include "base/state_io.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/fetches/fetch_priv.h"
#include "ftrace/audit/rules.h"
#include "ftrace/kernel/text_map.h"

enum { HARTS = 2, BOOT = 0, SECOND = 1, TIMER = 5 };

static void build(struct scene *s)
{
    struct audit_config audit = {.findings_max = 10};

    scene_begin(s, HARTS, FETCH_STALE);
    scene_complete(s, 100, &audit);
    set_mode(s, SECOND, PRIV_S, false);
}

static void pass(struct scene *s, enum event_kind kind, unsigned hart)
{
    pass_event(s, &(struct event){.kind = kind, .started = {hart_of(s, hart)}});
}

/* The second hart is started when the clock is at this stamp, or later. */
static void start(struct scene *s)
{
    pass(s, EVENT_HART_STARTED, SECOND);
}

/* The second hart fetches what the boot hart has written to F, with this stamp. */
static struct stale_fetch fetch_of(struct scene *s, uint64_t stamp)
{
    const uint32_t new = ADDI(A0, ZERO, 2);
    struct stale_fetch f = {.hart = hart_of(s, SECOND),
                            .pc = SITE_VA + F,
                            .pa = SITE_PA + F,
                            .size = 4,
                            .chosen = FETCHED_NEW,
                            .who = {.kind = WRITER_HART, .hart = BOOT, .pc = 0x77, .cycle = 3},
                            .writer_known = true,
                            .agent_known = true,
                            .evidence = STALE_PARCEL,
                            .stamp = stamp};

    memcpy(f.new_bytes, &new, sizeof new);
    return f;
}

static void fetch(struct scene *s, const struct stale_fetch *f)
{
    pass_event(s, &(struct event){.kind = EVENT_STALE_FETCH, .stale_fetch = *f});
}

static void fetch_old(struct scene *s)
{
    const struct stale_fetch f = fetch_of(s, 1);

    fetch(s, &f);
}

static void fence(struct scene *s, unsigned requester)
{
    pass_fence(s, SECOND, requester, bus_ram(s->w.bus)->stamp, 9);
}

static void take_interrupt(struct scene *s, enum privilege to)
{
    const struct event e = {
        .kind = EVENT_TRAP,
        .trap = {.hart = hart_of(s, SECOND), .interrupt = true, .cause = TIMER, .to = to}};

    pass_event(s, &e);
}

static void return_to(struct scene *s, enum privilege from, enum privilege to)
{
    const struct event e = {.kind = EVENT_TRAP_RETURN,
                            .trap_return = {.hart = hart_of(s, SECOND), .from = from, .to = to}};

    pass_event(s, &e);
}

static bool is_found(const struct scene *s)
{
    assert_in_range(audit_count(s->audit), 0, 1);
    return audit_count(s->audit) && audit_get(s->audit, 0)->rule == RULE_unfenced_start;
}

static void a_hart_that_goes_to_work_has_fenced_before(void **state)
{
    static const enum { WAITS, INTERRUPT, PROGRAM } works[] = {WAITS, INTERRUPT, PROGRAM};

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(works); i++) {
        struct scene s;

        build(&s);
        start(&s);
        fetch_old(&s);
        assert_false(is_found(&s));
        if (works[i] == WAITS)
            pass(&s, EVENT_HART_WAITS, SECOND);
        else if (works[i] == INTERRUPT)
            take_interrupt(&s, PRIV_S);
        else
            return_to(&s, PRIV_S, PRIV_U);
        assert_true(is_found(&s));
        assert_int_equal(audit_get(s.audit, 0)->count, 1);
        fetch_old(&s);
        pass(&s, EVENT_HART_WAITS, SECOND);
        assert_int_equal(audit_get(s.audit, 0)->count, 1);
        wreck(&s);
    }
}

/* As Linux 6.9 does, in the middle of what has to be done with interrupts off. */
static void it_may_have_run_changed_code_before_its_fence(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s);
    fetch_old(&s);
    fence(&s, SECOND);
    pass(&s, EVENT_HART_WAITS, SECOND);
    assert_int_equal(audit_count(s.audit), 0);
    wreck(&s);
}

static void a_fence_that_others_ask_for_or_firmware_executes_is_none_of_its_own(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s);
    fetch_old(&s);
    fence(&s, BOOT);
    start_hart(hart_of(&s, SECOND)); /* in M-mode */
    fence(&s, SECOND);
    set_mode(&s, SECOND, PRIV_S, false);
    take_interrupt(&s, PRIV_M); /* firmware's own does not say that the kernel's are on */
    assert_int_equal(audit_count(s.audit), 0);
    take_interrupt(&s, PRIV_S);
    assert_true(is_found(&s));
    wreck(&s);
}

static void what_is_changed_after_the_start_is_no_matter_of_the_start(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    start(&s);
    f = fetch_of(&s, bus_ram(s.w.bus)->stamp + 1);
    fetch(&s, &f);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(audit_get(s.audit, 0)->rule, RULE_missing_remote_fence);
    wreck(&s);
}

/* The image's loader, and data in the same page. */
static void only_code_that_a_hart_has_changed_counts(void **state)
{
    struct scene s;
    struct stale_fetch loaded, data;

    (void)state;
    build(&s);
    start(&s);
    loaded = fetch_of(&s, 1);
    loaded.who.kind = WRITER_LOADER;
    fetch(&s, &loaded);
    data = fetch_of(&s, 1);
    data.evidence = STALE_PAGE_ONLY;
    fetch(&s, &data);
    pass(&s, EVENT_HART_WAITS, SECOND);
    assert_int_equal(audit_count(s.audit), 0);
    wreck(&s);
}

/* OpenSBI: the first mret to the kernel starts the hart, and one with satp cleared before. */
static void firmware_that_is_not_known_starts_a_hart_by_mret(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    return_to(&s, PRIV_M, PRIV_S);
    fetch_old(&s);
    take_interrupt(&s, PRIV_S);
    assert_true(is_found(&s));
    wreck(&s);
    build(&s);
    return_to(&s, PRIV_M, PRIV_S);
    fence(&s, SECOND);
    return_to(&s, PRIV_M, PRIV_S); /* from a trap */
    pass(&s, EVENT_HART_WAITS, SECOND);
    assert_int_equal(audit_count(s.audit), 0);
    start_hart(hart_of(&s, SECOND));
    pass(&s, EVENT_SATP, SECOND);
    set_mode(&s, SECOND, PRIV_S, false);
    return_to(&s, PRIV_M, PRIV_S);
    fetch_old(&s);
    take_interrupt(&s, PRIV_S);
    assert_true(is_found(&s));
    wreck(&s);
}

static void a_start_is_part_of_the_state(void **state)
{
    struct state_io saved = {0}, io = {0};
    struct scene s;

    (void)state;
    build(&s);
    start(&s);
    fetch_old(&s);
    state_io_save(&saved, 0);
    audit_state_io(&saved, s.audit);
    fence(&s, SECOND);
    pass(&s, EVENT_HART_WAITS, SECOND);
    assert_int_equal(audit_count(s.audit), 0);
    state_io_load(&io, saved.saved.at, saved.saved.len);
    audit_state_io(&io, s.audit);
    assert_int_equal(state_io_end(&io), STATE_OK);
    pass(&s, EVENT_HART_WAITS, SECOND);
    assert_true(is_found(&s));
    state_io_free(&saved);
    wreck(&s);
}

static void all_of_a_fetch_is_part_of_the_state(void **state)
{
    const struct stale_fetch before = {
        .who = {.kind = WRITER_HART, .hart = 1, .pc = 2, .cycle = 3},
        .opener = {.kind = WRITER_HART, .hart = 4, .pc = 5, .cycle = 6}};
    struct state_io saved = {0}, io = {0};
    struct stale_fetch fetch = before;

    (void)state;
    state_io_save(&saved, 0);
    stale_fetch_state_io(&saved, &fetch);
    memset(&fetch, 0, sizeof fetch);
    state_io_load(&io, saved.saved.at, saved.saved.len);
    stale_fetch_state_io(&io, &fetch);
    assert_int_equal(state_io_end(&io), STATE_OK);
    assert_memory_equal(&fetch.who, &before.who, sizeof fetch.who);
    assert_memory_equal(&fetch.opener, &before.opener, sizeof fetch.opener);
    state_io_free(&saved);
}

/* ---- what is old at the end ---- */

/* Both harts run the instruction at F, which is in the text; then the boot hart changes it. */
static void change_what_both_have(struct scene *s, struct text_map **text)
{
    const struct writer who = {.kind = WRITER_HART, .hart = BOOT, .pc = SITE_VA, .cycle = 10};
    const uint32_t new = ADDI(A0, ZERO, 2);
    struct audit_config audit = {.findings_max = 10};

    scene_begin(s, HARTS, FETCH_STALE);
    scene_complete(s, 100, NULL);
    *text = text_map_new(&s->im->image, s->symbols);
    audit.text = *text;
    audit.sites = s->t;
    audit.log = s->log;
    audit.updates = s->updates;
    audit.cluster = s->w.cluster;
    audit.stream = &s->stream;
    s->audit = audit_new(&audit);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        poke(&s->w, SITE_PA + F, NOP, 4);
        hart_set_pc(hart_of(s, hart), SITE_VA + F);
        assert_int_equal(hart_run(hart_of(s, hart), 1, UINT64_MAX), HART_BUDGET);
    }
    assert_true(bus_write(s->w.bus, SITE_PA + F, &new, sizeof new, &who));
    pass_store(s,
               (struct code_write){
                   .stamp = bus_ram(s->w.bus)->stamp, .who = who, .pa = SITE_PA + F, .size = 4},
               NOP, new);
}

/* The finding at the end of the run; NULL: there is none. Other rules judge the store itself. */
static const struct finding *found_at_end(const struct scene *s)
{
    const struct finding *found = NULL;

    audit_end(s->audit, (struct run_end){RUN_OVER, NULL});
    for (size_t i = 0; i < audit_count(s->audit); i++)
        if (audit_get(s->audit, i)->rule == RULE_open_update)
            found = audit_get(s->audit, i);
    return found;
}

static void end(struct scene *s, struct text_map *text)
{
    text_map_free(text);
    wreck(s);
}

static void fence_really(struct scene *s, unsigned hart)
{
    cluster_remote_fence(s->w.cluster, hart_of(s, hart), hart_of(s, hart));
}

static void what_a_hart_has_in_an_old_version_at_the_end_is_said(void **state)
{
    struct text_map *text;
    struct scene s;
    const struct finding *f;

    (void)state;
    change_what_both_have(&s, &text);
    fence_really(&s, BOOT);
    hart_advance(hart_of(&s, BOOT), 1000 * 1000);
    f = found_at_end(&s);
    assert_non_null(f);
    assert_int_equal(f->harts, 1 << SECOND);
    assert_int_equal(f->count, 1);
    end(&s, text);
}

static void what_is_fenced_or_not_done_is_not(void **state)
{
    struct text_map *text;
    struct scene s;

    (void)state;
    change_what_both_have(&s, &text);
    assert_null(found_at_end(&s)); /* the writer may just go on to its fence */
    hart_advance(hart_of(&s, BOOT), 1000 * 1000);
    for (unsigned hart = 0; hart < HARTS; hart++)
        fence_really(&s, hart);
    assert_null(found_at_end(&s));
    end(&s, text);
}

static void an_announced_change_is_not_done_before_it_has_ended(void **state)
{
    struct text_map *text;
    struct scene s;

    (void)state;
    change_what_both_have(&s, &text);
    updates_announce_begin(s.updates, hart_of(&s, BOOT), ANNOUNCED_LABELS);
    pass_store(&s,
               (struct code_write){.stamp = bus_ram(s.w.bus)->stamp,
                                   .who = {.kind = WRITER_HART, .hart = BOOT, .cycle = 20},
                                   .pa = SITE_PA + G,
                                   .size = 4},
               NOP, NOP);
    hart_advance(hart_of(&s, BOOT), 1000 * 1000);
    assert_null(found_at_end(&s));
    updates_announce_end(s.updates, hart_of(&s, BOOT));
    assert_non_null(found_at_end(&s));
    end(&s, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hart_that_goes_to_work_has_fenced_before),
        cmocka_unit_test(it_may_have_run_changed_code_before_its_fence),
        cmocka_unit_test(a_fence_that_others_ask_for_or_firmware_executes_is_none_of_its_own),
        cmocka_unit_test(what_is_changed_after_the_start_is_no_matter_of_the_start),
        cmocka_unit_test(only_code_that_a_hart_has_changed_counts),
        cmocka_unit_test(firmware_that_is_not_known_starts_a_hart_by_mret),
        cmocka_unit_test(a_start_is_part_of_the_state),
        cmocka_unit_test(all_of_a_fetch_is_part_of_the_state),
        cmocka_unit_test(what_a_hart_has_in_an_old_version_at_the_end_is_said),
        cmocka_unit_test(what_is_fenced_or_not_done_is_not),
        cmocka_unit_test(an_announced_change_is_not_done_before_it_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
