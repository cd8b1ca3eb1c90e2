/*
 * extension.c - see extension.h.
 */
#include "cpu/extension.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    bool shown;
    unsigned needs;
} extensions[] = {
#define X(name, shown, needs, what) {#name, shown, EXT_##needs},
#include "cpu/extension.def"
#undef X
};

/* Part of every machine, so an ISA string need not name them. */
enum { ALWAYS = EXTS_I | EXTS_S | EXTS_Zicsr };

const char *extension_name(unsigned extension)
{
    return extensions[extension].name;
}

static bool add(const char *name, size_t len, uint64_t *set)
{
    for (unsigned e = 0; e < EXT_COUNT; e++)
        if (extensions[e].shown && strlen(extensions[e].name) == len &&
            !strncasecmp(extensions[e].name, name, len)) {
            *set |= UINT64_C(1) << e;
            return true;
        }
    return false;
}

static bool add_letter(char letter, uint64_t *set)
{
    bool known = true;

    if (letter != 'g')
        return add(&letter, 1, set);
    for (const char *l = "imafd"; *l; l++)
        known &= add(l, 1, set);
    return known && add("zifencei", 8, set);
}

static bool needs_met(uint64_t set, char *problem)
{
    for (unsigned e = 0; e < EXT_COUNT; e++)
        if ((set >> e & 1) && !(set >> extensions[e].needs & 1)) {
            snprintf(problem, EXT_TEXT_MAX, "%s needs %s", extensions[e].name,
                     extensions[extensions[e].needs].name);
            return false;
        }
    return true;
}

bool extensions_parse(const char *isa, uint64_t *set, char problem[EXT_TEXT_MAX])
{
    const char *at;

    *set = 0;
    if (strncasecmp(isa, "rv64i", 5) != 0 && strncasecmp(isa, "rv64g", 5) != 0) {
        snprintf(problem, EXT_TEXT_MAX, "an ISA string begins with rv64i or rv64g");
        return false;
    }
    for (at = isa + 4; *at && *at != '_'; at++)
        if (!add_letter((char)tolower(*at), set)) {
            snprintf(problem, EXT_TEXT_MAX, "%c is not implemented", *at);
            return false;
        }
    while (*at++ == '_') {
        size_t len = strcspn(at, "_");

        if (!add(at, len, set)) {
            snprintf(problem, EXT_TEXT_MAX, "%.*s is not implemented", (int)(len < 64 ? len : 64),
                     at);
            return false;
        }
        at += len;
    }
    *set |= ALWAYS;
    return needs_met(*set, problem);
}

void extensions_format(uint64_t set, char text[EXT_TEXT_MAX])
{
    size_t len = (size_t)snprintf(text, EXT_TEXT_MAX, "rv64");

    for (unsigned e = 0; e < EXT_COUNT; e++) {
        const char *name = extensions[e].name;

        if (!extensions[e].shown || !(set >> e & 1))
            continue;
        if (name[1])
            text[len++] = '_';
        for (; *name; name++)
            text[len++] = (char)tolower(*name);
    }
    text[len] = '\0';
}
