/*
 * test_module_sites.c - the sites that modules bring: which addresses have none, and tables that
 * are damaged.
 */
#include "isa/world.h"

#include "cpu/cluster.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/sites/module_sites.h"
#include "ftrace/sites/site_life.h"
#include "machine/site_image.h"

/* Functions of the kernel and its list of modules, as offsets in the image. */
enum {
    F = 0x100,
    PROCESS_LOCS = 0x300,
    INIT = 0x310,
    FREE_MEM = 0x320,
    RELEASE = 0x330,
    LIST = 0x400,
    CALL = 0x500,
};

/* The struct module with its list node, its table of sites, and its code. */
#define MODULE (RAM_BASE + 0x60000)
#define TABLE  (RAM_BASE + 0x70000)
#define AREA   (RAM_BASE + 0x100000)

enum {
    NODE_AT = 8,
    NAME_AT = NODE_AT + 16,
    AREAS_AT = NAME_AT + MODULE_NAME_MAX,
    SITES = 3,
    STEP = 0x40
};

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct site_life *life;
    struct module_sites *modules;
    unsigned taken, lacks;
    uint64_t lacking;
};

static void on_taken(void *ctx, struct hart *h, uint32_t site, uint64_t lacking)
{
    struct scene *s = ctx;

    if (site == NO_SITE) {
        s->lacking = lacking;
        s->lacks++;
        return;
    }
    assert_ptr_equal(h, s->w.hart);
    assert_int_equal(site_get(s->t, site)->va, AREA + (uint64_t)STEP * s->taken);
    s->taken++;
}

/* `nops`: sites are at functions' entries, as layout pfe8 has them. */
static void build_with(struct scene *s, bool nops)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 1);
    s->im = image_begin();
    image_name(s->im, "f", F);
    image_site(s->im, F);
    if (nops) {
        image_nops(s->im, F, 8);
        image_name(s->im, "ftrace_call", CALL);
    }
    image_name(s->im, "modules", LIST);
    image_name(s->im, "ftrace_process_locs", PROCESS_LOCS);
    image_name(s->im, "do_init_module", INIT);
    image_name(s->im, "ftrace_free_mem", FREE_MEM);
    image_name(s->im, "ftrace_release_mod", RELEASE);
    s->t = image_table(s->im, &s->symbols);
    s->life = site_life_new(s->w.cluster, s->t, &s->im->image, s->symbols);
    s->modules = module_sites_new(s->w.cluster, &s->im->image, s->symbols, s->t, s->life);
    module_sites_listen(s->modules, on_taken, s);
    poke(&s->w, SITE_VA + LIST, MODULE + NODE_AT, 8);
    poke(&s->w, MODULE + NODE_AT, SITE_VA + LIST, 8);
    poke(&s->w, MODULE + NAME_AT, 'm', 2);
    poke(&s->w, MODULE + AREAS_AT, AREA, 8);
    poke(&s->w, MODULE + AREAS_AT + 8, 0x1000, 8);
    for (unsigned i = 0; i < SITES; i++)
        poke(&s->w, TABLE + 8 * i, AREA + (uint64_t)STEP * i, 8);
}

static void build(struct scene *s)
{
    build_with(s, false);
}

static void wreck(struct scene *s)
{
    module_sites_free(s->modules);
    site_life_free(s->life);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

/* The kernel calls one of these functions. */
static void call(struct scene *s, uint64_t function, uint64_t a1, uint64_t a2)
{
    poke(&s->w, SITE_VA + function, NOP, 4);
    hart_set_reg(s->w.hart, A0, MODULE);
    hart_set_reg(s->w.hart, A1, a1);
    hart_set_reg(s->w.hart, A2, a2);
    hart_set_pc(s->w.hart, SITE_VA + function);
    assert_int_equal(hart_run(s->w.hart, 1, UINT64_MAX), HART_BUDGET);
}

static bool lacks(struct scene *s, uint64_t va)
{
    return module_sites_lack(s->modules, s->w.hart, va);
}

static void an_address_of_a_module_whose_sites_are_known_has_one_or_none(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_false(lacks(&s, AREA + 8)); /* no site of it is known */
    call(&s, PROCESS_LOCS, TABLE, TABLE + 8 * SITES);
    assert_int_equal(s.taken, SITES);
    assert_true(lacks(&s, AREA + 8));
    assert_false(lacks(&s, AREA + STEP));
    assert_false(lacks(&s, AREA + 0x1000)); /* another's memory */
    call(&s, INIT, 0, 0);
    call(&s, FREE_MEM, AREA, AREA + STEP);
    assert_false(lacks(&s, AREA)); /* the kernel still has its record */
    assert_true(lacks(&s, AREA + 8));
    call(&s, RELEASE, 0, 0);
    assert_false(lacks(&s, AREA + 8));
    assert_int_equal(module_sites_left_out(s.modules), 0);
    wreck(&s);
}

/* What only booting needed was mapped elsewhere, and is freed. */
static void memory_that_was_the_images_may_be_a_modules(void **state)
{
    struct image_segment segments[2];
    struct scene s;

    (void)state;
    build(&s);
    segments[0] = s.im->segment;
    segments[1] = s.im->segment;
    segments[1].va = AREA + 0x1000000;
    segments[1].pa = AREA;
    s.im->image.segments = segments;
    s.im->image.segment_count = ARRAY_LEN(segments);
    call(&s, PROCESS_LOCS, TABLE, TABLE + 8 * SITES);
    assert_int_equal(s.taken, SITES);
    wreck(&s);
}

static void a_table_that_is_damaged_is_left_out_and_counted(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call(&s, PROCESS_LOCS, TABLE, TABLE);
    assert_int_equal(module_sites_left_out(s.modules), 0);
    call(&s, PROCESS_LOCS, TABLE + 8, TABLE);
    assert_int_equal(module_sites_left_out(s.modules), 1);
    call(&s, PROCESS_LOCS, TABLE, UINT64_MAX);
    assert_int_equal(module_sites_left_out(s.modules), 2);
    assert_int_equal(s.taken, 0);
    call(&s, PROCESS_LOCS, TABLE, TABLE + 8 * SITES);
    assert_int_equal(s.taken, SITES);
    assert_false(lacks(&s, AREA + 8)); /* some sites may be missing */
    wreck(&s);
}

static void an_entry_of_what_is_not_in_ram_is_no_site(void **state)
{
    static const uint64_t entries[] = {
        UINT64_MAX - 3,          /* its end wraps */
        UINT64_MAX - 1,          /* so do its first bytes */
        UINT64_MAX - 11,         /* the site before */
        UINT64_C(1) << 63,       /* nothing is there */
        0x10000000,              /* a device */
        0,                       /* nothing, and the first address */
        RAM_BASE - 4,            /* the last of its bytes are RAM */
        RAM_BASE + RAM_SIZE - 4, /* the first of its bytes are */
        AREA + 1,                /* no instruction begins there */
        SITE_VA - 4,             /* the image has the last of its bytes */
    };
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++)
        poke(&s.w, TABLE + 8 * i, entries[i], 8);
    call(&s, PROCESS_LOCS, TABLE, TABLE + sizeof entries);
    assert_int_equal(s.taken, 0);
    poke(&s.w, TABLE + sizeof entries, AREA, 8);
    call(&s, PROCESS_LOCS, TABLE, TABLE + sizeof entries + 8);
    assert_int_equal(s.taken, 1);
    call(&s, FREE_MEM, 0, 64);
    call(&s, RELEASE, 0, 0);
    assert_int_equal(site_find(s.t, AREA, 1), NO_SITE);
    wreck(&s);
}

static void a_table_that_reaches_the_end_of_all_addresses_is_none(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call(&s, PROCESS_LOCS, UINT64_MAX - 7, UINT64_MAX);
    assert_int_equal(s.taken, 0);
    call(&s, PROCESS_LOCS, UINT64_MAX - 63, UINT64_MAX - 7);
    assert_int_equal(s.taken, 0);
    call(&s, PROCESS_LOCS, RAM_BASE + RAM_SIZE - 8, RAM_BASE + RAM_SIZE + 64);
    assert_int_equal(s.taken, 0);
    wreck(&s);
}

/* Functions of the module: the first ones have entries. */
enum { FUNCTIONS = SITES + 2, SYMBOL_BYTES = 16 };
#define SYMBOLS (RAM_BASE + 0x80000)
#define NAMES   (RAM_BASE + 0x90000)

static void put_symbols(struct scene *s)
{
    const uint64_t c_nops = UINT64_C(0x0001000100010001);

    for (uint64_t i = 0; i < FUNCTIONS; i++) {
        poke(&s->w, SYMBOLS + SYMBOL_BYTES * i, AREA + STEP * i, 8);
        poke(&s->w, SYMBOLS + SYMBOL_BYTES * i + 8, 0x20, 4);
        poke(&s->w, SYMBOLS + SYMBOL_BYTES * i + 12, 2 * i, 4);
        poke(&s->w, NAMES + 2 * i, 'a' + i, 2);
        poke(&s->w, AREA + STEP * i, c_nops, 8);
    }
    poke(&s->w, AREA + STEP * SITES, ADDI(SP, SP, -16), 4); /* one that is not traced */
    poke(&s->w, MODULE + AREAS_AT + 0x100, SYMBOLS, 8);
    poke(&s->w, MODULE + AREAS_AT + 0x108, FUNCTIONS, 8);
    poke(&s->w, MODULE + AREAS_AT + 0x110, NAMES, 8);
}

static void a_function_with_nops_and_without_an_entry_is_lacking(void **state)
{
    struct scene s;

    (void)state;
    build_with(&s, true);
    assert_int_equal(site_layout(s.t), LAYOUT_PFE8);
    put_symbols(&s);
    call(&s, PROCESS_LOCS, TABLE, TABLE + 8 * SITES);
    assert_int_equal(s.taken, SITES);
    assert_int_equal(s.lacks, 1);
    assert_int_equal(s.lacking, AREA + STEP * (FUNCTIONS - 1));
    poke(&s.w, AREA + STEP * (FUNCTIONS - 1), ADDI(SP, SP, -16), 4);
    s.taken = 0;
    call(&s, RELEASE, 0, 0);
    call(&s, PROCESS_LOCS, TABLE, TABLE + 8 * SITES);
    assert_int_equal(s.taken, SITES);
    assert_int_equal(s.lacks, 1);
    s.taken = 0;
    call(&s, RELEASE, 0, 0);
    /* A table that is not aligned cannot be read, and so lacks nothing. */
    call(&s, PROCESS_LOCS, TABLE + 4, TABLE + 4 + 8 * SITES);
    assert_int_equal(s.lacks, 1);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_of_a_module_whose_sites_are_known_has_one_or_none),
        cmocka_unit_test(memory_that_was_the_images_may_be_a_modules),
        cmocka_unit_test(a_table_that_is_damaged_is_left_out_and_counted),
        cmocka_unit_test(an_entry_of_what_is_not_in_ram_is_no_site),
        cmocka_unit_test(a_table_that_reaches_the_end_of_all_addresses_is_none),
        cmocka_unit_test(a_function_with_nops_and_without_an_entry_is_lacking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
