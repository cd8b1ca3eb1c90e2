/*
 * sswi.c - see sswi.h. There is no state: a register reads as zero.
 */
#include "dev/sswi.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { SSWI_BYTES = 0x4000 };

struct sswi {
    struct sswi_config config;
};

static enum fault sswi_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    (void)ctx;
    (void)offset;
    (void)size;
    *value = 0;
    return FAULT_NONE;
}

static enum fault sswi_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    const struct sswi *s = ctx;
    uint64_t hart = offset / 4;

    (void)size;
    if (hart < s->config.hart_count && (value & 1) && s->config.ssip.set)
        s->config.ssip.set(s->config.ssip.ctx, (unsigned)hart, true);
    return FAULT_NONE;
}

struct sswi *sswi_new(const struct sswi_config *config)
{
    struct sswi *s = xcalloc(1, sizeof *s);

    s->config = *config;
    return s;
}

struct device sswi_device(struct sswi *s)
{
    return (struct device){.name = "sswi",
                           .base = s->config.base,
                           .size = SSWI_BYTES,
                           .sizes = 4,
                           .ctx = s,
                           .read = sswi_read,
                           .write = sswi_write,
                           .free = free};
}
