/*
 * module_labels.c - see module_labels.h.
 */
#include "ftrace/cost/module_labels.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/cost/jump_labels.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/jump_table.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/key_labels.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/kernel/text_map.h"
#include "load/symbols.h"

/* The kernel's calls by which labels of modules begin and end. */
enum kernel_call {
    CALL_NOTIFY,
    CALL_ADD,
    CALL_INIT,
    CALL_FREE_INIT,
    CALL_RELEASE,
    CALL_FREE,
    CALLS
};

/* Linux's enum module_state. */
enum { STATE_COMING = 1, STATE_GOING = 2 };

/*
 * Limits: the bytes of a struct module in which its table is searched, the entries of a table, and
 * the labels of all modules.
 */
enum { MODULE_BYTES = 2048, ENTRIES_MAX = 1 << 16, OWNED_MAX = 1 << 18 };

/* A label that a module brought. */
struct owned {
    uint64_t module; /* the virtual address of its struct module */
    uint64_t va, pa;
};

struct module_labels {
    struct cluster *cluster;
    const struct symbols *symbols;
    struct text_map *text;
    struct jump_labels *labels;
    struct key_labels *keys;
    struct kernel_probes *calls;
    VEC_OF(struct owned) owned;
};

/* ---- the table ---- */

/* A module, its memory, and a candidate for its table of labels. */
struct table {
    const struct cluster *cluster;
    struct hart *hart;
    uint64_t module; /* the address of its struct module */
    struct module_areas areas;
    uint64_t entries;
    uint32_t count;
};

static bool read_entry(const struct table *t, uint32_t i, struct jump_place *p)
{
    uint64_t at = t->entries + (uint64_t)i * JUMP_ENTRY_BYTES;
    struct jump_entry e;

    if (!guest_read(t->hart, at, &e, sizeof e))
        return false;
    *p = jump_entry_place(&e, at);
    return true;
}

/* Whether an entry describes a label that was not patched yet. */
static bool is_label(const struct table *t, uint32_t i)
{
    struct jump_place p;
    uint32_t insn;

    return read_entry(t, i, &p) && p.va % 2 == 0 && module_areas_have(&t->areas, p.va) &&
           module_areas_have(&t->areas, p.target) &&
           guest_read(t->hart, p.va, &insn, sizeof insn) && jump_insn_fits(insn, p.va, p.target);
}

static bool is_table(const struct table *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!is_label(t, i))
            return false;
    return t->count != 0;
}

static bool find_table(struct table *t)
{
    for (unsigned at = 0; at < MODULE_BYTES; at += 8) {
        uint64_t words[2];

        if (!guest_read(t->hart, t->module + at, words, sizeof words))
            return false;
        t->entries = words[0];
        t->count = (uint32_t)words[1];
        if (t->entries && t->entries % 8 == 0 && t->count <= ENTRIES_MAX &&
            guest_range(t->entries, (uint64_t)t->count * JUMP_ENTRY_BYTES, UINT64_MAX) &&
            is_table(t))
            return true;
    }
    return false;
}

/* ---- labels come and go ---- */

enum { ANY_MODULE = 0 };

/* Removes the labels of a module in [start, end). */
static void give_up(struct module_labels *m, uint64_t module, uint64_t start, uint64_t end)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->owned.len; i++) {
        const struct owned *o = &m->owned.at[i];

        if ((module != ANY_MODULE && o->module != module) || o->va < start || o->va >= end) {
            m->owned.at[kept++] = *o;
            continue;
        }
        text_map_remove_label(m->text, o->pa);
        if (m->keys)
            key_labels_remove(m->keys, o->pa);
        if (m->labels)
            jump_labels_end(m->labels, o->pa);
    }
    m->owned.len = kept;
}

/* Names a key, which is the module's own, another module's, or the kernel's; "": not known. */
static const char *name_of_key(const struct module_labels *m, const struct table *t,
                               const struct module_symbols *names, uint64_t key,
                               char name[MODULE_FUNCTION_MAX])
{
    const char *kernels = symbols_at(m->symbols, key, NULL);
    struct module_symbols *others;

    name[0] = '\0';
    if (module_areas_have(&t->areas, key)) {
        if (!names || !module_symbols_object_at(names, key, name))
            name[0] = '\0';
    } else if (kernels) {
        return kernels;
    } else if ((others = module_symbols_new(m->cluster, t->hart, m->symbols, key))) {
        if (!module_symbols_object_at(others, key, name))
            name[0] = '\0';
        module_symbols_free(others);
    }
    return name;
}

static void count(const struct module_labels *m, const struct table *t, const struct jump_place *p,
                  const struct module_symbols *names)
{
    char key[MODULE_FUNCTION_MAX];
    struct module_function f;
    struct jump_label l = {.va = p->va, .function = "", .module = ""};

    if (names) {
        l.module = module_symbols_module(names);
        if (module_symbols_at(names, p->va, &f))
            l.function = f.name;
    }
    l.key = name_of_key(m, t, names, p->key, key);
    jump_labels_begin(m->labels, p->pa, &l);
}

static void add(struct module_labels *m, const struct table *t, struct jump_place *p,
                const struct module_symbols *names, bool complete)
{
    if (m->owned.len == OWNED_MAX ||
        !guest_place(t->hart, p->va, JUMP_LABEL_BYTES, ACCESS_LOAD, &p->pa))
        return;
    VEC_PUSH(&m->owned, ((struct owned){t->module, p->va, p->pa}));
    text_map_add_label(m->text, p->va, p->pa);
    if (m->keys)
        key_labels_add(m->keys, p, complete ? 0 : hart_reg(t->hart, REG_TP));
    if (m->labels)
        count(m, t, p, names);
}

/* complete: its labels are as their keys demand. */
static void take_up(struct module_labels *m, struct hart *h, uint64_t module, bool complete)
{
    struct table t = {.cluster = m->cluster, .hart = h, .module = module};
    struct module_symbols *names;
    struct jump_place p;

    if (!module_areas_read(m->cluster, h, module, &t.areas) || !find_table(&t) ||
        !read_entry(&t, 0, &p))
        return;
    names = module_symbols_new(m->cluster, h, m->symbols, p.va);
    for (uint32_t i = 0; i < t.count && read_entry(&t, i, &p); i++) {
        give_up(m, ANY_MODULE, p.va,
                p.va +
                    1); /* a label whose end was not announced, or the same one, announced again */
        add(m, &t, &p, names, complete);
    }
    module_symbols_free(names);
}

/* ---- the kernel's calls ---- */

static void module_gone(struct module_labels *m, uint64_t module, uint64_t start, uint64_t end)
{
    if (module) /* else the kernel itself */
        give_up(m, module, start, end);
}

static void notify(struct module_labels *m, struct hart *h, uint64_t state, uint64_t module)
{
    if (state == STATE_COMING)
        take_up(m, h, module, false);
    else if (state == STATE_GOING)
        module_gone(m, module, 0, UINT64_MAX);
}

/* The labels of a module that is about to run have been brought up to date, or were forgotten. */
static void module_starts(struct module_labels *m, struct hart *h, uint64_t module)
{
    for (size_t i = 0; i < m->owned.len; i++)
        if (m->owned.at[i].module == module)
            return;
    take_up(m, h, module, true);
}

static void on_call(void *ctx, unsigned which, struct hart *h)
{
    struct module_labels *m = ctx;
    uint64_t a0 = hart_reg(h, REG_A0), a1 = hart_reg(h, REG_A1), a2 = hart_reg(h, REG_A2);

    switch ((enum kernel_call)which) {
    case CALL_NOTIFY: notify(m, h, a1, a2); break;
    case CALL_ADD: take_up(m, h, a0, false); break;
    case CALL_INIT: module_starts(m, h, a0); break;
    case CALL_FREE_INIT: module_gone(m, a0, a1, a2); break;
    case CALL_RELEASE:
    case CALL_FREE: module_gone(m, a0, 0, UINT64_MAX); break;
    case CALLS: break;
    }
}

struct module_labels *module_labels_new(struct cluster *c, const struct image *im,
                                        const struct symbols *symbols, struct text_map *text,
                                        struct jump_labels *labels, struct key_labels *keys)
{
    static const char *const names[CALLS] = {
        [CALL_NOTIFY] = "jump_label_module_notify",
        [CALL_ADD] = "jump_label_add_module",
        [CALL_INIT] = "do_init_module",
        [CALL_FREE_INIT] = "ftrace_free_mem",
        [CALL_RELEASE] = "ftrace_release_mod",
        [CALL_FREE] = "free_module",
    };
    struct module_labels *m = xcalloc(1, sizeof *m);

    *m = (struct module_labels){
        .cluster = c, .symbols = symbols, .text = text, .labels = labels, .keys = keys};
    m->calls = kernel_probes_new(c, im, symbols, names, CALLS, on_call, m);
    return m;
}

void module_labels_free(struct module_labels *m)
{
    if (!m)
        return;
    kernel_probes_free(m->calls);
    VEC_FREE(&m->owned);
    free(m);
}

void module_labels_state_io(struct state_io *io, struct module_labels *m)
{
    state_io_section(io, "module-labels", 1);
    for (size_t i = 0; io->loading && i < m->owned.len; i++)
        text_map_remove_label(m->text, m->owned.at[i].pa);
    STATE_IO_PLAIN_VEC(io, &m->owned, OWNED_MAX);
    for (size_t i = 0; io->loading && i < m->owned.len; i++)
        text_map_add_label(m->text, m->owned.at[i].va, m->owned.at[i].pa);
}
