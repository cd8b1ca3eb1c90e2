/*
 * source_path.c - the command `directory', and where the text of a source file is looked for: in
 * the folders of `directory', in the folder in which the compiler ran, in the present one, and in
 * those above the image, so that a tree may be moved and the debugger started anywhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "debug/commands/commands.h"
#include "debug/commands/list.h"
#include "debug/commands/session.h"

void source_path_free(struct debugger *d)
{
    for (size_t i = 0; i < d->source_folders.len; i++)
        free(d->source_folders.at[i]);
    VEC_FREE(&d->source_folders);
}

/* ---- finding a file ---- */

static FILE *open_in(const char *folder, size_t len, const char *name)
{
    char *path = xasprintf("%.*s/%s", (int)len, folder, name);
    FILE *file = fopen(path, "r");

    free(path);
    return file;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* In the folders of `directory': under its name in the debug information, or without folders. */
static FILE *open_in_given(const struct debugger *d, const char *name)
{
    FILE *file = NULL;

    for (size_t i = 0; i < d->source_folders.len && !file; i++) {
        const char *folder = d->source_folders.at[i];

        file = name[0] == '/' ? NULL : open_in(folder, strlen(folder), name);
        if (!file)
            file = open_in(folder, strlen(folder), base_name(name));
    }
    return file;
}

/* In the folder of the image, and in all those above it. */
static FILE *open_above_image(const struct debugger *d, const char *name)
{
    char *image = d->config.image ? realpath(d->config.image, NULL) : NULL;
    FILE *file = NULL;

    for (size_t len = image ? strlen(image) : 0; len && !file;) {
        while (len && image[len - 1] != '/')
            len--;
        len -= len > 0;
        file = open_in(image, len, name);
    }
    free(image);
    return file;
}

FILE *source_open(const struct debugger *d, const struct source_file *f)
{
    FILE *file = open_in_given(d, f->name);

    if (file || f->name[0] == '/')
        return file ? file : fopen(f->name, "r");
    if (f->directory)
        file = open_in(f->directory, strlen(f->directory), f->name);
    file = file ? file : fopen(f->name, "r");
    return file ? file : open_above_image(d, f->name);
}

/* Where source_open has looked: one line, without its end. */
static void print_places(const struct debugger *d, const struct source_file *f)
{
    char *here = getcwd(NULL, 0);

    for (size_t i = 0; i < d->source_folders.len; i++)
        fprintf(d->out, "%s, ", d->source_folders.at[i]);
    if (f->name[0] == '/')
        fprintf(d->out, "%.*s", (int)(strlen(f->name) - strlen(base_name(f->name)) - 1), f->name);
    else
        fprintf(d->out, "%s%s%s and above the image", f->directory ? f->directory : "",
                f->directory ? ", " : "", here ? here : ".");
    free(here);
}

void source_complain(const struct debugger *d, const struct source_file *f)
{
    *d->failed = true;
    fprintf(d->out, "%s: No such file or directory. Looked in ", f->name);
    print_places(d, f);
    fprintf(d->out, "; `directory FOLDER' adds one.\n");
}

void source_tell_once(struct debugger *d, const struct source_file *f)
{
    if (!d->config.interactive || d->told_no_source)
        return;
    d->told_no_source = true;
    fprintf(d->out, "   no source text: %s is not in ", f->name);
    print_places(d, f);
    fprintf(d->out, "; `directory FOLDER' adds a folder\n");
}

/* ---- the command ---- */

void source_path_show(const struct debugger *d)
{
    fprintf(d->out, "Source directories searched: ");
    for (size_t i = 0; i < d->source_folders.len; i++)
        fprintf(d->out, "%s:", d->source_folders.at[i]);
    fprintf(d->out, "$cdir:$cwd, and the folders above the image\n");
}

/* Puts a folder before those of earlier commands, and behind the ones of this. */
static void add(struct debugger *d, const char *name, size_t len, size_t place)
{
    char *folder = xasprintf("%.*s", (int)len, name);

    if (!strcmp(folder, "$cdir") || !strcmp(folder, "$cwd")) { /* they are searched anyway */
        free(folder);
        return;
    }
    if (access(folder, R_OK | X_OK))
        fprintf(d->out, "%s: %s.\n", folder, strerror(errno));
    VEC_PUSH(&d->source_folders, folder);
    for (size_t i = d->source_folders.len - 1; i > place; i--) {
        d->source_folders.at[i] = d->source_folders.at[i - 1];
        d->source_folders.at[i - 1] = folder;
    }
}

void do_directory(struct debugger *d, const char *args)
{
    size_t place = 0;

    if (!*args)
        source_path_free(d);
    for (; *args; args += strspn(args, ": \t")) {
        size_t len = strcspn(args, ": \t");

        if (len)
            add(d, args, len, place < d->source_folders.len ? place : d->source_folders.len);
        place++;
        args += len;
    }
    d->told_no_source = false;
    source_path_show(d);
}
