/*
 * target.c - harts and memory of the machine, for debuggers (target.h).
 */
#include "debug/target/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/isa/decode.h"
#include "debug/target/target_priv.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/image.h"
#include "mem/bus.h"

/* ---- harts ---- */

unsigned target_hart_count(const struct target *t)
{
    return cluster_hart_count(t->cluster);
}

struct target_hart target_hart(const struct target *t, unsigned hart)
{
    const struct hart *h = target_hart_at(t, hart);

    return (struct target_hart){.started = hart_insns(h) || hart_pc(h),
                                .mode = hart_mode(h),
                                .waits = hart_waits_for(h),
                                .pc = hart_pc(h),
                                .insns = hart_insns(h),
                                .cycles = hart_cycles(h),
                                .idle_cycles = hart_idle_cycles(h)};
}

unsigned target_current_hart(const struct target *t)
{
    return hart_id(machine_current(t->machine));
}

uint64_t target_insns(const struct target *t)
{
    return machine_insns(t->machine);
}

uint64_t target_cycles(const struct target *t)
{
    return machine_cycles(t->machine);
}

void target_describe_stuck(const struct target *t, unsigned hart, char text[MACHINE_STUCK_TEXT])
{
    machine_describe_stuck(t->machine, target_hart_at(t, hart), text);
}

/* ---- translation ---- */

static bool is_ram(const struct target *t, uint64_t pa)
{
    uint8_t byte;

    return bus_read(cluster_bus(t->cluster), pa, &byte, sizeof byte);
}

/*
 * Translates an address for any access that the page permits: code need not be readable, nor data
 * executable.
 */
static bool translate(struct hart *h, uint64_t va, uint64_t *pa)
{
    return hart_translate(h, va, ACCESS_LOAD, pa) || hart_translate(h, va, ACCESS_FETCH, pa) ||
           hart_translate(h, va, ACCESS_STORE, pa);
}

/*
 * Translates an address. False also if the physical address is not RAM, as it may be where nothing
 * is translated.
 */
static bool translate_to_ram(const struct target *t, struct hart *h, uint64_t va, uint64_t *pa)
{
    return translate(h, va, pa) && is_ram(t, *pa);
}

static bool locate_by_any(const struct target *t, unsigned hart, uint64_t address, uint64_t *pa)
{
    if (translate_to_ram(t, target_hart_at(t, hart), address, pa))
        return true;
    for (unsigned i = 0; i < target_hart_count(t); i++)
        if (translate_to_ram(t, target_hart_at(t, i), address, pa))
            return true;
    if (!image_va_to_pa(machine_image(t->machine), address, pa))
        *pa = address;
    return is_ram(t, *pa);
}

enum target_error target_locate(const struct target *t, unsigned hart, enum target_space space,
                                uint64_t address, uint64_t *pa)
{
    bool found = false;

    if (hart >= target_hart_count(t))
        return TARGET_NO_HART;
    switch (space) {
    case TARGET_BY_HART: found = translate_to_ram(t, target_hart_at(t, hart), address, pa); break;
    case TARGET_BY_PHYSICAL:
        *pa = address;
        found = is_ram(t, address);
        break;
    case TARGET_BY_ANY: found = locate_by_any(t, hart, address, pa); break;
    }
    return found ? TARGET_OK : TARGET_NOT_MAPPED;
}

bool target_can_fetch(const struct target *t, unsigned hart, uint64_t address)
{
    uint64_t pa;

    return hart_translate(target_hart_at(t, hart), address, ACCESS_FETCH, &pa);
}

bool target_image_address(const struct target *t, uint64_t pa, uint64_t *va)
{
    return image_pa_to_va(machine_image(t->machine), pa, va);
}

/* ---- memory ---- */

/*
 * Returns the number of bytes up to the end of the page; the next page may be anywhere in physical
 * memory.
 */
static size_t piece_at(uint64_t address, size_t len)
{
    size_t room = PAGE_BYTES - address % PAGE_BYTES;

    return len < room ? len : room;
}

/* Virtual memory is what the hart's own loads see, physical memory what has reached it. */
static bool read_piece(const struct target *t, unsigned hart, enum target_space space, uint64_t pa,
                       void *to, size_t len)
{
    if (space != TARGET_BY_PHYSICAL)
        return hart_read(target_hart_at(t, hart), pa, to, len);
    return bus_read(cluster_bus(t->cluster), pa, to, len);
}

enum target_error target_read(const struct target *t, unsigned hart, enum target_space space,
                              uint64_t address, void *to, size_t len)
{
    for (size_t done = 0, piece; done < len; done += piece) {
        uint64_t pa;
        enum target_error error = target_locate(t, hart, space, address + done, &pa);

        if (error)
            return error;
        piece = piece_at(address + done, len - done);
        if (!read_piece(t, hart, space, pa, (uint8_t *)to + done, piece))
            return TARGET_NOT_MAPPED;
    }
    return TARGET_OK;
}

struct insn_reader {
    const struct target *target;
    unsigned hart;
};

static bool read_parcel(void *ctx, uint64_t va, uint16_t *parcel)
{
    const struct insn_reader *r = ctx;

    return !target_read(r->target, r->hart, TARGET_BY_ANY, va, parcel, sizeof *parcel);
}

bool target_read_insn(const struct target *t, unsigned hart, uint64_t address, uint32_t *word)
{
    struct insn_reader r = {t, hart};

    return insn_read(read_parcel, &r, address, word);
}

static enum target_error check_range(const struct target *t, unsigned hart, enum target_space space,
                                     uint64_t address, size_t len)
{
    for (size_t done = 0, piece; done < len; done += piece) {
        uint64_t pa;
        enum target_error error = target_locate(t, hart, space, address + done, &pa);

        if (error)
            return error;
        piece = piece_at(address + done, len - done);
    }
    return TARGET_OK;
}

void target_set_autofence(struct target *t, bool on)
{
    t->unfenced = !on;
}

bool target_autofence(const struct target *t)
{
    return !t->unfenced;
}

static void write_piece(struct target *t, uint64_t pa, const void *from, size_t len)
{
    const struct writer debugger = {.kind = t->unfenced ? WRITER_DEBUGGER : WRITER_DEBUGGER_FENCED};

    (void)!bus_write(cluster_bus(t->cluster), pa, from, len, &debugger);
}

/*
 * All pages are translated before the first byte is written, and each one again
 * before its bytes are: a write to a page table may move the next page, and then
 * the rest is not written.
 */
enum target_error target_write(struct target *t, unsigned hart, enum target_space space,
                               uint64_t address, const void *from, size_t len)
{
    enum target_error error = check_range(t, hart, space, address, len);

    cluster_let_stores_leave(t->cluster); /* none of them comes after this write */
    for (size_t done = 0, piece; !error && done < len; done += piece) {
        uint64_t pa;

        error = target_locate(t, hart, space, address + done, &pa);
        if (error)
            break;
        piece = piece_at(address + done, len - done);
        write_piece(t, pa, (const uint8_t *)from + done, piece);
        history_depart(t);
    }
    return error;
}

/* ---- the auditor, and patches ---- */

size_t target_findings(const struct target *t)
{
    const struct audit *a = t->config.ftrace ? watch_audit(t->config.ftrace) : NULL;

    return a ? audit_count(a) : 0;
}

void target_catch_patches(struct target *t, bool (*wanted)(void *ctx, uint32_t site), void *ctx)
{
    t->patch_wanted = wanted;
    t->patch_ctx = ctx;
}

/*
 * Notes the site of a store. The patch log has recorded the store already, as it was attached to
 * the cluster before.
 */
static void note_patch(struct target *t, const struct code_write *w)
{
    uint32_t site;

    if (t->quiet || !t->patch_wanted || !t->config.ftrace)
        return;
    site = site_find(watch_sites(t->config.ftrace), w->pa, w->size);
    if (site == NO_SITE || !t->patch_wanted(t->patch_ctx, site))
        return;
    t->patched = true;
    t->patched_site = site;
    t->patched_by = w->who;
    machine_ask_stop(t->machine);
}

void target_follow(struct target *t, void (*changed)(void *ctx), void *ctx)
{
    t->changed = changed;
    t->changed_ctx = ctx;
    catch_listen(t);
}

static void tell_change(const struct target *t)
{
    if (t->changed)
        t->changed(t->changed_ctx);
}

static void on_event(void *ctx, const struct event *e)
{
    struct target *t = ctx;

    switch (e->kind) {
    case EVENT_ACCESS: watchpoint_note(t, &e->access); break;
    case EVENT_SATP:
    case EVENT_SFENCE_VMA: watchpoint_follow(t); break;
    case EVENT_TRAP_RETURN: tell_change(t); break;
    case EVENT_CODE_WRITE: note_patch(t, &e->code_write); break;
    default: break;
    }
    catch_note(t, e);
}

/* ---- creation ---- */

struct target *target_new(const struct target_config *config)
{
    struct target *t = xcalloc(1, sizeof *t);
    const struct listener l = {.ctx = t, .kinds = TARGET_EVENTS, .on_event = on_event};

    t->config = *config;
    t->machine = config->machine;
    t->cluster = machine_cluster(config->machine);
    points_init(t);
    cluster_listen(t->cluster, &l);
    if (config->ftrace)
        ftrace_listen(watch_stream(config->ftrace),
                      &(struct ftrace_listener){.ctx = t, .on_event = catch_note_ftrace});
    return t;
}

void target_free(struct target *t)
{
    if (t->config.ftrace)
        ftrace_unlisten(watch_stream(t->config.ftrace), t);
    history_free(t);
    points_free(t);
    free(t);
}
