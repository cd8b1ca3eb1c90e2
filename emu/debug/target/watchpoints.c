/*
 * watchpoints.c - watchpoints of the target layer: finds the accesses to watched pages
 * (cluster_watch_memory) that touch a watchpoint, and decides which ones stop.
 *
 * A watchpoint is watched in physical memory, page by page, as its pages may be
 * anywhere. When a hart gets another page table or fences the one it has, and at
 * each resume, its pages are looked up anew. An access is recorded while its
 * instruction runs, and the machine is asked to stop. Conditions are evaluated
 * after the instruction; if none holds, the machine continues.
 */
#include <string.h>

#include "cpu/hart.h"
#include "debug/target/target_priv.h"
#include "load/image.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* ---- setting ---- */

static bool wants_reads(enum target_point_kind kind)
{
    return kind == TARGET_WATCH_READ || kind == TARGET_WATCH_ACCESS;
}

static bool wants_writes(enum target_point_kind kind)
{
    return kind == TARGET_WATCH_WRITE || kind == TARGET_WATCH_ACCESS;
}

static void add_piece(piece_list *list, struct watchpoint_piece piece)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i].number == piece.number && list->at[i].pa == piece.pa)
            return; /* another hart maps the page to the same memory */
    VEC_PUSH(list, piece);
}

/*
 * Finds the first bytes of `piece` in memory: where each hart's page table maps them; if none does,
 * where the image is loaded (TARGET_BY_ANY), or at the physical address.
 */
static void find_piece(const struct target *t, const struct target_point *p, uint64_t address,
                       struct watchpoint_piece piece, piece_list *list)
{
    size_t before = list->len;

    for (unsigned i = 0; i < target_hart_count(t) && p->space != TARGET_BY_PHYSICAL; i++)
        if (hart_maps(target_hart_at(t, i), address, &piece.pa) &&
            ram_has(bus_ram(cluster_bus(t->cluster)), piece.pa, piece.size))
            add_piece(list, piece);
    if (list->len > before)
        return;
    if (p->space != TARGET_BY_ANY || !image_va_to_pa(machine_image(t->machine), address, &piece.pa))
        piece.pa = address;
    if (ram_has(bus_ram(cluster_bus(t->cluster)), piece.pa, piece.size))
        add_piece(list, piece);
}

/* Finds the memory of the watchpoint at present: a list of pieces, none across a page. */
static piece_list find_pieces(const struct target *t, const struct target_point *p, unsigned number)
{
    piece_list list = {0};

    for (uint64_t offset = 0; offset < p->size;) {
        uint64_t address = p->address + offset, room = PAGE_BYTES - address % PAGE_BYTES;
        struct watchpoint_piece piece = {
            .number = number,
            .offset = offset,
            .size = p->size - offset < room ? p->size - offset : room,
        };

        find_piece(t, p, address, piece, &list);
        offset += piece.size;
    }
    return list;
}

static void arm_pieces(struct target *t, const struct target_point *p, const piece_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        VEC_PUSH(&t->pieces, list->at[i]);
        cluster_watch_memory(t->cluster, list->at[i].pa, list->at[i].size, wants_reads(p->kind));
    }
}

/* Whether all bytes of the watchpoint were found; it is in two pages at most. */
static bool is_whole(const struct target_point *p, const piece_list *list)
{
    const struct watchpoint_piece *last = list->len ? &list->at[list->len - 1] : NULL;

    return last && !list->at[0].offset && last->offset + last->size == p->size;
}

enum target_error watchpoint_set(struct target *t, struct target_point *p, unsigned number)
{
    piece_list list;
    bool whole;

    if (!p->size || p->size > TARGET_WATCH_MAX || p->address + (p->size - 1) < p->address)
        return TARGET_BAD_SIZE;
    list = find_pieces(t, p, number);
    whole = is_whole(p, &list);
    if (whole) {
        p->pa = list.at[0].pa;
        arm_pieces(t, p, &list);
    }
    VEC_FREE(&list);
    return whole ? TARGET_OK : TARGET_NOT_MAPPED;
}

void watchpoint_clear(struct target *t, const struct target_point *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->pieces.len; i++) {
        struct watchpoint_piece piece = t->pieces.at[i];

        if (piece.number == p->number)
            cluster_unwatch_memory(t->cluster, piece.pa, piece.size, wants_reads(p->kind));
        else
            t->pieces.at[kept++] = piece;
    }
    t->pieces.len = kept;
}

static bool is_watched_at(const struct target *t, unsigned number, const piece_list *list)
{
    size_t same = 0;

    for (size_t i = 0; i < t->pieces.len; i++)
        if (t->pieces.at[i].number == number) {
            if (same == list->len || t->pieces.at[i].pa != list->at[same].pa ||
                t->pieces.at[i].offset != list->at[same].offset)
                return false;
            same++;
        }
    return same == list->len;
}

void watchpoint_follow(struct target *t)
{
    for (size_t i = 0; i < t->points.len; i++) {
        const struct target_point *p = &t->points.at[i];
        piece_list list;

        if (p->kind == TARGET_BREAK || p->kind == TARGET_CATCH)
            continue;
        list = find_pieces(t, p, p->number);
        if (!is_watched_at(t, p->number, &list)) {
            watchpoint_clear(t, p);
            arm_pieces(t, p, &list);
        }
        VEC_FREE(&list);
    }
    if (t->changed)
        t->changed(t->changed_ctx);
}

/* ---- accesses ---- */

static uint64_t value_of(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size < sizeof value ? size : sizeof value);
    return value;
}

/* Finds the part of the access that is in the piece. False: there is none. */
static bool overlap(const struct watchpoint_piece *piece, const struct access_event *e,
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

    return !p->disabled && by_hart && (write || (a->read && wants_reads(p->kind)));
}

/*
 * Whether two accesses to the point are recorded: an instruction accesses a watchpoint at most
 * twice, in two pages. Further writes by a device during the same instruction are not recorded.
 */
static bool is_full(const struct target *t, unsigned number)
{
    enum { NOTED_MAX = 2 };
    unsigned noted = 0;

    for (size_t i = 0; i < t->accesses.len; i++)
        noted += t->accesses.at[i].point == number;
    return noted >= NOTED_MAX;
}

void watchpoint_note(struct target *t, const struct access_event *e)
{
    if (t->quiet || writer_is_debugger(&e->who))
        return;
    for (size_t i = 0; i < t->pieces.len; i++) {
        const struct watchpoint_piece *piece = &t->pieces.at[i];
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

/* Returns the first access to the point; NULL: there was none. */
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

bool watchpoint_decide(struct target *t, unsigned current)
{
    for (size_t i = 0; i < t->points.len; i++) {
        struct target_point *p = &t->points.at[i];
        const struct target_access *a = access_of(t, p->number);

        if (a && !point_hit(p, a->who.kind == WRITER_HART ? a->who.hart : current))
            drop_accesses(t, p->number);
    }
    return t->accesses.len != 0;
}
