/*
 * module_names.c - see module_names.h.
 */
#include "ftrace/kernel/module_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/modules.h"
#include "load/symbols.h"

enum { KEPT_MAX = 4096 };

/* A function whose name is kept. */
struct kept {
    uint64_t va, end;
    char *name; /* "module:function" */
};

struct module_names {
    struct cluster *cluster;
    const struct symbols *symbols;
    const struct bpf_text *programs;
    struct kernel_probes *at_free;
    VEC_OF(struct kept) kept;
};

static struct kept *kept_at(const struct module_names *n, uint64_t va)
{
    for (size_t i = 0; i < n->kept.len; i++)
        if (va >= n->kept.at[i].va && va < n->kept.at[i].end)
            return &n->kept.at[i];
    return NULL;
}

/* Looks in the memory of any hart that has the kernel mapped. */
static bool ask(const struct module_names *n, uint64_t va, struct module_function *f)
{
    for (unsigned i = 0; i < cluster_hart_count(n->cluster); i++)
        if (module_function_at(n->cluster, cluster_hart(n->cluster, i), n->symbols, va, f))
            return true;
    return false;
}

/* Keeps the function, in place of an older one at this address; NULL: there are too many. */
static struct kept *keep(struct module_names *n, uint64_t va, const struct module_function *f)
{
    struct kept *k = kept_at(n, va);

    if (!k && n->kept.len == KEPT_MAX)
        return NULL;
    if (!k) {
        VEC_PUSH(&n->kept, (struct kept){.va = f->va});
        k = &n->kept.at[n->kept.len - 1];
    }
    free(k->name);
    k->name = xasprintf("%s:%s", f->module, f->name);
    k->va = f->va;
    k->end = f->end;
    return k;
}

/* Forgets what was kept of another module in this place. */
static void forget_in(struct module_names *n, uint64_t va, uint64_t end)
{
    for (size_t i = n->kept.len; i-- > 0;)
        if (n->kept.at[i].va < end && n->kept.at[i].end > va) {
            free(n->kept.at[i].name);
            n->kept.at[i] = n->kept.at[--n->kept.len];
        }
}

struct freed_module {
    struct module_names *names;
    const struct module_symbols *symbols;
};

static void keep_function(void *ctx, uint64_t va)
{
    const struct freed_module *m = ctx;
    struct module_function f;

    if (!module_symbols_at(m->symbols, va, &f) || f.va != va)
        return;
    forget_in(m->names, f.va, f.end);
    (void)keep(m->names, va, &f);
}

/* free_module(module) is called. */
static void on_free(void *ctx, unsigned which, struct hart *h)
{
    struct module_names *n = ctx;
    struct module_symbols *symbols = module_symbols_of(n->cluster, h, hart_reg(h, REG_A0));
    struct freed_module m = {n, symbols};

    (void)which;
    if (symbols)
        module_symbols_each(symbols, keep_function, &m);
    module_symbols_free(symbols);
}

static const char *name_at(void *ctx, uint64_t va, uint64_t *offset)
{
    struct module_names *n = ctx;
    struct module_function f;
    bool is_loaded = ask(n, va, &f);
    const struct kept *k = is_loaded ? keep(n, va, &f) : kept_at(n, va);
    const char *program = is_loaded ? NULL : bpf_text_name_at(n->programs, va, offset);

    if (!k || (program && !bpf_text_is_gone(n->programs, va)))
        return program;
    if (offset)
        *offset = va - k->va;
    return k->name;
}

struct module_names *module_names_new(struct cluster *c, const struct image *im,
                                      struct symbols *symbols, const struct bpf_text *programs)
{
    static const char *const names[] = {"free_module"};
    struct module_names *n = xcalloc(1, sizeof *n);

    n->cluster = c;
    n->symbols = symbols;
    n->programs = programs;
    n->at_free = kernel_probes_new(c, im, symbols, names, ARRAY_LEN(names), on_free, n);
    symbols_set_more(symbols, (struct symbols_more){name_at, n});
    return n;
}

static void forget_all(struct module_names *n)
{
    while (n->kept.len)
        free(n->kept.at[--n->kept.len].name);
    VEC_FREE(&n->kept);
}

void module_names_free(struct module_names *n)
{
    if (!n)
        return;
    kernel_probes_free(n->at_free);
    forget_all(n);
    free(n);
}

static void kept_io(struct state_io *io, struct kept *k)
{
    STATE_IO(io, k->va);
    STATE_IO(io, k->end);
    state_io_text(io, &k->name);
}

/* Replaces the names in `n` by those of the file; they stay if the file is damaged. */
static void read_names(struct state_io *io, struct module_names *n)
{
    struct module_names before = *n;

    n->kept = (__typeof__(n->kept)){0};
    STATE_IO_VEC(io, &n->kept, KEPT_MAX, kept_io);
    if (io->error) {
        forget_all(n);
        *n = before;
        return;
    }
    forget_all(&before);
}

void module_names_state_io(void *names, struct state_io *io)
{
    struct module_names *n = names;

    if (!io->in_file)
        return;
    state_io_section(io, "module-names", 1);
    if (io->loading)
        read_names(io, n);
    else
        STATE_IO_VEC(io, &n->kept, KEPT_MAX, kept_io);
}
