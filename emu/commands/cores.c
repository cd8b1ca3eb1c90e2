/*
 * cores.c - see cores.h.
 */
#include "commands/cores.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/installed.h"
#include "base/nearest.h"
#include "load/file.h"
#include "timing/core.h"

static const char ending[] = ".core";

static enum exit_status read_core(const char *path, const struct diag *d, struct core **core)
{
    struct file file;
    enum exit_status status = file_read(path, d, &file);
    char *text;

    if (status != EXIT_PASS)
        return status;
    if (memchr(file.bytes, '\0', file.size)) {
        diag_error(d, "%s: not a core file: it holds a zero byte", path);
        file_free(&file);
        return EXIT_BAD_FILE;
    }
    text = xcalloc(file.size + 1, 1);
    memcpy(text, file.bytes, file.size);
    *core = core_parse(text, path, d);
    free(text);
    file_free(&file);
    return *core ? EXIT_PASS : EXIT_BAD_FILE;
}

static int is_core_file(const struct dirent *e)
{
    size_t len = strlen(e->d_name);

    return len >= sizeof ending && !strcmp(e->d_name + len - (sizeof ending - 1), ending);
}

/* The names of the cores in the folder, in order; -1: it cannot be read. */
static int list_names(const char *folder, struct dirent ***entries)
{
    int count = scandir(folder, entries, is_core_file, alphasort);

    for (int i = 0; i < count; i++)
        (*entries)[i]->d_name[strlen((*entries)[i]->d_name) - (sizeof ending - 1)] = '\0';
    return count;
}

static void free_names(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
}

/* That no core of the folder, which may be NULL, has the name. */
static void tell_unknown(const char *folder, const char *name, bool of_run, const struct diag *d)
{
    struct nearest near = nearest_to(name);
    struct dirent **entries;
    int count = folder ? list_names(folder, &entries) : -1;

    for (int i = 0; i < count; i++)
        nearest_offer(&near, entries[i]->d_name);
    diag_error(d,
               "%sno core model `%s'%s%s%s: expected %sa name that `rvftrace cores' lists, or a "
               "file with a slash in its name",
               of_run ? "--timing: " : "cores: ", name, near.found ? " (did you mean `" : "",
               near.found ? near.found : "", near.found ? "'?)" : "",
               of_run ? "inorder, unit, " : "");
    free_names(entries, count);
}

/* `of_run': the name was given to --timing; else to `rvftrace cores'. */
static enum exit_status read_named(const char *name, bool of_run, const struct diag *d,
                                   struct core **core)
{
    enum exit_status status = EXIT_USAGE;
    char *folder, *path;

    *core = NULL;
    if (strchr(name, '/'))
        return read_core(name, d, core);
    folder = installed_folder(SUPPLY_CORES);
    path = folder ? xasprintf("%s/%s%s", folder, name, ending) : NULL;
    if (path && !access(path, F_OK))
        status = read_core(path, d, core);
    else
        tell_unknown(folder, name, of_run, d);
    free(path);
    free(folder);
    return status;
}

enum exit_status cores_read(const char *name, const struct diag *d, struct core **core)
{
    return read_named(name, true, d, core);
}

/* ---- the list ---- */

static void print_error(const char *what, uint32_t hundredths)
{
    if (hundredths)
        printf(", %s %u.%u %%", what, (hundredths + 5) / 100, (hundredths + 5) / 10 % 10);
}

static enum exit_status print_core(const char *name, const struct diag *d)
{
    struct core *core;
    enum exit_status status = read_named(name, false, d, &core);

    if (status != EXIT_PASS)
        return status;
    printf("%-8s %s\n", name, core->title ? core->title : "");
    if (core->confidence == CONFIDENCE_rtl) {
        printf("         held against RTL: %u programs", core->held_rows);
        print_error("mean error", core->held_micro);
        print_error("of workloads", core->held_workload);
        if (!core->held_workload)
            printf("; no workload was compared, and %u of %u figures are estimates",
                   core->estimates, core->figures);
        printf("\n");
    } else {
        printf("         from documents, not compared with the core; ");
        if (core->estimates)
            printf("%u of %u figures are estimates\n", core->estimates, core->figures);
        else
            printf("%u figure%s\n", core->figures, core->figures == 1 ? "" : "s");
    }
    core_free(core);
    return EXIT_PASS;
}

static enum exit_status print_all(const char *folder, const struct diag *d)
{
    struct dirent **entries;
    int count = list_names(folder, &entries);
    enum exit_status status = EXIT_PASS;

    if (count < 0) {
        diag_error(d, "%s: cannot be read", folder);
        return EXIT_IO;
    }
    for (int i = 0; i < count && status == EXIT_PASS; i++)
        status = print_core(entries[i]->d_name, d);
    free_names(entries, count);
    return status;
}

enum exit_status cores_list(const char *name, const struct diag *d)
{
    enum exit_status status;
    char *folder;

    if (name)
        return print_core(name, d);
    folder = installed_folder(SUPPLY_CORES);
    if (!folder) {
        diag_error(d, "the folder `cores' is neither beside the program nor in its share folder");
        return EXIT_NO_FILE;
    }
    status = print_all(folder, d);
    free(folder);
    return status;
}
