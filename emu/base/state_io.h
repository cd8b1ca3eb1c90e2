/*
 * state_io.h - saves and restores the state of a part of the machine.
 *
 * Each part has one function that serves both directions, so that what is saved
 * and what is restored cannot differ:
 *
 *     void timer_state_io(struct state_io *io, struct timer *t)
 *     {
 *         state_io_section(io, "timer", 1);
 *         STATE_IO(io, t->deadline);
 *         STATE_IO(io, t->armed);
 *     }
 *
 * Rules for such a function:
 * - It saves state, not caches and not configuration. A restore goes to a machine that was
 *   built from the same configuration.
 * - It never saves a pointer. An index or a number stands for what is pointed to.
 * - It has no effect outside of the part. The interrupt line that a device drives, for
 *   example, is saved by the part at the other end.
 * - The same state gives the same bytes: no padding, no order of a hash table.
 * - A change of what is saved increases the section's version.
 *
 * While restoring, the first error in the data (it ends too early, another section or version,
 * a value out of range) sets io->error. Everything after that is left unchanged. The machine is
 * then a mixture of two states, and must be restored from other data or freed.
 *
 * Numbers are little-endian, as all hosts are that the emulator supports.
 */
#ifndef BASE_STATE_IO_H
#define BASE_STATE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"

enum state_error {
    STATE_OK,
    STATE_TRUNCATED,     /* the data end within a section */
    STATE_WRONG_SECTION, /* it is not the section that comes next in this machine */
    STATE_WRONG_VERSION, /* it was saved by a version that keeps other things in it */
    STATE_OUT_OF_RANGE,  /* a number that this machine cannot have */
    STATE_TOO_LONG,      /* something is left after the last section */
};

struct state_io {
    bool loading;
    bool in_file; /* set by the owner, after state_io_save or state_io_load: it is for another
                     process, and what belongs to this one is left out */
    enum state_error error;
    const char *section; /* the last one begun: a static string */
    VEC_OF(uint8_t) saved;
    const uint8_t *data; /* loading: not owned */
    size_t size, at;
};

/* Begins with nothing saved; memory for `expected` bytes is reserved. */
void state_io_save(struct state_io *io, size_t expected);
/* Begins at the first of the bytes, which must stay until the end. */
void state_io_load(struct state_io *io, const void *data, size_t size);
/* After the last section: what was wrong, or STATE_OK. While saving, always STATE_OK. */
enum state_error state_io_end(struct state_io *io);
void state_io_free(struct state_io *io);

const char *state_error_text(enum state_error error); /* for a message: "ends too early", ... */

/* A name of at most 255 characters, and the version of what follows. */
void state_io_section(struct state_io *io, const char *name, unsigned version);

/* Sets io->error while loading, unless it is set already. For additional checks by a part. */
void state_io_fail(struct state_io *io, enum state_error error);

void state_io_bytes(struct state_io *io, void *bytes, size_t len);

/* An integer of `size` bytes (1, 2, 4, 8). Returns what it is after the call. */
uint64_t state_io_number_apart(struct state_io *io, uint64_t value, size_t size);

/* The same. A restore is thousands of them, most of a search's time, and `size` is a constant. */
static inline uint64_t state_io_number(struct state_io *io, uint64_t value, size_t size)
{
    if (!io->loading || io->error || size > io->size - io->at)
        return state_io_number_apart(io, value, size);
    value = 0;
    memcpy(&value, io->data + io->at, size);
    io->at += size;
    return value;
}

/* Any integer, bool or enumeration: a variable or a member of a structure, not a bit field. */
#define STATE_IO(io, v) ((v) = (__typeof__(v))state_io_number((io), (uint64_t)(v), sizeof(v)))

/* The same for an index or an enumeration, which must be less than `limit`. */
uint64_t state_io_number_below(struct state_io *io, uint64_t value, size_t size, uint64_t limit);
#define STATE_IO_BELOW(io, v, limit) \
    ((v) = (__typeof__(v))state_io_number_below((io), (uint64_t)(v), sizeof(v), (limit)))

/* A number of the configuration: while loading, another value is an error. */
void state_io_same(struct state_io *io, uint64_t value);
#define STATE_IO_SAME(io, v) state_io_same((io), (uint64_t)(v))

/*
 * The length of an array that follows. While loading, more items than there are bytes left, or
 * than `max`, is an error, and 0 is returned.
 */
size_t state_io_count(struct state_io *io, size_t count, size_t max);

/*
 * A growable array (base/vec.h) of at most `max` items; `item_io(io, &item)` is called for each.
 * While loading, the items are zeroes before that.
 */
#define STATE_IO_VEC(io, v, max, item_io)                            \
    do {                                                             \
        size_t state_count_ = state_io_count((io), (v)->len, (max)); \
                                                                     \
        if ((io)->loading) {                                         \
            (v)->len = 0;                                            \
            VEC_RESERVE((v), state_count_);                          \
            (v)->len = state_count_;                                 \
            if (state_count_)                                        \
                memset((v)->at, 0, state_count_ * sizeof *(v)->at);  \
        }                                                            \
        for (size_t state_i_ = 0; state_i_ < (v)->len; state_i_++)   \
            item_io((io), &(v)->at[state_i_]);                       \
    } while (0)

/* The same for plain data: items without pointers and without padding, saved as they are. */
#define STATE_IO_PLAIN_VEC(io, v, max)                                                \
    do {                                                                              \
        size_t state_count_ = state_io_plain((io), (v)->len, (max), sizeof *(v)->at); \
                                                                                      \
        if ((io)->loading) {                                                          \
            (v)->len = 0;                                                             \
            VEC_RESERVE((v), state_count_);                                           \
            alloc_is_large((v)->at, state_count_ * sizeof *(v)->at);                  \
            (v)->len = state_count_;                                                  \
        }                                                                             \
        state_io_bytes((io), (v)->at, state_count_ * sizeof *(v)->at);                \
    } while (0)

/*
 * A name or another text. While saving, NULL is the empty one; a restored one is of the heap, and
 * what *text was before is not freed.
 */
void state_io_text(struct state_io *io, char **text);

/* state_io_count for items of `item_bytes` bytes. */
size_t state_io_plain(struct state_io *io, size_t count, size_t max, size_t item_bytes);

/* A map of numbers, in order of the keys. Loading replaces its contents. */
void state_io_map(struct state_io *io, struct map *m);

#endif
