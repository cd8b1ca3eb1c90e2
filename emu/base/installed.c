/*
 * installed.c - see installed.h.
 */
#include "base/installed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/nearest.h"

/*
 * Relative to the folder of the program: of an installation, then of a checkout, whose programs are
 * in build and, in other builds, in build/KIND.
 */
static const struct place {
    const char *folders[3];
    const char *prefix, *file; /* "guest:NAME" is this file of the folder's NAME; NULL: none */
} places[] = {
    [SUPPLY_CORES] = {{"../share/rvftrace/cores", "../cores", "../../cores"}, NULL, NULL},
    [SUPPLY_GUESTS] = {{"../share/rvftrace/guests", "guest-kernel", "../guest-kernel"},
                       "guest:",
                       "/kernel.elf"},
    [SUPPLY_LITMUS] = {{"../share/rvftrace/litmus", "../tests/litmus", "../../tests/litmus"},
                       "litmus:",
                       ".litmus"},
    [SUPPLY_DOCS] = {{"../share/doc/rvftrace/docs", NULL, NULL}, NULL, NULL},
};

/*
 * The program's own path; false: not known. Without /proc, as in a chroot, it is the name by which
 * the system was asked to execute it.
 */
static bool find_program(char program[PATH_MAX])
{
    ssize_t len = readlink("/proc/self/exe", program, PATH_MAX - 1);
    const char *name = (const char *)getauxval(AT_EXECFN);

    if (len < 0)
        return name && realpath(name, program);
    program[len] = '\0';
    return true;
}

char *installed_folder(enum supply what)
{
    char program[PATH_MAX];

    if (!find_program(program))
        return NULL;
    *strrchr(program, '/') = '\0';
    for (unsigned i = 0; i < ARRAY_LEN(places[what].folders) && places[what].folders[i]; i++) {
        char *folder = xasprintf("%s/%s", program, places[what].folders[i]);
        char *real = access(folder, R_OK | X_OK) ? NULL : realpath(folder, NULL);

        free(folder);
        if (real)
            return real;
    }
    return NULL;
}

/* Whether the folder has the file that the name means. */
static bool has_file(const struct place *p, const char *folder, const char *name)
{
    char *path = xasprintf("%s/%s%s", folder, name, p->file);
    bool found = !access(path, F_OK);

    free(path);
    return found;
}

/* All names of the folder, "a, b and c"; no name was given. */
static void tell_names(const struct place *p, const char *folder, const char *const *names,
                       size_t count, const struct diag *d)
{
    char *list = xstrdup("");

    for (size_t i = 0; i < count; i++) {
        char *longer = xasprintf("%s%s%s", list,
                                 !i              ? ""
                                 : i + 1 < count ? ", "
                                                 : " and ",
                                 names[i]);

        free(list);
        list = longer;
    }
    diag_error(d, "%s: no name; %s has %s", p->prefix, folder, count ? list : "none");
    free(list);
}

/*
 * Says that there is no such file, and which one is spelled nearly so; if no name was given, which
 * there are.
 */
static void tell_missing(const struct place *p, const char *folder, const char *name,
                         const struct diag *d)
{
    struct nearest near = nearest_to(name);
    struct dirent **entries;
    int count = folder ? scandir(folder, &entries, NULL, alphasort) : -1;
    const char **names = xcalloc(count > 0 ? (size_t)count : 1, sizeof *names);
    size_t found = 0;

    for (int i = 0; i < count; i++) {
        char *end = strstr(entries[i]->d_name, p->file);

        if (end)
            *end = '\0';
        if (has_file(p, folder, entries[i]->d_name)) {
            nearest_offer(&near, entries[i]->d_name);
            names[found++] = entries[i]->d_name;
        }
    }
    if (!folder)
        diag_error(
            d, "%s%s: there are none: install the package rvftrace-guests, or `make' builds them",
            p->prefix, name);
    else if (!*name)
        tell_names(p, folder, names, found, d);
    else
        diag_error(d, "%s%s: %s has none%s%s%s%s", p->prefix, name, folder,
                   near.found ? "; did you mean `" : "", near.found ? p->prefix : "",
                   near.found ? near.found : "", near.found ? "'?" : "");
    free(names);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
}

/* `name` is behind the prefix. */
static char *path_in(enum supply what, const char *name, const struct diag *d)
{
    const struct place *p = &places[what];
    char *folder = installed_folder(what), *path = NULL;

    if (folder)
        path = xasprintf("%s/%s%s", folder, name, strpbrk(name, "./") ? "" : p->file);
    if (!path || access(path, F_OK)) {
        tell_missing(p, folder, name, d);
        free(path);
        path = NULL;
    }
    free(folder);
    return path;
}

char *installed_path(const char *name, const struct diag *d)
{
    for (unsigned i = 0; i < ARRAY_LEN(places); i++)
        if (places[i].prefix && !strncmp(name, places[i].prefix, strlen(places[i].prefix)))
            return path_in((enum supply)i, name + strlen(places[i].prefix), d);
    return xstrdup(name);
}

const char *installed_document(const char *name, char text[DOCUMENT_NAME])
{
    char *folder = installed_folder(SUPPLY_DOCS);

    snprintf(text, DOCUMENT_NAME, "%s/%s", folder ? folder : "docs", name);
    free(folder);
    return text;
}
