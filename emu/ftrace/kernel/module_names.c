/*
 * module_names.c - see module_names.h.
 */
#include "ftrace/kernel/module_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "ftrace/kernel/bpf_text.h"
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

static const char *name_at(void *ctx, uint64_t va, uint64_t *offset)
{
    struct module_names *n = ctx;
    struct module_function f;
    const struct kept *k = ask(n, va, &f) ? keep(n, va, &f) : kept_at(n, va);

    if (!k)
        return bpf_text_name_at(n->programs, va, offset);
    if (offset)
        *offset = va - k->va;
    return k->name;
}

struct module_names *module_names_new(struct cluster *c, struct symbols *symbols,
                                      const struct bpf_text *programs)
{
    struct module_names *n = xcalloc(1, sizeof *n);

    n->cluster = c;
    n->symbols = symbols;
    n->programs = programs;
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
