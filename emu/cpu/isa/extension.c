/*
 * extension.c - see extension.h.
 */
#include "cpu/isa/extension.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"

static const struct {
    const char *name;
    bool shown;
    unsigned needs;
    const char *what;
} extensions[] = {
#define X(name, shown, needs, what) {#name, shown, EXT_##needs, what},
#include "cpu/isa/extension.def"
#undef X
};

/* Part of every machine, so an ISA string need not name them. */
enum { ALWAYS = EXTS_I | EXTS_S | EXTS_Zicsr };

const char *extension_name(unsigned extension)
{
    return extensions[extension].name;
}

static const struct {
    const char *name, *what;
} promises[] = {
#define P(name, what) {#name, what},
#include "cpu/isa/promise.def"
#undef P
};

static const struct {
    const char *name, *missing, *isa;
} profiles[] = {
#define PROFILE(name, missing, isa) {#name, missing, isa},
#include "cpu/isa/profile.def"
#undef PROFILE
};

static const struct {
    const char *name, *names;
} groups[] = {
#define GROUP(name, names) {#name, names},
#include "cpu/isa/group.def"
#undef GROUP
};

/* What an extension includes; what that includes comes after it. */
static const struct {
    enum extension whole, part;
} included[] = {{EXT_Zfh, EXT_Zfhmin},       {EXT_Zvbb, EXT_Zvkb},       {EXT_Zvknhb, EXT_Zvknha},
                {EXT_Zvl1024b, EXT_Zvl512b}, {EXT_Zvl512b, EXT_Zvl256b}, {EXT_Zvl256b, EXT_Zvl128b},
                {EXT_V, EXT_Zvl128b}};

static bool is_name(const char *known, const char *name, size_t len)
{
    return strlen(known) == len && !strncasecmp(known, name, len);
}

static bool add(const char *name, size_t len, uint64_t *set);

/* All names of a list in which each is after an underscore; false: *at is the first that is
 * unknown. */
static bool add_list(const char **at, uint64_t *set)
{
    while (**at == '_') {
        size_t len = strcspn(*at + 1, "_");

        if (!add(*at + 1, len, set))
            return false;
        *at += 1 + len;
    }
    return true;
}

static bool add(const char *name, size_t len, uint64_t *set)
{
    for (unsigned e = 0; e < EXT_COUNT; e++)
        if (extensions[e].shown && is_name(extensions[e].name, name, len)) {
            *set |= UINT64_C(1) << e;
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(promises); i++)
        if (is_name(promises[i].name, name, len))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(groups); i++)
        if (is_name(groups[i].name, name, len)) {
            const char *names = groups[i].names;

            return add_list(&names, set);
        }
    return false;
}

static void add_included(uint64_t *set)
{
    for (size_t i = 0; i < ARRAY_LEN(included); i++)
        if (*set >> included[i].whole & 1)
            *set |= UINT64_C(1) << included[i].part;
}

static bool add_letter(char letter, uint64_t *set)
{
    bool known = true;

    if (letter == 'b')
        return add("zba", 3, set) && add("zbb", 3, set) && add("zbs", 3, set);
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

unsigned extensions_vlen(uint64_t set)
{
    if (!(set & EXTS_V))
        return 0;
    return set & EXTS_Zvl1024b ? 1024 : set & EXTS_Zvl512b ? 512 : set & EXTS_Zvl256b ? 256 : 128;
}

static bool add_names(const char *at, uint64_t *set, char *problem)
{
    if (add_list(&at, set))
        return true;
    snprintf(problem, EXT_TEXT_MAX, "%.*s is not implemented", (int)strcspn(at + 1, "_") % 64,
             at + 1);
    return false;
}

static bool add_string(const char *isa, uint64_t *set, char *problem)
{
    const char *at;

    if (strncasecmp(isa, "rv64i", 5) != 0 && strncasecmp(isa, "rv64g", 5) != 0) {
        snprintf(problem, EXT_TEXT_MAX,
                 "an ISA string begins with rv64i, rv64g or a profile; --isa help lists all names");
        return false;
    }
    for (at = isa + 4; *at && *at != '_'; at++)
        if (!add_letter((char)tolower(*at), set)) {
            snprintf(problem, EXT_TEXT_MAX, "%c is not implemented", *at);
            return false;
        }
    return add_names(at, set, problem);
}

/* The ISA string of the profile that `isa` begins with; NULL: with none. */
static const char *profile_at(const char *isa, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
        if (is_name(profiles[i].name, isa, len))
            return profiles[i].isa;
    return NULL;
}

bool extensions_parse(const char *isa, uint64_t *set, char problem[EXT_TEXT_MAX])
{
    size_t len = strcspn(isa, "_");
    const char *profile = profile_at(isa, len);

    *set = 0;
    if (!(profile ? add_string(profile, set, problem) && add_names(isa + len, set, problem)
                  : add_string(isa, set, problem)))
        return false;
    *set |= ALWAYS;
    add_included(set);
    return needs_met(*set, problem);
}

const char *extensions_promises(void)
{
    static const char names[] =
#define P(name, what) "_" #name
#include "cpu/isa/promise.def"
#undef P
        ;

    return names;
}

static void list_name(FILE *out, const char *name, const char *what)
{
    char lower[32];
    size_t len = 0;

    for (; name[len] && len < sizeof lower - 1; len++)
        lower[len] = (char)tolower(name[len]);
    lower[len] = '\0';
    fprintf(out, "  %-14s%s\n", lower, what);
}

static void list_profile(FILE *out, size_t i)
{
    list_name(out, profiles[i].name, profiles[i].isa);
    if (profiles[i].missing)
        list_name(out, "", profiles[i].missing);
}

void extensions_list(FILE *out)
{
    fprintf(out, "Profiles, which may be followed by more names (rva22_zfa):\n");
    for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
        list_profile(out, i);
    fprintf(out, "\nExtensions; without --isa all of these but ztso, zicfilp, zicfiss "
                 "(rv64imac_zicsr, rv64gc_zba):\n");
    for (unsigned e = 0; e < EXT_COUNT; e++)
        if (extensions[e].shown)
            list_name(out, extensions[e].name, extensions[e].what);
    fprintf(out, "\nNames of several:\n");
    for (size_t i = 0; i < ARRAY_LEN(groups); i++)
        list_name(out, groups[i].name, groups[i].names + 1);
    fprintf(out, "\nProperties that every machine here has; naming them changes nothing:\n");
    for (size_t i = 0; i < ARRAY_LEN(promises); i++)
        list_name(out, promises[i].name, promises[i].what);
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
