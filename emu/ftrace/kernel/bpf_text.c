/*
 * bpf_text.c - see bpf_text.h.
 */
#include "ftrace/kernel/bpf_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/modules.h"
#include "mem/ram.h"

enum { KEPT_MAX = 4096, NAME_BYTES = 104, FUNCTION_BYTES_MAX = 16 << 20 };

enum kernel_call { CALL_ADD, CALL_DEL, CALLS };

/* A function of a program. Where functions overlap, the newest one is valid. */
struct function {
    uint64_t start, end;
    uint64_t gone; /* 1: the kernel has freed it */
    char name[NAME_BYTES];
};

struct bpf_text {
    struct cluster *cluster;
    struct kernel_probes *calls;
    VEC_OF(struct function) functions;
};

/* Reads a struct bpf_ksym; false: the memory is not one. */
static bool read_function(struct hart *h, uint64_t ksym, struct function *f)
{
    uint64_t bounds[2];

    *f = (struct function){0};
    if (!guest_read(h, ksym, bounds, sizeof bounds) ||
        !guest_read(h, ksym + sizeof bounds, f->name, NAME_BYTES - 1))
        return false;
    f->start = bounds[0];
    f->end = bounds[1];
    for (char *at = f->name; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    memset(f->name + strlen(f->name), 0, NAME_BYTES - strlen(f->name));
    return f->name[0] && guest_range(f->start, f->end - f->start, FUNCTION_BYTES_MAX);
}

static void drop(struct bpf_text *t, size_t i)
{
    t->functions.len--;
    memmove(&t->functions.at[i], &t->functions.at[i + 1],
            (t->functions.len - i) * sizeof t->functions.at[0]);
}

/* Drops the functions whose memory the new one has, and the oldest one if there are too many. */
static void make_room(struct bpf_text *t, const struct function *f)
{
    for (size_t i = t->functions.len; i-- > 0;)
        if (t->functions.at[i].start < f->end && f->start < t->functions.at[i].end)
            drop(t, i);
    if (t->functions.len == KEPT_MAX)
        drop(t, 0);
}

static const struct function *function_at(const struct bpf_text *t, uint64_t va)
{
    for (size_t i = t->functions.len; i-- > 0;)
        if (va >= t->functions.at[i].start && va < t->functions.at[i].end)
            return &t->functions.at[i];
    return NULL;
}

/* Declares the text as code, so that each store to it is known before a hart has run it. */
static void watch_pages(const struct bpf_text *t, struct hart *h, const struct function *f)
{
    uint64_t last = (f->end - 1) / PAGE_BYTES;

    for (uint64_t page = f->start / PAGE_BYTES; page <= last; page++) {
        uint64_t pa;

        if (guest_place(h, page * PAGE_BYTES, PAGE_BYTES, ACCESS_LOAD, &pa))
            cluster_declare_code(t->cluster, pa, PAGE_BYTES);
    }
}

static void on_call(void *ctx, unsigned which, struct hart *h)
{
    struct bpf_text *t = ctx;
    struct function f;

    if (!read_function(h, hart_reg(h, REG_A0), &f))
        return;
    if (which == CALL_DEL && !function_at(t, f.start))
        return; /* it has no names yet: it could not be written */
    f.gone = which == CALL_DEL;
    if (!f.gone)
        watch_pages(t, h, &f);
    make_room(t, &f);
    VEC_PUSH(&t->functions, f);
}

struct bpf_text *bpf_text_new(struct cluster *c, const struct image *im,
                              const struct symbols *symbols)
{
    static const char *const names[CALLS] = {
        [CALL_ADD] = "bpf_ksym_add", [CALL_DEL] = "bpf_ksym_del"};
    struct bpf_text *t = xcalloc(1, sizeof *t);

    t->cluster = c;
    t->calls = kernel_probes_new(c, im, symbols, names, CALLS, on_call, t);
    return t;
}

void bpf_text_free(struct bpf_text *t)
{
    if (!t)
        return;
    kernel_probes_free(t->calls);
    VEC_FREE(&t->functions);
    free(t);
}

const char *bpf_text_name_at(const struct bpf_text *t, uint64_t va, uint64_t *offset)
{
    const struct function *f = function_at(t, va);

    if (f && offset)
        *offset = va - f->start;
    return f ? f->name : NULL;
}

bool bpf_text_is_gone(const struct bpf_text *t, uint64_t va)
{
    const struct function *f = function_at(t, va);

    return f && f->gone;
}

void bpf_text_state_io(void *text, struct state_io *io)
{
    struct bpf_text *t = text;

    state_io_section(io, "bpf-text", 1);
    STATE_IO_PLAIN_VEC(io, &t->functions, KEPT_MAX);
    for (size_t i = 0; io->loading && i < t->functions.len; i++)
        t->functions.at[i].name[NAME_BYTES - 1] = '\0';
}
