/*
 * finisher.c - see finisher.h. Any other value is ignored, as QEMU does.
 */
#include "dev/finisher.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"

enum { FINISHER_SIZE = 0x1000, CODE_PASS = 0x5555, CODE_FAIL = 0x3333, CODE_RESET = 0x7777 };

struct finisher {
    struct finisher_config config;
};

static enum fault finisher_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    (void)ctx;
    (void)offset;
    (void)size;
    *value = 0;
    return FAULT_NONE;
}

static void finish(const struct finisher *f, enum finisher_request request, unsigned code)
{
    f->config.finish(f->config.ctx, request, code);
}

static enum fault finisher_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    const struct finisher *f = ctx;
    unsigned code = size == 2 ? 0 : (unsigned)bits(value, 31, 16);

    if (offset)
        return FAULT_NONE;
    switch (bits(value, 15, 0)) {
    case CODE_PASS: finish(f, FINISHER_PASS, code); break;
    case CODE_FAIL: finish(f, FINISHER_FAIL, code); break;
    case CODE_RESET: finish(f, FINISHER_RESET, code); break;
    default: break;
    }
    return FAULT_NONE;
}

static void free_ctx(void *ctx)
{
    finisher_free(ctx);
}

struct finisher *finisher_new(const struct finisher_config *config)
{
    struct finisher *f = xcalloc(1, sizeof *f);

    f->config = *config;
    return f;
}

void finisher_free(struct finisher *f)
{
    free(f);
}

struct device finisher_device(struct finisher *f)
{
    return (struct device){
        .name = "finisher",
        .base = f->config.base,
        .size = FINISHER_SIZE,
        .sizes = 2 | 4,
        .ctx = f,
        .read = finisher_read,
        .write = finisher_write,
        .free = free_ctx,
    };
}
