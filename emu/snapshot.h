/*
 * snapshot.h - the machine at one instruction boundary, kept in memory.
 *
 * Taken and restored between two calls of machine_run, whatever ended the first: the run that
 * goes on from a snapshot is the uninterrupted run, to the cycle, the finding and the report's
 * last byte. Taking one does not show in the run either.
 *
 * Memory, disks and the code map are not copied: a page is, before its first change after that. A
 * disk's file that the guest may write is part of the state: restoring writes back what the run has
 * written since. (A file that is opened read-only or as `snapshot` never changes.)
 *
 * Input is repeated: what the console answered after the first snapshot of a machine is given
 * again at the same moments when the run is repeated from there (input.h). Output is written
 * again; machine_mute_console is for callers that have shown it already.
 *
 * Not part of a snapshot: probes and listeners, which belong to those who planted them; caches;
 * a wish to stop.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct machine;
struct snapshot;
struct state_io;

/* Something outside of the machine whose state belongs to the run (base/state_io.h). */
struct state_part {
    void *ctx;
    void (*state_io)(void *ctx, struct state_io *io);
};

/* Before the first snapshot. The part must stay valid as long as snapshots are used. */
void machine_join_snapshots(struct machine *m, struct state_part part);

struct snapshot *machine_snapshot(struct machine *m);

/*
 * Any snapshot of this machine, in any order, any number of times; the others remain. False: the
 * file of a disk could not be read or written (which was said); the machine cannot go on then.
 */
MUST_USE bool machine_restore(struct machine *m, const struct snapshot *s);

/* Before the machine is freed, or never: that frees the rest. */
void snapshot_free(struct machine *m, struct snapshot *s);

/* Host memory that it needs now: grows while the run goes on and pages change. */
size_t snapshot_bytes(const struct machine *m, const struct snapshot *s);

/* A hash of the present state, without memory and disks: the same state has the same one. */
uint64_t machine_state_hash(struct machine *m);

/* Bytes that the guest has written to its console until now; a restore takes it back. */
uint64_t machine_console_count(const struct machine *m);

/*
 * Bytes are not handed to the console while the count is below `count`. For a run that is
 * repeated: with the largest count so far, only what is new is shown.
 */
void machine_mute_console(struct machine *m, uint64_t count);

#endif
