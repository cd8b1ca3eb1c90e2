/*
 * log_values.c - see log_values.h.
 */
#include "log/log_values.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { SLOTS = 1 << 12 };

struct log_last_values {
    struct {
        uint32_t key; /* 0: empty */
        uint64_t at[LOG_VALUES_MAX];
    } slot[SLOTS];
};

struct log_last_values *log_last_values_new(void)
{
    return xcalloc(1, sizeof(struct log_last_values));
}

void log_last_values_free(struct log_last_values *l)
{
    free(l);
}

void log_last_values_clear(struct log_last_values *l)
{
    for (unsigned i = 0; i < SLOTS; i++)
        l->slot[i].key = 0;
}

/* The last values of this function, or its last results. */
static uint64_t *last_of(struct log_last_values *l, uint32_t site, bool result)
{
    uint32_t key = (site + 1) << 1 | result, i = key % SLOTS;

    if (l->slot[i].key != key) {
        memset(l->slot[i].at, 0, sizeof l->slot[i].at);
        l->slot[i].key = key;
    }
    return l->slot[i].at;
}

/* A length has six bits. */
enum { TEXT_KNOWN = 1 << 6, TEXT_CUT = 1 << 7, TEXT_LEN = TEXT_KNOWN - 1 };

static void text_io(struct log_io *io, struct log_text *t)
{
    uint8_t head = (uint8_t)(t->len | (t->known ? TEXT_KNOWN : 0) | (t->cut ? TEXT_CUT : 0));

    LOG_IO(io, head);
    t->len = head & TEXT_LEN;
    t->known = head & TEXT_KNOWN;
    t->cut = head & TEXT_CUT;
    if (t->len > LOG_TEXT_BYTES) {
        io->in->bad = true;
        t->len = 0;
    }
    log_io_bytes(io, t->bytes, t->len);
}

void log_values_io(struct log_io *io, struct log_last_values *last, uint32_t site, bool result,
                   struct log_values *v)
{
    uint64_t *before;
    unsigned texts = 0;

    LOG_IO(io, v->count);
    if (v->count > LOG_VALUES_MAX) {
        io->in->bad = true;
        v->count = 0;
    }
    if (!v->count)
        return;
    before = last_of(last, site, result);
    for (unsigned i = 0; i < v->count; i++) {
        log_io_near(io, &v->at[i], before[i]);
        before[i] = v->at[i];
    }
    if (result)
        return;
    LOG_IO(io, v->texts);
    for (unsigned i = 0; i < LOG_VALUES_MAX; i++)
        if (v->texts >> i & 1)
            text_io(io, &v->text[texts++]);
}

static void parameter_io(struct log_io *io, struct log_parameter *p)
{
    LOG_IO_ID(io, p->name);
    LOG_IO(io, p->type.kind);
    LOG_IO(io, p->type.size);
    LOG_IO_ID(io, p->type.enumeration);
    LOG_IO(io, p->values);
    if (io->in && (p->type.kind >= LOG_VALUE_KINDS || p->values > 2)) {
        io->in->bad = true;
        *p = (struct log_parameter){.name = LOG_NONE, .type.enumeration = LOG_NONE};
    }
}

void log_prototype_io(struct log_io *io, struct log_prototype *p)
{
    parameter_io(io, &p->result);
    LOG_IO(io, p->variadic);
    LOG_IO(io, p->count);
    if (p->count > LOG_PARAMETERS_MAX) {
        io->in->bad = true;
        p->count = 0;
    }
    for (unsigned i = 0; i < p->count; i++)
        parameter_io(io, &p->parameters[i]);
}
