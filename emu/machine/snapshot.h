/*
 * snapshot.h - snapshots: the state of the machine at an instruction boundary, kept in memory.
 *
 * Snapshots are taken and restored between two calls of machine_run. A run that continues from a
 * snapshot is identical to the uninterrupted run: in cycles, findings and every byte of the report.
 * Taking a snapshot does not change the run either.
 *
 * Memory, disks and the code map are not copied at once; each page is copied before its first
 * change after a snapshot. The file of a writable disk is part of the state: restoring writes back
 * its earlier contents. (A file that is opened read-only or as `snapshot` never changes.)
 *
 * Input is repeated: the console's answers after the first snapshot of a machine are given again at
 * the same moments when the run is repeated (input.h). Output is written again, unless the caller
 * mutes it with machine_mute_console.
 *
 * Not part of a snapshot: probes and listeners, which belong to their owners; caches; a request to
 * stop.
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

/* State outside of the machine that belongs to the run, such as the records of ftrace. */
struct state_part {
    void *ctx;
    void (*state_io)(void *ctx, struct state_io *io);
};

/* Adds a part, before the first snapshot. It must stay valid as long as snapshots are used. */
void machine_join_snapshots(struct machine *m, struct state_part part);

struct snapshot *machine_snapshot(struct machine *m);

/*
 * Restores any snapshot of this machine, in any order, any number of times; the others remain
 * valid. False: the file of a disk could not be read or written (a message was given); the machine
 * must not be run any more.
 */
MUST_USE bool machine_restore(struct machine *m, const struct snapshot *s);

/* Frees a snapshot, before the machine is freed; freeing the machine frees all its snapshots. */
void snapshot_free(struct machine *m, struct snapshot *s);

/* Host memory that the snapshot takes at present, in bytes: grows as the run changes pages. */
size_t snapshot_bytes(const struct machine *m, const struct snapshot *s);

/* The same for all snapshots together, each copy of a page once. */
size_t machine_snapshots_bytes(const struct machine *m);

/* A hash of the present state, without memory and disks. Equal states have equal hashes. */
uint64_t machine_state_hash(struct machine *m);

/* The number of bytes that the guest has written to its console; a restore restores it. */
uint64_t machine_console_count(const struct machine *m);

/* The number of bytes of input that the machine has taken; a restore restores it. */
uint64_t machine_input_count(const struct machine *m);

/*
 * Suppresses console output while machine_console_count is below `count`. For a repeated run: with
 * the largest count so far, only new output is written.
 */
void machine_mute_console(struct machine *m, uint64_t count);

/*
 * For a run that is repeated after a restore: up to these totals the machine has run before, so
 * that the console is not asked there for other input than that of the earlier run, and is not
 * asked to wait. 0, 0: all input is new.
 */
void machine_repeat_input(struct machine *m, uint64_t insns, uint64_t cycles);

#endif
