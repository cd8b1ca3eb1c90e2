/*
 * snapshot.c - see snapshot.h. A snapshot is the saved state of all parts (state_io) in one
 * buffer, and a version of each thing that is too large for that: memory and disks.
 */
#include "machine/snapshot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/state_io.h"
#include "base/versions.h"
#include "load/drive.h"
#include "machine/machine_priv.h"
#include "machine/plan.h"
#include "mem/bus.h"
#include "mem/ram.h"
#include "sbi/sbi.h"

struct snapshot {
    struct snapshot *next, *previous; /* in the machine's list */
    uint8_t *state;
    size_t state_bytes;
    struct version *memory, *code;
    struct version *drives[MACHINE_DRIVES_MAX];
};

static void console_state_io(struct state_io *io, struct machine *m)
{
    state_io_section(io, "console", 2);
    STATE_IO(io, m->console_bytes);
    STATE_IO(io, m->input.taken);
}

void machine_state_io(struct state_io *io, struct machine *m)
{
    /* First the parts: they may plant probes, on which blocks and positions in them depend. */
    for (size_t i = 0; i < m->parts.len; i++)
        m->parts.at[i].state_io(m->parts.at[i].ctx, io);
    schedule_state_io(io, m);
    ram_state_io(io, m->ram);
    cluster_state_io(io, m->cluster);
    bus_state_io(io, m->bus);
    if (m->sbi)
        sbi_state_io(io, m->sbi);
    console_state_io(io, m);
    input_state_io(io, &m->input);
    if (io->loading && m->config.plan)
        cluster_record_insns(m->cluster, m->config.follow_data ||
                                             plan_follows_data(m->config.plan, machine_insns(m)));
}

void machine_join_snapshots(struct machine *m, struct state_part part)
{
    assert(!m->snapshots);
    VEC_PUSH(&m->parts, part);
}

/* ---- taking ---- */

static void save_state(struct machine *m, struct snapshot *s)
{
    struct state_io io;

    state_io_save(&io, m->state_bytes + m->state_bytes / 8);
    machine_state_io(&io, m);
    s->state_bytes = m->state_bytes = io.saved.len;
    s->state = xrealloc(io.saved.at, io.saved.len);
}

static void add_to_list(struct machine *m, struct snapshot *s)
{
    s->next = m->snapshots;
    if (s->next)
        s->next->previous = s;
    m->snapshots = s;
}

struct snapshot *machine_snapshot(struct machine *m)
{
    struct snapshot *s = xcalloc(1, sizeof *s);

    m->input.on = true;
    save_state(m, s);
    s->memory = ram_take_version(m->ram);
    s->code = cluster_take_code_version(m->cluster);
    for (unsigned n = 0; n < m->config.drive_count; n++)
        s->drives[n] = drive_take_version(m->drives[n]);
    add_to_list(m, s);
    return s;
}

/* ---- restoring ---- */

bool machine_restore(struct machine *m, const struct snapshot *s)
{
    struct state_io io;
    bool done = true;

    for (unsigned n = 0; n < m->config.drive_count; n++)
        done &= drive_restore_version(m->drives[n], s->drives[n]);
    ram_restore_version(m->ram, s->memory);
    cluster_restore_code_version(m->cluster, s->code);
    state_io_load(&io, s->state, s->state_bytes);
    machine_state_io(&io, m);
    if (state_io_end(&io) != STATE_OK)
        abort(); /* cannot happen: this machine saved it */
    return done;
}

/* ---- freeing ---- */

void snapshot_free(struct machine *m, struct snapshot *s)
{
    if (s->previous)
        s->previous->next = s->next;
    else
        m->snapshots = s->next;
    if (s->next)
        s->next->previous = s->previous;
    ram_free_version(m->ram, s->memory);
    cluster_free_code_version(m->cluster, s->code);
    for (unsigned n = 0; n < m->config.drive_count; n++)
        drive_free_version(m->drives[n], s->drives[n]);
    free(s->state);
    free(s);
}

void snapshots_end(struct machine *m)
{
    for (struct snapshot *s = m->snapshots, *next; s; s = next) {
        next = s->next;
        snapshot_free(m, s);
    }
    VEC_FREE(&m->parts);
    input_log_free(&m->input);
}

/* ---- properties ---- */

size_t snapshot_bytes(const struct machine *m, const struct snapshot *s)
{
    size_t sum = sizeof *s + s->state_bytes + version_bytes(s->memory) + version_bytes(s->code);

    for (unsigned n = 0; n < m->config.drive_count; n++)
        sum += version_bytes(s->drives[n]);
    return sum;
}

size_t machine_snapshots_bytes(const struct machine *m)
{
    size_t sum = cluster_code_versions_bytes(m->cluster);

    if (m->ram->versions)
        sum += versions_bytes(m->ram->versions);
    for (unsigned n = 0; n < m->config.drive_count; n++)
        sum += drive_versions_bytes(m->drives[n]);
    for (const struct snapshot *s = m->snapshots; s; s = s->next)
        sum += sizeof *s + s->state_bytes;
    return sum;
}

uint64_t machine_state_hash(struct machine *m)
{
    struct state_io io;
    uint64_t hash;

    state_io_save(&io, m->state_bytes);
    machine_state_io(&io, m);
    cluster_code_state_io(&io, m->cluster);
    hash = fnv1a(FNV1A_START, io.saved.at, io.saved.len);
    state_io_free(&io);
    return hash;
}

/* ---- input and output ---- */

void machine_repeat_input(struct machine *m, uint64_t insns, uint64_t cycles)
{
    m->input.known_insns = insns;
    m->input.known_cycles = cycles;
}

uint64_t machine_console_count(const struct machine *m)
{
    return m->console_bytes;
}

uint64_t machine_input_count(const struct machine *m)
{
    return m->input.taken;
}

void machine_mute_console(struct machine *m, uint64_t count)
{
    m->muted_until = count;
}

void machine_console_put(struct machine *m, const uint8_t *bytes, size_t len)
{
    uint64_t muted = m->muted_until > m->console_bytes ? m->muted_until - m->console_bytes : 0;
    size_t skipped = muted < len ? (size_t)muted : len;

    m->console_bytes += len;
    if (m->config.console.repeat && skipped)
        m->config.console.repeat(m->config.console.ctx, bytes, skipped);
    if (m->config.console.put && skipped < len)
        m->config.console.put(m->config.console.ctx, bytes + skipped, len - skipped);
}
