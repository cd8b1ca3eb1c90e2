/*
 * alarms.c - see alarms.h. The functions and messages are in alarms.def.
 */
#include "ftrace/kernel/alarms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/guest_text.h"
#include "ftrace/kernel/kernel_probes.h"
#include "load/symbols.h"

enum place { PLACE_CALLER, PLACE_ARGUMENT2, PLACE_EXCEPTION };
enum text { TEXT_NONE, TEXT_FORMAT0, TEXT_FORMAT3, TEXT_FILE_LINE, TEXT_RECORD, TEXT_PRINTED };

static const struct alarm_row {
    enum alarm_kind kind;
    enum place place;
    enum text text;
} rows[] = {
#define ALARM(function, kind, place, text) {ALARM_##kind, PLACE_##place, TEXT_##text},
#include "ftrace/kernel/alarms.def"
};

static const char *const functions[] = {
#define ALARM(function, kind, place, text) function,
#include "ftrace/kernel/alarms.def"
};

enum where { START, ANYWHERE };

static const struct printed {
    const char *text;
    enum where where;
    enum alarm_kind kind;
    enum place place;
} printed[] = {
#define PRINTED(text, where, kind, place) {text, where, ALARM_##kind, PLACE_##place},
#include "ftrace/kernel/alarms.def"
};

struct alarms {
    const struct symbols *symbols;
    struct kernel_probes *probes;
    alarm_raised *raised;
    void *ctx;
};

static uint64_t argument(const struct hart *h, unsigned number)
{
    return hart_reg(h, REG_A0 + number);
}

/* An address in the call by which the hart came here: what never returns is called last of all. */
static uint64_t find_call(const struct hart *h)
{
    return hart_reg(h, REG_RA) - 2;
}

/* Whether the hart was called by a function that is an alarm itself. */
static bool is_nested(const struct alarms *a, const struct hart *h)
{
    const struct symbol *caller = symbols_function_at(a->symbols, find_call(h));

    for (size_t i = 0; caller && i < ARRAY_LEN(rows); i++)
        if (rows[i].text != TEXT_PRINTED && !strcmp(caller->name, functions[i]))
            return true;
    return false;
}

/* Linux passes __warn() where the warning is; the guest kernel's has no such argument. */
static uint64_t find_place(const struct alarms *a, const struct hart *h, enum place place)
{
    switch (place) {
    case PLACE_EXCEPTION: return 0;
    case PLACE_ARGUMENT2:
        if (symbols_function_at(a->symbols, argument(h, 2)))
            return argument(h, 2);
        break;
    case PLACE_CALLER: break;
    }
    return find_call(h);
}

/* The message that printk() is about to print is one of those that are alarms; or NULL. */
static const struct printed *find_printed(struct hart *h)
{
    char format[GUEST_STRING_MAX];
    const char *text = format;

    if (!guest_string(h, argument(h, 0), format))
        return NULL;
    if (text[0] == '\001' && text[1]) /* the level */
        text += 2;
    for (size_t i = 0; i < ARRAY_LEN(printed); i++) {
        const char *found = strstr(text, printed[i].text);

        if (found && (found == text || printed[i].where == ANYWHERE))
            return &printed[i];
    }
    return NULL;
}

static void describe_file_line(struct hart *h, char text[ALARM_TEXT_MAX])
{
    char file[GUEST_STRING_MAX];

    if (guest_string(h, argument(h, 0), file))
        snprintf(text, ALARM_TEXT_MAX, "at %.90s:%" PRIu64, file, argument(h, 1) & UINT32_MAX);
}

static void describe(const struct alarms *a, struct hart *h, enum text how,
                     char text[ALARM_TEXT_MAX])
{
    text[0] = '\0';
    switch (how) {
    case TEXT_FORMAT0:
    case TEXT_PRINTED: guest_format(h, a->symbols, 0, text, ALARM_TEXT_MAX); break;
    case TEXT_FORMAT3: guest_format(h, a->symbols, 3, text, ALARM_TEXT_MAX); break;
    case TEXT_FILE_LINE: describe_file_line(h, text); break;
    case TEXT_RECORD:
    case TEXT_NONE: break;
    }
}

static void on_called(void *ctx, unsigned which, struct hart *h)
{
    const struct alarms *a = ctx;
    const struct alarm_row *row = &rows[which];
    struct alarm alarm = {.kind = row->kind, .function = functions[which], .caller = find_call(h)};
    enum place place = row->place;

    if (row->text == TEXT_PRINTED) {
        const struct printed *message = find_printed(h);

        if (!message)
            return;
        alarm.printed = true;
        alarm.kind = message->kind;
        place = message->place;
    }
    alarm.nested = is_nested(a, h);
    alarm.place = find_place(a, h, place);
    describe(a, h, row->text, alarm.text);
    /* The record begins with the address. */
    if (row->text == TEXT_RECORD && !hart_peek(h, argument(h, 1), &alarm.site, sizeof alarm.site))
        alarm.site = 0;
    a->raised(a->ctx, h, &alarm);
}

struct alarms *alarms_new(struct cluster *c, const struct image *im, const struct symbols *symbols,
                          alarm_raised *raised, void *ctx)
{
    struct alarms *a = xcalloc(1, sizeof *a);

    *a = (struct alarms){.symbols = symbols, .raised = raised, .ctx = ctx};
    a->probes = kernel_probes_new(c, im, symbols, functions, ARRAY_LEN(functions), on_called, a);
    return a;
}

void alarms_free(struct alarms *a)
{
    if (!a)
        return;
    kernel_probes_free(a->probes);
    free(a);
}
