/*
 * state_io.c - see state_io.h.
 */
#include "base/state_io.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

void state_io_save(struct state_io *io, size_t expected)
{
    *io = (struct state_io){0};
    VEC_RESERVE(&io->saved, expected);
}

void state_io_load(struct state_io *io, const void *data, size_t size)
{
    *io = (struct state_io){.loading = true, .data = data, .size = size};
}

enum state_error state_io_end(struct state_io *io)
{
    if (io->loading && io->at < io->size)
        state_io_fail(io, STATE_TOO_LONG);
    return io->error;
}

void state_io_free(struct state_io *io)
{
    VEC_FREE(&io->saved);
}

const char *state_error_text(enum state_error error)
{
    static const char *const texts[] = {
        [STATE_OK] = "is complete",
        [STATE_TRUNCATED] = "ends too early",
        [STATE_WRONG_SECTION] = "is of a machine with other parts",
        [STATE_WRONG_VERSION] = "is of another version",
        [STATE_OUT_OF_RANGE] = "has a number out of range",
        [STATE_TOO_LONG] = "has extra data at its end",
    };

    return texts[error];
}

void state_io_fail(struct state_io *io, enum state_error error)
{
    if (io->loading && !io->error)
        io->error = error;
}

/* The next `len` bytes of the data, or NULL if there are fewer. */
static const uint8_t *take(struct state_io *io, size_t len)
{
    const uint8_t *bytes;

    if (io->error)
        return NULL;
    if (len > io->size - io->at) {
        state_io_fail(io, STATE_TRUNCATED);
        return NULL;
    }
    bytes = io->data + io->at;
    io->at += len;
    return bytes;
}

static void put(struct state_io *io, const void *bytes, size_t len)
{
    VEC_RESERVE(&io->saved, len);
    memcpy(io->saved.at + io->saved.len, bytes, len);
    io->saved.len += len;
}

void state_io_bytes(struct state_io *io, void *bytes, size_t len)
{
    const uint8_t *from;

    if (!len)
        return;
    if (!io->loading) {
        put(io, bytes, len);
        return;
    }
    from = take(io, len);
    if (from)
        memcpy(bytes, from, len);
}

uint64_t state_io_number_apart(struct state_io *io, uint64_t value, size_t size)
{
    const uint8_t *from;

    assert(size && size <= sizeof value);
    if (!io->loading) {
        put(io, &value, size);
        return value;
    }
    from = take(io, size);
    if (!from)
        return value;
    value = 0;
    memcpy(&value, from, size);
    return value;
}

uint64_t state_io_number_below(struct state_io *io, uint64_t value, size_t size, uint64_t limit)
{
    uint64_t loaded = state_io_number(io, value, size);

    if (loaded < limit)
        return loaded;
    state_io_fail(io, STATE_OUT_OF_RANGE);
    return value;
}

void state_io_same(struct state_io *io, uint64_t value)
{
    if (state_io_number(io, value, sizeof value) != value)
        state_io_fail(io, STATE_WRONG_SECTION);
}

void state_io_section(struct state_io *io, const char *name, unsigned version)
{
    size_t len = strlen(name);
    const uint8_t *there;

    assert(len <= UINT8_MAX);
    io->section = io->error ? io->section : name;
    if (!io->loading) {
        (void)state_io_number(io, len, 1);
        put(io, name, len);
        (void)state_io_number(io, version, 2);
        return;
    }
    if (state_io_number(io, len, 1) != len) {
        state_io_fail(io, STATE_WRONG_SECTION);
        return;
    }
    there = take(io, len);
    if (there && memcmp(there, name, len) != 0)
        state_io_fail(io, STATE_WRONG_SECTION);
    if (state_io_number(io, version, 2) != version)
        state_io_fail(io, STATE_WRONG_VERSION);
}

size_t state_io_count(struct state_io *io, size_t count, size_t max)
{
    size_t there = state_io_number(io, count, sizeof(uint64_t));

    if (!io->loading)
        return there;
    if (there > max)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    else if (there > io->size - io->at)
        state_io_fail(io, STATE_TRUNCATED);
    return io->error ? 0 : there;
}

size_t state_io_plain(struct state_io *io, size_t count, size_t max, size_t item_bytes)
{
    size_t there = state_io_count(io, count, max);

    if (io->loading && there > (io->size - io->at) / item_bytes) {
        state_io_fail(io, STATE_TRUNCATED);
        return 0;
    }
    return there;
}

void state_io_text(struct state_io *io, char **text)
{
    size_t len = state_io_count(io, !io->loading && *text ? strlen(*text) : 0, SIZE_MAX);

    if (io->loading)
        *text = xcalloc(1, len + 1);
    state_io_bytes(io, *text, len);
}

/* ---- maps ---- */

static void save_map(struct state_io *io, const struct map *m)
{
    size_t count;
    uint64_t *keys = map_keys(m, &count), value = 0;

    (void)state_io_count(io, count, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        (void)map_get(m, keys[i], &value);
        STATE_IO(io, keys[i]);
        STATE_IO(io, value);
    }
    free(keys);
}

void state_io_map(struct state_io *io, struct map *m)
{
    if (!io->loading) {
        save_map(io, m);
        return;
    }
    if (io->error)
        return;
    map_clear(m);
    for (size_t left = state_io_count(io, 0, SIZE_MAX); left && !io->error; left--) {
        uint64_t key = state_io_number_below(io, 0, sizeof key, UINT64_MAX);
        uint64_t value = state_io_number(io, 0, sizeof value);

        if (!io->error)
            map_put(m, key, value);
    }
}
