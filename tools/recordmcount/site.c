/*
 * site.c - lists of call sites. Knows nothing of ELF.
 */
#include "site.h"
#include "call.h"
#include "elf_file.h"

#include <stdlib.h>
#include <sysexits.h>

int site_list_add(struct site_list *l, const char *path, struct site s)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 64;
        struct site *at = reallocarray(l->at, room, sizeof *at);

        if (!at)
            return elf_file_fail(path, EX_SOFTWARE, "out of memory; give a smaller file");
        l->at = at;
        l->room = room;
    }
    l->at[l->count++] = s;
    return 0;
}

static int site_compare(const void *va, const void *vb)
{
    const struct site *a = va, *b = vb;

    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

void site_list_sort(struct site_list *l)
{
    if (l->count)
        qsort(l->at, l->count, sizeof *l->at, site_compare);
}

bool site_lists_equal(const struct site_list *a, const struct site_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (site_compare(&a->at[i], &b->at[i]) != 0)
            return false;
    return true;
}

/* The number of sites at or before `key`. */
static size_t site_list_rank(const struct site_list *l, struct site key)
{
    size_t low = 0, high = l->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (site_compare(&l->at[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool site_list_has_section(const struct site_list *l, size_t section)
{
    size_t rank = site_list_rank(l, (struct site){section, UINT64_MAX});

    return rank && l->at[rank - 1].section == section;
}

const struct site *site_list_find(const struct site_list *l, struct site place)
{
    size_t rank = site_list_rank(l, place);
    const struct site *s = rank ? &l->at[rank - 1] : NULL;

    if (!s || s->section != place.section || place.offset - s->offset >= CALL_BYTES)
        return NULL;
    return s;
}
