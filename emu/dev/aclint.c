/*
 * aclint.c - see aclint.h. Registers of harts that do not exist read as zero
 * and ignore writes, as the specification says.
 */
#include "dev/aclint.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

enum {
    ACLINT_SIZE = 0x10000,
    MTIMECMP = 0x4000, /* below it: msip, four bytes a hart */
    MTIME = 0xbff8,
    MTIME_END = 0xc000,
    HARTS_MAX = 4095,
};

struct aclint_hart {
    uint64_t mtimecmp;
    bool msip, mtip;
};

struct aclint {
    struct aclint_hart *harts;
    uint64_t offset; /* mtime minus the clock */
    struct aclint_config config;
};

uint64_t aclint_mtime_at(const struct aclint *a, uint64_t ticks)
{
    return ticks + a->offset;
}

uint64_t aclint_mtime(const struct aclint *a)
{
    return aclint_mtime_at(a, clock_ticks(&a->config.clock));
}

static void set_line(const struct irq_line *line, unsigned hart, bool level)
{
    struct irq_line one = *line;

    one.number = hart;
    irq_line_set(&one, level);
}

void aclint_update(struct aclint *a)
{
    uint64_t now = aclint_mtime(a);

    for (unsigned i = 0; i < a->config.hart_count; i++) {
        bool level = now >= a->harts[i].mtimecmp;

        if (level == a->harts[i].mtip)
            continue;
        a->harts[i].mtip = level;
        set_line(&a->config.mtip, i, level);
    }
}

uint64_t aclint_deadline(const struct aclint *a, uint64_t mtime)
{
    uint64_t clock = clock_ticks(&a->config.clock), now = aclint_mtime_at(a, clock);
    uint64_t left = mtime > now ? mtime - now : 0;

    return mtime == UINT64_MAX || left > UINT64_MAX - clock ? UINT64_MAX : clock + left;
}

uint64_t aclint_next_deadline(const struct aclint *a)
{
    uint64_t now = aclint_mtime(a), nearest = UINT64_MAX;

    for (unsigned i = 0; i < a->config.hart_count; i++)
        if (a->harts[i].mtimecmp > now && a->harts[i].mtimecmp < nearest)
            nearest = a->harts[i].mtimecmp;
    return aclint_deadline(a, nearest);
}

static void deadlines_moved(struct aclint *a)
{
    aclint_update(a);
    if (a->config.deadline_moved)
        a->config.deadline_moved(a->config.deadline_ctx);
}

uint64_t aclint_mtimecmp(const struct aclint *a, unsigned hart)
{
    assert(hart < a->config.hart_count);
    return a->harts[hart].mtimecmp;
}

void aclint_set_mtimecmp(struct aclint *a, unsigned hart, uint64_t mtime)
{
    assert(hart < a->config.hart_count);
    a->harts[hart].mtimecmp = mtime;
    deadlines_moved(a);
}

void aclint_set_msip(struct aclint *a, unsigned hart, bool level)
{
    assert(hart < a->config.hart_count);
    if (a->harts[hart].msip == level)
        return;
    a->harts[hart].msip = level;
    set_line(&a->config.msip, hart, level);
}

/* The bytes of a 64-bit register that a read of 4 or 8 bytes at `offset` returns. */
static uint64_t part_of(uint64_t whole, uint64_t offset, unsigned size)
{
    return size == 8 ? whole : bits(whole, offset & 4 ? 63 : 31, offset & 4 ? 32 : 0);
}

static uint64_t with_part(uint64_t whole, uint64_t offset, unsigned size, uint64_t value)
{
    if (size == 8)
        return value;
    return set_field(whole, UINT64_C(0xffffffff) << (offset & 4 ? 32 : 0), (uint32_t)value);
}

static enum fault aclint_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    const struct aclint *a = ctx;
    uint64_t hart = offset < MTIMECMP ? offset / 4 : (offset - MTIMECMP) / 8;

    *value = 0;
    if (offset >= MTIME)
        *value = offset < MTIME_END ? part_of(aclint_mtime(a), offset, size) : 0;
    else if (offset < MTIMECMP && size != 4)
        return FAULT_ACCESS;
    else if (hart >= a->config.hart_count)
        return FAULT_NONE;
    else if (offset < MTIMECMP)
        *value = a->harts[hart].msip;
    else
        *value = part_of(a->harts[hart].mtimecmp, offset, size);
    return FAULT_NONE;
}

static void write_mtime(struct aclint *a, uint64_t offset, unsigned size, uint64_t value)
{
    uint64_t now = aclint_mtime(a);

    a->offset += with_part(now, offset, size, value) - now;
    if (a->config.time_set)
        a->config.time_set(a->config.deadline_ctx);
    deadlines_moved(a);
}

static enum fault aclint_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    struct aclint *a = ctx;
    unsigned hart = (unsigned)(offset < MTIMECMP ? offset / 4 : (offset - MTIMECMP) / 8);

    if (offset >= MTIME_END)
        return FAULT_NONE;
    if (offset >= MTIME)
        write_mtime(a, offset, size, value);
    else if (offset < MTIMECMP && size != 4)
        return FAULT_ACCESS;
    else if (hart >= a->config.hart_count)
        return FAULT_NONE;
    else if (offset < MTIMECMP)
        aclint_set_msip(a, hart, value & 1);
    else
        aclint_set_mtimecmp(a, hart, with_part(a->harts[hart].mtimecmp, offset, size, value));
    return FAULT_NONE;
}

static void aclint_state_io(void *ctx, struct state_io *io)
{
    struct aclint *a = ctx;

    state_io_section(io, "aclint", 1);
    STATE_IO(io, a->offset);
    for (unsigned i = 0; i < a->config.hart_count; i++) {
        STATE_IO(io, a->harts[i].mtimecmp);
        STATE_IO(io, a->harts[i].msip);
        STATE_IO(io, a->harts[i].mtip);
    }
}

static void free_ctx(void *ctx)
{
    aclint_free(ctx);
}

struct aclint *aclint_new(const struct aclint_config *config)
{
    struct aclint *a = xcalloc(1, sizeof *a);

    assert(config->hart_count >= 1 && config->hart_count <= HARTS_MAX);
    a->config = *config;
    a->harts = xcalloc(config->hart_count, sizeof *a->harts);
    for (unsigned i = 0; i < config->hart_count; i++)
        a->harts[i].mtimecmp = UINT64_MAX;
    return a;
}

void aclint_free(struct aclint *a)
{
    if (!a)
        return;
    free(a->harts);
    free(a);
}

struct device aclint_device(struct aclint *a)
{
    return (struct device){
        .name = "aclint",
        .base = a->config.base,
        .size = ACLINT_SIZE,
        .sizes = 4 | 8,
        .ctx = a,
        .read = aclint_read,
        .write = aclint_write,
        .free = free_ctx,
        .state_io = aclint_state_io,
    };
}
