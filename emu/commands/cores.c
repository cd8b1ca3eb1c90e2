/*
 * cores.c - see cores.h. The cores of the distribution are in `cores' beside the build folder, or
 * in share/rvftrace/cores beside the bin folder that the program was installed in.
 */
#include "commands/cores.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "load/file.h"
#include "timing/core.h"

static const char ending[] = ".core";

/* The folder; NULL: there is none. The caller frees it. */
static char *find_folder(void)
{
    static const char *const places[] = {"../share/rvftrace/cores", "../cores", "../../cores"};
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;

    if (len < 0)
        return NULL;
    program[len] = '\0';
    slash = strrchr(program, '/');
    *slash = '\0';
    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        char *folder = xasprintf("%s/%s", program, places[i]);

        if (!access(folder, R_OK | X_OK))
            return folder;
        free(folder);
    }
    return NULL;
}

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

enum exit_status cores_read(const char *name, const struct diag *d, struct core **core)
{
    enum exit_status status = EXIT_USAGE;
    char *folder, *path;

    *core = NULL;
    if (strchr(name, '/'))
        return read_core(name, d, core);
    folder = find_folder();
    path = folder ? xasprintf("%s/%s%s", folder, name, ending) : NULL;
    if (path && !access(path, F_OK))
        status = read_core(path, d, core);
    else
        diag_error(d,
                   "--timing: no core model `%s': expected inorder, unit, a name that `rvftrace "
                   "cores' lists, or a file with a slash in its name",
                   name);
    free(path);
    free(folder);
    return status;
}

/* ---- the list ---- */

static int is_core_file(const struct dirent *e)
{
    size_t len = strlen(e->d_name);

    return len >= sizeof ending && !strcmp(e->d_name + len - (sizeof ending - 1), ending);
}

static void print_error(const char *what, uint32_t hundredths)
{
    if (hundredths)
        printf(", %s %u.%u %%", what, (hundredths + 5) / 100, (hundredths + 5) / 10 % 10);
}

static enum exit_status print_core(const char *name, const struct diag *d)
{
    struct core *core;
    enum exit_status status = cores_read(name, d, &core);

    if (status != EXIT_PASS)
        return status;
    printf("%-8s %s\n", name, core->title ? core->title : "");
    if (core->confidence == CONFIDENCE_rtl) {
        printf("         held against RTL: %u programs", core->held_rows);
        print_error("mean error", core->held_micro);
        print_error("of workloads", core->held_workload);
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
    int count = scandir(folder, &entries, is_core_file, alphasort);
    enum exit_status status = EXIT_PASS;

    if (count < 0) {
        diag_error(d, "%s: cannot be read", folder);
        return EXIT_IO;
    }
    for (int i = 0; i < count; i++) {
        if (status == EXIT_PASS) {
            entries[i]->d_name[strlen(entries[i]->d_name) - (sizeof ending - 1)] = '\0';
            status = print_core(entries[i]->d_name, d);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum exit_status cores_list(const char *name, const struct diag *d)
{
    enum exit_status status;
    char *folder;

    if (name)
        return print_core(name, d);
    folder = find_folder();
    if (!folder) {
        diag_error(d, "the folder `cores' is neither beside the program nor in its share folder");
        return EXIT_NO_FILE;
    }
    status = print_all(folder, d);
    free(folder);
    return status;
}
