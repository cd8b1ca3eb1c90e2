/*
 * watchpoints.c - watchpoints of the target layer: which accesses to watched
 * pages (cluster_watch_memory) touch a watchpoint, and which of them stop.
 *
 * A watchpoint is translated once, page by page, as its pages may be anywhere in
 * physical memory. An access is recorded while its instruction runs, and the
 * machine is asked to stop. Conditions are evaluated after the instruction; if
 * none holds, the machine continues.
 */
#include <string.h>

#include "debug/target_priv.h"

/* ---- setting ---- */

static bool wants_reads(enum target_point_kind kind)
{
    return kind == TARGET_WATCH_READ || kind == TARGET_WATCH_ACCESS;
}

static bool wants_writes(enum target_point_kind kind)
{
    return kind == TARGET_WATCH_WRITE || kind == TARGET_WATCH_ACCESS;
}

/* The part of the watchpoint at `address` that is in one page. */
static enum target_error locate_piece(const struct target *t, unsigned from_hart,
                                      const struct target_point *p, uint64_t offset,
                                      struct watch_piece *piece)
{
    uint64_t address = p->address + offset, room = PAGE_BYTES - address % PAGE_BYTES;

    piece->offset = offset;
    piece->size = p->size - offset < room ? p->size - offset : room;
    return target_locate(t, from_hart, p->space, address, &piece->pa);
}

enum target_error watch_set(struct target *t, unsigned from_hart, struct target_point *p,
                            unsigned number)
{
    size_t before = t->pieces.len;

    if (!p->size || p->size > TARGET_WATCH_MAX || p->address + (p->size - 1) < p->address)
        return TARGET_BAD_SIZE;
    for (uint64_t offset = 0; offset < p->size;) {
        struct watch_piece piece = {.number = number};
        enum target_error error = locate_piece(t, from_hart, p, offset, &piece);

        if (error) {
            t->pieces.len = before;
            return error;
        }
        VEC_PUSH(&t->pieces, piece);
        offset += piece.size;
    }
    p->pa = t->pieces.at[before].pa;
    for (size_t i = before; i < t->pieces.len; i++)
        cluster_watch_memory(t->cluster, t->pieces.at[i].pa, t->pieces.at[i].size,
                             wants_reads(p->kind));
    return TARGET_OK;
}

void watch_clear(struct target *t, const struct target_point *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->pieces.len; i++) {
        struct watch_piece piece = t->pieces.at[i];

        if (piece.number == p->number)
            cluster_unwatch_memory(t->cluster, piece.pa, piece.size, wants_reads(p->kind));
        else
            t->pieces.at[kept++] = piece;
    }
    t->pieces.len = kept;
}

/* ---- accesses ---- */

static uint64_t value_of(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
    return value;
}

/* The part of the access that is in the piece. False: there is none. */
static bool overlap(const struct watch_piece *piece, const struct access_event *e,
                    struct target_access *a)
{
    uint64_t from = e->pa > piece->pa ? e->pa : piece->pa;
    uint64_t end_access = e->pa + e->size, end_piece = piece->pa + piece->size;
    uint64_t end = end_access < end_piece ? end_access : end_piece;

    if (from >= end)
        return false;
    a->offset = piece->offset + (from - piece->pa);
    a->pa = from;
    a->size = (unsigned)(end - from);
    a->old_value = value_of(e->old_bytes + (from - e->pa), a->size);
    a->new_value = value_of(e->new_bytes + (from - e->pa), a->size);
    a->changed = memcmp(e->old_bytes + (from - e->pa), e->new_bytes + (from - e->pa), a->size) != 0;
    return true;
}

static bool is_wanted(const struct target_point *p, const struct target_access *a)
{
    bool by_hart =
        p->hart == TARGET_ANY_HART || (a->who.kind == WRITER_HART && a->who.hart == p->hart);
    bool write = a->write && wants_writes(p->kind) && (a->changed || !p->on_change);

    return by_hart && (write || (a->read && wants_reads(p->kind)));
}

/*
 * An instruction accesses a watchpoint at most twice, in two pages. Further writes by a device
 * during the same instruction are not recorded.
 */
static bool is_full(const struct target *t, unsigned number)
{
    enum { NOTED_MAX = 2 };
    unsigned noted = 0;

    for (size_t i = 0; i < t->accesses.len; i++)
        noted += t->accesses.at[i].point == number;
    return noted >= NOTED_MAX;
}

void watch_note(struct target *t, const struct access_event *e)
{
    if (e->who.kind == WRITER_DEBUGGER)
        return;
    for (size_t i = 0; i < t->pieces.len; i++) {
        const struct watch_piece *piece = &t->pieces.at[i];
        const struct target_point *p = target_find_point(t, piece->number);
        struct target_access a = {
            .point = piece->number, .read = e->reads, .write = e->writes, .who = e->who};

        if (!p || !overlap(piece, e, &a) || !is_wanted(p, &a) || is_full(t, p->number))
            continue;
        VEC_PUSH(&t->accesses, a);
        machine_ask_stop(t->machine);
    }
}

/* ---- stopping ---- */

/* The first access to the point; NULL: there was none. */
static const struct target_access *access_of(const struct target *t, unsigned number)
{
    for (size_t i = 0; i < t->accesses.len; i++)
        if (t->accesses.at[i].point == number)
            return &t->accesses.at[i];
    return NULL;
}

static void drop_accesses(struct target *t, unsigned number)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->accesses.len; i++)
        if (t->accesses.at[i].point != number)
            t->accesses.at[kept++] = t->accesses.at[i];
    t->accesses.len = kept;
}

bool watch_decide(struct target *t, unsigned current)
{
    for (size_t i = 0; i < t->points.len; i++) {
        struct target_point *p = &t->points.at[i];
        const struct target_access *a = access_of(t, p->number);

        if (a && !point_hit(p, a->who.kind == WRITER_HART ? a->who.hart : current))
            drop_accesses(t, p->number);
    }
    return t->accesses.len != 0;
}
