/*
 * log_record_values.c - records arguments and results of calls, and selects the tasks whose calls
 * are recorded. See log_record_priv.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/selection.h"
#include "cpu/isa/isa.h"
#include "ftrace/calls/call_values.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/prototypes.h"
#include "log/log_record.h"
#include "log/log_record_priv.h"

_Static_assert((int)LOG_VOID == (int)VALUE_VOID && (int)LOG_SIGNED == (int)VALUE_SIGNED &&
                   (int)LOG_UNSIGNED == (int)VALUE_UNSIGNED && (int)LOG_BOOL == (int)VALUE_BOOL &&
                   (int)LOG_POINTER == (int)VALUE_POINTER && (int)LOG_TEXT == (int)VALUE_TEXT &&
                   (int)LOG_FLOAT == (int)VALUE_FLOAT && (int)LOG_AGGREGATE == (int)VALUE_AGGREGATE,
               "the log has the numbers of enum value_kind");
_Static_assert((int)LOG_VALUES_MAX == (int)CALL_VALUES_MAX &&
                   (int)LOG_TEXT_BYTES == (int)CALL_TEXT_BYTES &&
                   (int)LOG_PARAMETERS_MAX == (int)PARAMETERS_MAX,
               "the log has room for all of them");

/* ---- prototypes ---- */

/* The numbers of enumerations in the log, by those in the prototypes. */
struct enumerations {
    VEC_OF(uint32_t) of;
};

static uint32_t define_enumeration(const struct log_record *r, const struct prototypes *p,
                                   uint32_t number)
{
    size_t count;
    const struct enumerator *from = prototypes_enumeration(p, number, &count);
    struct log_enumerator *to = xcalloc(count + 1, sizeof *to);
    uint32_t defined;

    for (size_t i = 0; i < count; i++)
        to[i] = (struct log_enumerator){log_write_string(r->writer, from[i].name),
                                        (uint64_t)from[i].value};
    defined = log_write_enumeration(r->writer, to, count);
    free(to);
    return defined;
}

static struct log_parameter parameter_of(const struct log_record *r, const struct parameter *p,
                                         const struct enumerations *e)
{
    return (struct log_parameter){.name = log_write_string(r->writer, p->name),
                                  .type = {.kind = (uint8_t)p->type.kind,
                                           .size = p->type.size,
                                           .enumeration = p->type.enumeration == NO_ENUMERATION
                                                              ? LOG_NONE
                                                              : e->of.at[p->type.enumeration]},
                                  .values = p->count};
}

/* Adds the parameter's registers to those that are read. False: there are too many already. */
static bool add_registers(struct call_registers *to, const struct parameter *p)
{
    if (to->count + p->count > CALL_VALUES_MAX)
        return false;
    if (p->type.kind == VALUE_TEXT && p->count)
        to->texts = (uint8_t)(to->texts | 1U << to->count);
    for (unsigned i = 0; i < p->count; i++)
        to->numbers[to->count++] = p->registers[i];
    return true;
}

static void set_results(struct call_shape *shape, const struct parameter *result)
{
    for (unsigned i = 0; i < result->count; i++)
        shape->results[shape->result_count++] =
            (uint8_t)(result->registers[i] >= REGISTER_F0 ? CALL_RESULT_FA0
                                                          : result->registers[i] - REG_A0);
}

static void define_prototype(const struct log_record *r, struct prototypes *p, uint32_t site,
                             struct enumerations *e)
{
    const struct site *s = site_get(watch_sites(r->watch), site);
    bool at_entry = site_traits(watch_sites(r->watch))->place == SITE_AT_ENTRY;
    struct call_shape *shape = &r->shapes[site];
    struct log_prototype defined = {0};
    struct prototype found;

    if (s->kind != SITE_FUNCTION || s->gone || s->module ||
        !prototypes_find(p, s->va, at_entry, &found))
        return;
    while (e->of.len < prototypes_enumerations(p)) {
        uint32_t number = define_enumeration(r, p, (uint32_t)e->of.len);

        VEC_PUSH(&e->of, number);
    }
    defined.result = parameter_of(r, &found.result, e);
    defined.variadic = found.variadic;
    defined.count = found.count;
    for (unsigned i = 0; i < found.count; i++) {
        defined.parameters[i] = parameter_of(r, &found.parameters[i], e);
        if (!add_registers(&shape->registers, &found.parameters[i]))
            defined.parameters[i].values = 0;
    }
    set_results(shape, &found.result);
    log_write_prototype(r->writer, site, &defined);
}

void log_record_define_prototypes(struct log_record *r)
{
    struct prototypes *p = prototypes_new(r->config.lines, r->config.image, r->config.symbols);
    struct enumerations e = {0};

    feed_settle(r->feed); /* the writer is the reader's */
    r->shape_count = (uint32_t)site_count(watch_sites(r->watch));
    r->shapes = xcalloc((size_t)r->shape_count + 1, sizeof *r->shapes);
    for (uint32_t i = 0; i < r->shape_count; i++)
        define_prototype(r, p, i, &e);
    VEC_FREE(&e.of);
    prototypes_free(p);
}

const struct call_registers *log_record_registers(void *log_record, uint32_t site)
{
    const struct log_record *r = log_record;

    return site < r->shape_count ? &r->shapes[site].registers : NULL;
}

/* ---- values ---- */

void log_record_arguments(struct log_record *r, const struct call_values *v)
{
    struct log_values *to = &r->values;

    if (!v)
        return;
    to->count = v->count;
    to->texts = v->texts;
    memcpy(to->at, v->at, v->count * sizeof *v->at);
    for (int i = 0; i < __builtin_popcount(v->texts); i++) {
        to->text[i].len = v->text[i].len;
        to->text[i].known = v->text[i].known;
        to->text[i].cut = v->text[i].cut;
        memcpy(to->text[i].bytes, v->text[i].bytes, v->text[i].len);
    }
    log_write_values(r->writer, to);
}

void log_record_results(struct log_record *r, uint32_t site, const struct call_values *v)
{
    const struct call_shape *shape = site < r->shape_count ? &r->shapes[site] : NULL;

    if (!v || v->count != CALL_RESULTS || !shape || !shape->result_count)
        return;
    r->values.count = shape->result_count;
    r->values.texts = 0;
    for (unsigned i = 0; i < shape->result_count; i++)
        r->values.at[i] = v->at[shape->results[i]];
    log_write_values(r->writer, &r->values);
}

/* ---- tasks ---- */

enum { NOT_ASKED, WANTED, NOT_WANTED };

bool log_record_wants_task(struct log_record *r, uint32_t task)
{
    const char *name;
    int32_t pid;

    if (task == LOG_NONE)
        return false;
    while (r->wanted.len <= task)
        VEC_PUSH(&r->wanted, NOT_ASKED);
    if (r->wanted.at[task] == NOT_ASKED) {
        log_written_task(r->writer, task, &name, &pid);
        r->wanted.at[task] =
            selection_has_task(r->config.selected, name ? name : "", pid) ? WANTED : NOT_WANTED;
    }
    return r->wanted.at[task] == WANTED;
}
