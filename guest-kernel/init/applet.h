/*
 * applet.h - the shell's commands, and what they share.
 *
 * A command reads descriptor 0, writes 1, complains to 2, and answers an
 * exit status.
 */
#ifndef INIT_APPLET_H
#define INIT_APPLET_H

#include <linux/compiler.h>
#include <linux/fs.h>
#include <linux/types.h>

struct shell;

struct applet {
    const char *name, *usage;
    int (*run)(int argc, char **argv);
    /* In place of run: changes the shell itself, or is too small to deserve a thread. */
    int (*builtin)(struct shell *sh, int argc, char **argv);
};

enum {
    STATUS_ERROR = 1,
    STATUS_USAGE = 2,
    STATUS_NOT_EXECUTABLE = 126,
    STATUS_NOT_FOUND = 127,
    STATUS_SIGNAL = 128, /* plus its number */
};

const struct applet *find_applet(const char *name);

extern const struct applet shell_applets[], text_applets[], file_applets[], system_applets[],
    module_applets[];

int do_test(int argc, char **argv);

int usage_error(char **argv);

/* All of it to descriptor 1: 0 or STATUS_ERROR, the message being out. */
int put(const char *buf, size_t n);
int put_line(const char *line); /* of any length, with a newline */
int __printf(1, 2) putf(const char *fmt, ...);

/* A file to read, not a directory; `-` is descriptor 0. NULL: the message is out. */
struct file *open_input(const char *path);
/* A command that never has to wait ends with a signal, too. */
ssize_t read_input(struct file *in, char *buf, size_t n);
/* each(file, path, data) for every file named from argv on, or for descriptor 0. */
int for_each_input(char **argv, int (*each)(struct file *in, const char *path, void *data),
                   void *data);
/* Says why reading path failed; answers STATUS_ERROR. */
int read_error(const char *path, int err);

struct line_reader {
    struct file *file;
    char *buf;
    size_t room, from, to;
    bool ended;
    bool cut; /* the last line ended with the file, not with a newline */
    int err;
};

int line_reader_init(struct line_reader *r, struct file *file);
/* The next line, its newline cut off and *len without it; NULL: the end, or r->err. */
char *next_line(struct line_reader *r, size_t *len);
void line_reader_free(struct line_reader *r);

/* Options as in `-n 3`, `-n3`, `-lw`: the letter, or 0 when there are no more, or '?'. */
struct options {
    char **argv; /* what is left */
    char *next;  /* more letters of the same word */
    char *value;
};
int next_option(struct options *o, const char *letters);

#endif
