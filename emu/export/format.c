/*
 * format.c - the table of formats (export.h).
 */
#include <string.h>

#include "export/export.h"

static const struct export_format formats[] = {
#define EXPORT(name, text, what) {text, what, export_##name},
#include "export/format.def"
#undef EXPORT
};

bool export_needs_counts(const struct export_format *f)
{
    return f->convert == export_folded_disabled || f->convert == export_flamegraph_disabled;
}

bool export_needs_text(const struct export_format *f)
{
    return f->convert == export_code;
}

const struct export_format *export_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    return NULL;
}

void export_names(char *text, size_t room)
{
    size_t used = 0;

    for (size_t i = 0; i < ARRAY_LEN(formats) && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", formats[i].name);
}
