/*
 * versions.c - see versions.h.
 *
 * version->next is the next version towards the present contents; NULL: the present contents are
 * next. The versions with NULL are the bases; only these are affected when a page
 * changes.
 */
#include "base/versions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"

struct copy {
    unsigned references;
    bool readable; /* false: the store could not read the page */
    size_t size;
    uint8_t bytes[];
};

struct version {
    struct version *next;
    struct map differs; /* page number -> struct copy: its contents in this version */
};

typedef VEC_OF(struct version *) version_list;

struct versions {
    struct page_store store;
    version_list all, bases;
    uint32_t generation;
    size_t copy_bytes;    /* of all copies */
    struct state_io page; /* where a page is saved before its size is known */
};

/* ---- copies ---- */

/* Host memory for a copy and its entries in a map. */
static size_t bytes_of(const struct copy *c)
{
    return sizeof *c + c->size + 2 * sizeof(struct map_slot);
}

static struct copy *copy_page(struct versions *v, uint64_t page)
{
    struct copy *c;
    bool readable;

    v->page.saved.len = 0;
    readable = v->store.page_io(v->store.ctx, page, &v->page);
    c = xmalloc(sizeof *c + v->page.saved.len);
    *c = (struct copy){.readable = readable, .size = v->page.saved.len};
    memcpy(c->bytes, v->page.saved.at, c->size);
    v->copy_bytes += bytes_of(c);
    return c;
}

static void release(struct versions *v, struct copy *c)
{
    if (--c->references)
        return;
    v->copy_bytes -= bytes_of(c);
    free(c);
}

static void add(struct version *version, uint64_t page, struct copy *c)
{
    c->references++;
    map_put_ptr(&version->differs, page, c);
}

static bool has(const struct version *version, uint64_t page)
{
    return map_get_ptr(&version->differs, page) != NULL;
}

/* The next page in which the version differs, from slot *at on; moves *at past it. */
static struct copy *next_copy(const struct version *version, size_t *at, uint64_t *page)
{
    const struct map *m = &version->differs;

    for (; *at < m->cap; ++*at)
        if (m->slots[*at].key != UINT64_MAX) {
            *page = m->slots[*at].key;
            return (struct copy *)(uintptr_t)m->slots[(*at)++].value;
        }
    return NULL;
}

static void forget_copies(struct versions *v, struct version *version)
{
    struct copy *c;
    uint64_t page;

    for (size_t at = 0; (c = next_copy(version, &at, &page));)
        release(v, c);
    map_free(&version->differs);
}

/* ---- the tree ---- */

static void remove_from(version_list *list, const struct version *version)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i] == version) {
            list->at[i] = list->at[--list->len];
            return;
        }
}

static void renew(struct versions *v)
{
    v->generation++;
}

struct versions *versions_new(const struct page_store *store)
{
    struct versions *v = xcalloc(1, sizeof *v);

    v->store = *store;
    v->generation = 1;
    state_io_save(&v->page, store->page_bytes);
    return v;
}

void versions_free(struct versions *v)
{
    if (!v)
        return;
    while (v->all.len)
        version_free(v, v->all.at[v->all.len - 1]);
    assert(!v->copy_bytes);
    state_io_free(&v->page);
    VEC_FREE(&v->all);
    VEC_FREE(&v->bases);
    free(v);
}

struct version *versions_take(struct versions *v)
{
    struct version *taken = xcalloc(1, sizeof *taken);

    for (size_t i = 0; i < v->bases.len; i++)
        v->bases.at[i]->next = taken;
    v->bases.len = 0;
    VEC_PUSH(&v->bases, taken);
    VEC_PUSH(&v->all, taken);
    renew(v);
    return taken;
}

/* `version`, relative to `to`, also differs in all pages of `more` that it does not have itself. */
static void add_missing(struct version *version, const struct version *more)
{
    struct copy *c;
    uint64_t page;

    for (size_t at = 0; (c = next_copy(more, &at, &page));)
        if (!has(version, page))
            add(version, page, c);
}

void version_free(struct versions *v, struct version *version)
{
    remove_from(&v->all, version);
    remove_from(&v->bases, version);
    for (size_t i = 0; i < v->all.len; i++) {
        struct version *before = v->all.at[i];

        if (before->next != version)
            continue;
        add_missing(before, version);
        before->next = version->next;
        if (!before->next)
            VEC_PUSH(&v->bases, before);
    }
    forget_copies(v, version);
    free(version);
}

bool versions_exist(const struct versions *v)
{
    return v->all.len != 0;
}

uint32_t versions_generation(const struct versions *v)
{
    return v->generation;
}

void versions_keep(struct versions *v, uint64_t page)
{
    struct copy *c = NULL;

    for (size_t i = 0; i < v->bases.len; i++) {
        if (has(v->bases.at[i], page))
            continue;
        if (!c)
            c = copy_page(v, page);
        add(v->bases.at[i], page, c);
    }
}

/* ---- restoring ---- */

static bool put_back(struct versions *v, uint64_t page, const struct copy *c)
{
    struct state_io io;

    state_io_load(&io, c->bytes, c->size);
    return c->readable && v->store.page_io(v->store.ctx, page, &io) &&
           state_io_end(&io) == STATE_OK;
}

/* Makes the other bases relative to `base`, before the present contents become those of `base`. */
static void make_only_base(struct versions *v, struct version *base)
{
    uint64_t page;

    for (size_t at = 0; next_copy(base, &at, &page);)
        versions_keep(v, page);
    for (size_t i = 0; i < v->bases.len; i++)
        if (v->bases.at[i] != base)
            v->bases.at[i]->next = base;
    v->bases.len = 0;
    VEC_PUSH(&v->bases, base);
}

/* Changes the present contents back to those of `base`. */
static bool undo_changes(struct versions *v, struct version *base)
{
    struct copy *c;
    uint64_t page;
    bool done = true;

    for (size_t at = 0; (c = next_copy(base, &at, &page));)
        done &= put_back(v, page, c);
    forget_copies(v, base);
    return done;
}

/* Changes the present contents from those of to->next to those of `to`. */
static bool step_to(struct versions *v, struct version *to)
{
    struct version *from = to->next;
    struct copy *c;
    uint64_t page;
    bool done = true;

    /* `from` is where undo_changes or the step before ended: the only base, without copies. */
    assert(!from->differs.len && !from->next);
    for (size_t at = 0; (c = next_copy(to, &at, &page));) {
        add(from, page, copy_page(v, page));
        done &= put_back(v, page, c);
    }
    forget_copies(v, to);
    from->next = to;
    to->next = NULL;
    v->bases.at[0] = to;
    return done;
}

bool versions_restore(struct versions *v, const struct version *version)
{
    VEC_OF(struct version *) path = {0};
    struct version *base = NULL;
    bool done;

    for (struct version *at = (struct version *)(uintptr_t)version; at; at = at->next) {
        if (base)
            VEC_PUSH(&path, base);
        base = at;
    }
    make_only_base(v, base);
    done = undo_changes(v, base);
    while (path.len)
        done &= step_to(v, path.at[--path.len]);
    VEC_FREE(&path);
    renew(v);
    return done;
}

/* ---- memory ---- */

size_t version_bytes(const struct version *version)
{
    size_t sum = sizeof *version;
    const struct copy *c;
    uint64_t page;

    for (size_t at = 0; (c = next_copy(version, &at, &page));)
        sum += bytes_of(c);
    return sum;
}

size_t versions_bytes(const struct versions *v)
{
    return v->all.len * sizeof(struct version) + v->copy_bytes;
}
