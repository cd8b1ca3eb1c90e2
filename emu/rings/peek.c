/*
 * peek.c - see peek.h.
 */
#include "rings/peek.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "load/btf.h"
#include "load/image.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "mem/bus.h"

/*
 * The maximum length of a string, and the maximum number of reads: a kernel's lists need some
 * 100,000, and each page of its rings a few more.
 */
enum { TEXT_MAX = 64 << 10, READS_MAX = 1 << 20, READS_OF_PAGE = 16 };

static void miss(struct peek *p, const char *what, const char *of)
{
    if (!p->missing[0])
        snprintf(p->missing, sizeof p->missing, "%.40s%s%.40s", what, *of ? "." : "", of);
    p->bad = true;
}

void peek_refuse(struct peek *p, const char *why)
{
    if (!p->bad)
        p->wrong = why;
    p->bad = true;
}

bool peek_has(const struct peek *p, const struct peek_member *m, uint64_t *at)
{
    struct file btf = image_btf(p->image);

    if (!m->member)
        return lines_struct_size(p->lines, m->structure, at) ||
               btf_struct_size(btf.bytes, btf.size, m->structure, at);
    return lines_member(p->lines, m->structure, m->member, at) ||
           btf_member(btf.bytes, btf.size, m->structure, m->member, at);
}

/* The offsets of the group, if they were looked up before; else NULL. */
static const struct peek_offsets *known_offsets(const struct peek *p,
                                                const struct peek_member *members, size_t count)
{
    for (size_t i = 0; i < p->known_count; i++)
        if (p->known[i].of == members && p->known[i].count == count)
            return &p->known[i];
    return NULL;
}

static void keep_offsets(struct peek *p, const struct peek_member *members, size_t count,
                         const uint64_t *at)
{
    struct peek_offsets *known = &p->known[p->known_count];

    if (p->bad || p->known_count == PEEK_OFFSETS || count > PEEK_MEMBERS)
        return;
    p->known_count++;
    known->of = members;
    known->count = count;
    memcpy(known->at, at, count * sizeof *at);
}

void peek_members(struct peek *p, const struct peek_member *members, size_t count, uint64_t *at)
{
    const struct peek_offsets *known = known_offsets(p, members, count);

    if (known) {
        memcpy(at, known->at, count * sizeof *at);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct peek_member *m = &members[i];

        at[i] = 0;
        if (!peek_has(p, m, &at[i]))
            miss(p, m->structure, m->member ? m->member : "");
    }
    keep_offsets(p, members, count, at);
}

uint64_t peek_symbol(struct peek *p, const char *name)
{
    uint64_t va = 0;

    if (!symbols_find(p->symbols, name, &va))
        miss(p, name, "");
    return va;
}

/* Tries all harts: one may have no page table, or a freed one; all others map the kernel. */
static bool find_page(const struct peek *p, uint64_t va, uint64_t *pa)
{
    for (unsigned i = 0; i < cluster_hart_count(p->cluster); i++)
        if (hart_maps(cluster_hart(p->cluster, i), va, pa))
            return true;
    if (!image_va_to_pa(p->image, va, pa))
        *pa = va;
    return bus_has(cluster_bus(p->cluster), *pa);
}

bool peek_read(struct peek *p, uint64_t va, void *to, size_t size)
{
    uint8_t *at = to;

    memset(to, 0, size);
    if (++p->reads > READS_MAX + READS_OF_PAGE * p->pages.len)
        peek_refuse(p, "its lists have no end");
    while (size && !p->bad) {
        size_t part = PAGE_BYTES - va % PAGE_BYTES;
        uint64_t pa;

        part = part < size ? part : size;
        if (!find_page(p, va, &pa) || !bus_read(cluster_bus(p->cluster), pa, at, part))
            p->bad = true;
        at += part;
        va += part;
        size -= part;
    }
    return !p->bad;
}

bool peek_page_once(struct peek *p, uint64_t va)
{
    uint64_t number;

    if (p->bad || map_get(&p->pages, va, &number))
        return false;
    map_put(&p->pages, va, 0);
    return true;
}

void peek_end(struct peek *p)
{
    map_free(&p->pages);
}

uint64_t peek_u64(struct peek *p, uint64_t va)
{
    uint64_t value;

    (void)peek_read(p, va, &value, sizeof value);
    return value;
}

uint32_t peek_u32(struct peek *p, uint64_t va)
{
    uint32_t value;

    (void)peek_read(p, va, &value, sizeof value);
    return value;
}

char *peek_text(struct peek *p, uint64_t va)
{
    VEC_OF(char) text = {0};
    char part[64];

    while (!p->bad) {
        size_t have = sizeof part - va % sizeof part, len;

        if (!peek_read(p, va, part, have))
            break;
        len = strnlen(part, have);
        for (size_t i = 0; i < len; i++)
            VEC_PUSH(&text, part[i]);
        va += have;
        if (len < have)
            break;
        p->bad = text.len > TEXT_MAX;
    }
    VEC_PUSH(&text, '\0');
    if (p->bad)
        text.at[0] = '\0';
    return text.at;
}
