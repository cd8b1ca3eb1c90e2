/*
 * plic.c - see plic.h.
 *
 * A gateway forwards one request and then waits for its completion. If the level is
 * still high then, it forwards another one; a level that falls before the claim does
 * not take the request back (specification, chapter 1.4, "Interrupt Gateways").
 */
#include "dev/plic.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

enum {
    PLIC_SIZE = 0x600000,
    PENDING = 0x1000, /* below it: priorities, four bytes a source */
    ENABLE = 0x2000,  /* 0x80 bytes a context */
    ENABLE_STRIDE = 0x80,
    CONTEXT = 0x200000, /* threshold and claim, 0x1000 bytes a context */
    CONTEXT_STRIDE = 0x1000,
    THRESHOLD = 0,
    CLAIM = 4,
    PRIORITY_MASK = 7,
    SOURCES_MAX = 1023,
    CONTEXTS_MAX = 1024,
    WORDS = (SOURCES_MAX + 1) / 32,
};

/* The input of a gateway that is still to be forwarded. */
enum input {
    INPUT_LOW,
    INPUT_HIGH, /* forwarded after each completion, until the device lowers it */
    INPUT_ONCE, /* forwarded once, which makes it low (irq_line_request) */
};

struct source {
    uint8_t priority;
    enum input input;
    bool in_service; /* claimed and not completed */
};

struct context {
    uint32_t enabled[WORDS];
    uint8_t threshold;
    bool output;
};

struct plic {
    struct source sources[SOURCES_MAX + 1]; /* 0 is "no interrupt" */
    uint32_t pending[WORDS];
    struct context *contexts;
    struct plic_config config;
};

static bool is_enabled(const struct context *c, unsigned source)
{
    return bit(c->enabled[source / 32], source % 32);
}

static void set_pending(struct plic *p, unsigned source, bool on)
{
    uint32_t mask = UINT32_C(1) << source % 32;

    if (on)
        p->pending[source / 32] |= mask;
    else
        p->pending[source / 32] &= ~mask;
}

/* The enabled pending source of highest priority, of these the lowest number; 0: none. */
static unsigned best_source(const struct plic *p, const struct context *c)
{
    unsigned best = 0;

    for (unsigned w = 0; w <= p->config.source_count / 32; w++)
        for (uint32_t left = p->pending[w] & c->enabled[w]; left; left &= left - 1) {
            unsigned source = w * 32 + (unsigned)__builtin_ctz(left);

            if (p->sources[source].priority > p->sources[best].priority)
                best = source;
        }
    return best;
}

static void update_context(struct plic *p, unsigned number)
{
    struct context *c = &p->contexts[number];
    struct irq_line line = p->config.output;
    bool output = p->sources[best_source(p, c)].priority > c->threshold;

    if (output == c->output)
        return;
    c->output = output;
    line.number = number;
    irq_line_set(&line, output);
}

static void update_all(struct plic *p)
{
    for (unsigned i = 0; i < p->config.context_count; i++)
        update_context(p, i);
}

/* The gateway: forwards a request if the source has one and is not in service. */
static void forward(struct plic *p, unsigned number)
{
    struct source *s = &p->sources[number];

    if (s->input == INPUT_LOW || s->in_service)
        return;
    set_pending(p, number, true);
    if (s->input == INPUT_ONCE)
        s->input = INPUT_LOW;
}

static void set_input(struct plic *p, unsigned number, enum input input)
{
    p->sources[number].input = input;
    forward(p, number);
    update_all(p);
}

static void set_source(void *plic, unsigned number, bool level)
{
    set_input(plic, number, level ? INPUT_HIGH : INPUT_LOW);
}

static void request_source(void *plic, unsigned number)
{
    set_input(plic, number, INPUT_ONCE);
}

/* Specification, chapter 9: a claim is not affected by the threshold. */
static unsigned claim(struct plic *p, const struct context *c)
{
    unsigned source = best_source(p, c);

    if (source) {
        set_pending(p, source, false);
        p->sources[source].in_service = true;
        update_all(p);
    }
    return source;
}

/* Specification, chapter 10: silently ignored unless the source is enabled for the context. */
static void complete(struct plic *p, const struct context *c, uint64_t source)
{
    if (!source || source > p->config.source_count || !is_enabled(c, (unsigned)source))
        return;
    p->sources[source].in_service = false;
    forward(p, (unsigned)source);
    update_all(p);
}

static uint32_t read_source_registers(const struct plic *p, uint64_t offset)
{
    uint64_t index = (offset % PENDING) / 4;

    if (offset < PENDING)
        return p->sources[index].priority;
    return index < WORDS ? p->pending[index] : 0;
}

static uint64_t read_context_register(struct plic *p, uint64_t offset)
{
    uint64_t number = (offset - CONTEXT) / CONTEXT_STRIDE;

    if (number >= p->config.context_count)
        return 0;
    switch (offset % CONTEXT_STRIDE) {
    case THRESHOLD: return p->contexts[number].threshold;
    case CLAIM: return claim(p, &p->contexts[number]);
    default: return 0;
    }
}

/* The word of enable bits at `offset`, or NULL where there is none. */
static uint32_t *enable_word(struct plic *p, uint64_t offset, uint64_t *context, uint64_t *word)
{
    *context = (offset - ENABLE) / ENABLE_STRIDE;
    *word = offset % ENABLE_STRIDE / 4;
    if (*context >= p->config.context_count)
        return NULL;
    return &p->contexts[*context].enabled[*word];
}

static enum fault plic_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    struct plic *p = ctx;

    (void)size;
    if (offset < ENABLE) {
        *value = read_source_registers(p, offset);
    } else if (offset >= CONTEXT) {
        *value = read_context_register(p, offset);
    } else {
        uint64_t context, word;
        const uint32_t *enabled = enable_word(p, offset, &context, &word);

        *value = enabled ? *enabled : 0;
    }
    return FAULT_NONE;
}

static void write_priority(struct plic *p, uint64_t offset, uint64_t value)
{
    uint64_t source = offset / 4;

    if (!source || source > p->config.source_count)
        return;
    p->sources[source].priority = value & PRIORITY_MASK;
    update_all(p);
}

/* The bits of a word of enable or pending bits that belong to existing sources. */
static uint32_t real_sources(const struct plic *p, uint64_t word)
{
    uint64_t first = word * 32, end = (uint64_t)p->config.source_count + 1;
    uint32_t mask = first ? UINT32_MAX : ~UINT32_C(1);

    if (first >= end)
        return 0;
    return end - first >= 32 ? mask : mask & ((UINT32_C(1) << (end - first)) - 1);
}

static void write_enable(struct plic *p, uint64_t offset, uint64_t value)
{
    uint64_t context, word;
    uint32_t *enabled = enable_word(p, offset, &context, &word);

    if (!enabled)
        return;
    *enabled = (uint32_t)value & real_sources(p, word);
    update_context(p, (unsigned)context);
}

static void write_context_register(struct plic *p, uint64_t offset, uint64_t value)
{
    uint64_t number = (offset - CONTEXT) / CONTEXT_STRIDE;

    if (number >= p->config.context_count)
        return;
    if (offset % CONTEXT_STRIDE == THRESHOLD) {
        p->contexts[number].threshold = value & PRIORITY_MASK;
        update_context(p, (unsigned)number);
    } else if (offset % CONTEXT_STRIDE == CLAIM) {
        complete(p, &p->contexts[number], value);
    }
}

static enum fault plic_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    struct plic *p = ctx;

    (void)size;
    if (offset < PENDING)
        write_priority(p, offset, value);
    else if (offset >= CONTEXT)
        write_context_register(p, offset, value);
    else if (offset >= ENABLE)
        write_enable(p, offset, value);
    return FAULT_NONE; /* pending bits are read-only */
}

static void context_state_io(struct state_io *io, struct context *c)
{
    for (unsigned word = 0; word < WORDS; word++)
        STATE_IO(io, c->enabled[word]);
    STATE_IO_BELOW(io, c->threshold, PRIORITY_MASK + 1);
    STATE_IO(io, c->output);
}

static void plic_state_io(void *ctx, struct state_io *io)
{
    struct plic *p = ctx;

    state_io_section(io, "plic", 2);
    for (unsigned source = 1; source <= p->config.source_count; source++) {
        STATE_IO_BELOW(io, p->sources[source].priority, PRIORITY_MASK + 1);
        STATE_IO_BELOW(io, p->sources[source].input, INPUT_ONCE + 1);
        STATE_IO(io, p->sources[source].in_service);
    }
    for (unsigned word = 0; word < WORDS; word++)
        STATE_IO(io, p->pending[word]);
    for (unsigned i = 0; i < p->config.context_count; i++)
        context_state_io(io, &p->contexts[i]);
}

static void free_ctx(void *ctx)
{
    plic_free(ctx);
}

struct plic *plic_new(const struct plic_config *config)
{
    struct plic *p = xcalloc(1, sizeof *p);

    assert(config->source_count <= SOURCES_MAX && config->context_count <= CONTEXTS_MAX);
    p->config = *config;
    p->contexts = xcalloc(config->context_count, sizeof *p->contexts);
    return p;
}

void plic_free(struct plic *p)
{
    if (!p)
        return;
    free(p->contexts);
    free(p);
}

struct device plic_device(struct plic *p)
{
    return (struct device){
        .name = "plic",
        .base = p->config.base,
        .size = PLIC_SIZE,
        .sizes = 4,
        .ctx = p,
        .read = plic_read,
        .write = plic_write,
        .free = free_ctx,
        .state_io = plic_state_io,
    };
}

struct irq_line plic_source_line(struct plic *p, unsigned number)
{
    assert(number >= 1 && number <= p->config.source_count);
    return (struct irq_line){
        .set = set_source, .request = request_source, .ctx = p, .number = number};
}
