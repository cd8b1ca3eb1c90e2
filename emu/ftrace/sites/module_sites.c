/*
 * module_sites.c - see module_sites.h.
 */
#include "ftrace/sites/module_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/sites/site_life.h"
#include "ftrace/sites/sites.h"
#include "mem/bus.h"
#include "mem/ram.h"

enum kernel_call { CALL_PROCESS_LOCS, CALL_INIT, CALL_FREE_MEM, CALL_RELEASE_MOD, CALLS };

/* The entries read of one module, so that a damaged table ends. */
enum { TABLE_ENTRIES_MAX = 1 << 16 };

/* The entries by which a module's names are looked for; the first ones may have been cleared. */
enum { NAMES_TRIES = 64 };

/* A site that a module brought. */
struct owned {
    uint64_t module; /* the virtual address of its struct module */
    uint32_t id;
    uint32_t runs; /* 1: its init function was about to be called */
};

struct module_sites {
    struct cluster *cluster;
    const struct symbols *symbols;
    struct site_table *sites;
    struct site_life *life;
    struct kernel_probes *calls;
    VEC_OF(struct owned) owned; /* in ascending order of id */
    module_site_taken *taken;   /* NULL: nobody listens */
    void *ctx;
    uint64_t left_out;
};

/* Reads an entry of a table as the hart maps it. */
static bool read_entry(struct hart *h, uint64_t va, uint64_t *entry)
{
    return va % sizeof *entry == 0 && guest_read(h, va, entry, sizeof *entry);
}

static bool owns(const struct module_sites *m, uint32_t id)
{
    return m->owned.len && m->owned.at[m->owned.len - 1].id >= id;
}

struct look {
    const struct module_sites *m;
    struct hart *hart;
};

/* A function that begins with the compiler's nops is to be a site. */
static void look_at_function(void *ctx, uint64_t va)
{
    const struct look *l = ctx;
    const struct module_sites *m = l->m;
    struct site s = {.va = va, .kind = SITE_FUNCTION, .size = site_traits(m->sites)->size};
    uint8_t bytes[SITE_BYTES_MAX];
    uint64_t pa;

    if (guest_place(l->hart, va, s.size, ACCESS_LOAD, &pa) &&
        site_find(m->sites, pa, 1) == NO_SITE && guest_read(l->hart, va, bytes, s.size) &&
        site_state(m->sites, &s, bytes, NULL) == SITE_INIT)
        m->taken(m->ctx, l->hart, NO_SITE, va);
}

/* The table has been read: looks for functions that it lacks. */
static void look_at_functions(const struct module_sites *m, struct hart *h,
                              const struct module_symbols *names)
{
    if (names && m->taken && site_traits(m->sites)->place == SITE_AT_ENTRY &&
        !site_life_left_out(m->life))
        module_symbols_each(names, look_at_function, &(struct look){m, h});
}

static void take_up(struct module_sites *m, struct hart *h, uint64_t module, uint64_t start,
                    uint64_t end)
{
    struct module_symbols *names;
    unsigned tries = NAMES_TRIES;
    uint64_t entry, at, count;

    if (!guest_entries(start, end, sizeof entry, TABLE_ENTRIES_MAX, &count)) {
        m->left_out++;
        return;
    }
    names = module_symbols_new(m->cluster, h, m->symbols, module);
    for (at = start; at < end && read_entry(h, at, &entry); at += sizeof entry) {
        uint64_t va = site_of_entry(m->sites, entry);
        uint32_t id;

        if (!names && tries && tries--)
            names = module_symbols_new(m->cluster, h, m->symbols, va);
        id = site_life_add(m->life, h, va, names);
        if (id == NO_SITE || owns(m, id))
            continue;
        VEC_PUSH(&m->owned, ((struct owned){.module = module, .id = id}));
        if (m->taken)
            m->taken(m->ctx, h, id, 0);
    }
    if (at >= end)
        look_at_functions(m, h, names);
    module_symbols_free(names);
}

/* Removes the site if it is in [start, end). True: it is gone. */
static bool remove_within(const struct module_sites *m, uint32_t id, uint64_t start, uint64_t end)
{
    const struct site *s = site_get(m->sites, id);

    if (!s->gone && s->va >= start && s->va < end)
        site_remove(m->sites, id);
    return site_get(m->sites, id)->gone;
}

/* Removes the module's sites in [start, end). */
static void remove_all(struct module_sites *m, uint64_t module, uint64_t start, uint64_t end)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->owned.len; i++)
        if (m->owned.at[i].module != module || !remove_within(m, m->owned.at[i].id, start, end))
            m->owned.at[kept++] = m->owned.at[i];
    m->owned.len = kept;
}

static void begin_to_run(struct module_sites *m, uint64_t module)
{
    for (size_t i = 0; i < m->owned.len; i++)
        if (m->owned.at[i].module == module)
            m->owned.at[i].runs = 1;
}

static void on_call(void *ctx, unsigned which, struct hart *h)
{
    struct module_sites *m = ctx;
    uint64_t module = hart_reg(h, REG_A0), start = hart_reg(h, REG_A1), end = hart_reg(h, REG_A2);

    if (!module) /* the kernel's own */
        return;
    switch ((enum kernel_call)which) {
    case CALL_PROCESS_LOCS: take_up(m, h, module, start, end); break;
    case CALL_INIT: begin_to_run(m, module); break;
    case CALL_FREE_MEM: remove_all(m, module, start, end); break;
    case CALL_RELEASE_MOD: remove_all(m, module, 0, UINT64_MAX); break;
    case CALLS: break;
    }
}

struct module_sites *module_sites_new(struct cluster *c, const struct image *im,
                                      const struct symbols *symbols, struct site_table *sites,
                                      struct site_life *life)
{
    static const char *const names[CALLS] = {
        [CALL_PROCESS_LOCS] = "ftrace_process_locs",
        [CALL_INIT] = "do_init_module",
        [CALL_FREE_MEM] = "ftrace_free_mem",
        [CALL_RELEASE_MOD] = "ftrace_release_mod",
    };
    struct module_sites *m = xcalloc(1, sizeof *m);

    *m = (struct module_sites){.cluster = c, .symbols = symbols, .sites = sites, .life = life};
    m->calls = kernel_probes_new(c, im, symbols, names, CALLS, on_call, m);
    return m;
}

void module_sites_free(struct module_sites *m)
{
    if (!m)
        return;
    kernel_probes_free(m->calls);
    VEC_FREE(&m->owned);
    free(m);
}

void module_sites_listen(struct module_sites *m, module_site_taken *taken, void *ctx)
{
    m->taken = taken;
    m->ctx = ctx;
}

/* Whether one of the known sites, also of those that are gone, begins at the address. */
static bool was_site(const struct module_sites *m, uint64_t va)
{
    for (uint32_t id = (uint32_t)site_count(m->sites); id-- > 0;) {
        const struct site *s = site_get(m->sites, id);

        if (!s->module) /* those of the image come first */
            break;
        if (s->va == va)
            return true;
    }
    return false;
}

bool module_sites_lack(const struct module_sites *m, struct hart *h, uint64_t va)
{
    char name[MODULE_NAME_MAX];
    bool known = false;

    if (m->left_out || site_life_left_out(m->life) ||
        !module_name_at(m->cluster, h, m->symbols, va, name))
        return false;
    for (size_t i = 0; i < m->owned.len && !known; i++) {
        const struct site *s = site_get(m->sites, m->owned.at[i].id);

        known = !s->gone && !strcmp(s->module, name);
    }
    return known && !was_site(m, va);
}

uint64_t module_sites_left_out(const struct module_sites *m)
{
    return m->left_out;
}

bool module_sites_runs(const struct module_sites *m, uint32_t site)
{
    size_t i = PARTITION_POINT(k, m->owned.len, m->owned.at[k].id < site);

    return i < m->owned.len && m->owned.at[i].id == site && m->owned.at[i].runs;
}

void module_sites_state_io(struct state_io *io, struct module_sites *m)
{
    state_io_section(io, "module-sites", 3);
    STATE_IO(io, m->left_out);
    STATE_IO_PLAIN_VEC(io, &m->owned, site_count(m->sites));
    for (size_t i = 0; i < m->owned.len; i++)
        if (m->owned.at[i].id >= site_count(m->sites) ||
            (i && m->owned.at[i].id <= m->owned.at[i - 1].id))
            state_io_fail(io, STATE_OUT_OF_RANGE);
}
