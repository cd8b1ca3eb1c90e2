/*
 * applet.h - the shell's commands, and what they share.
 *
 * A command reads descriptor 0, writes 1, complains to 2, and answers an
 * exit status.
 */
#ifndef SH_APPLET_H
#define SH_APPLET_H

#include "../libc.h"

struct shell;

struct applet {
    const char *name, *usage;
    int (*run)(int argc, char **argv);
    /* In place of run: changes the shell itself, or is too small to deserve a process. */
    int (*builtin)(struct shell *sh, int argc, char **argv);
};

enum {
    STATUS_ERROR = 1,
    STATUS_USAGE = 2,
    STATUS_MOUNT = 32, /* mount's and umount's, when the kernel refuses */
    STATUS_NOT_EXECUTABLE = 126,
    STATUS_NOT_FOUND = 127,
    STATUS_SIGNAL = 128, /* plus its number */
};

const struct applet *find_applet(const char *name);

extern const struct applet builtin_applets[]; /* ends with a row without a name */

int do_cat(int argc, char **argv);
int do_cp(int argc, char **argv);
int do_cut(int argc, char **argv);
int do_dd(int argc, char **argv);
int do_grep(int argc, char **argv);
int do_head(int argc, char **argv);
int do_insmod(int argc, char **argv);
int do_ls(int argc, char **argv);
int do_lsmod(int argc, char **argv);
int do_mkdir(int argc, char **argv);
int do_mount(int argc, char **argv);
int do_mv(int argc, char **argv);
int do_poweroff(int argc, char **argv);
int do_ps(int argc, char **argv);
int do_reboot(int argc, char **argv);
int do_rm(int argc, char **argv);
int do_rmdir(int argc, char **argv);
int do_rmmod(int argc, char **argv);
int do_selftest(int argc, char **argv);
int do_seq(int argc, char **argv);
int do_sleep(int argc, char **argv);
int do_sort(int argc, char **argv);
int do_tail(int argc, char **argv);
int do_tee(int argc, char **argv);
int do_test(int argc, char **argv);
int do_touch(int argc, char **argv);
int do_umount(int argc, char **argv);
int do_uniq(int argc, char **argv);
int do_usleep(int argc, char **argv);
int do_wc(int argc, char **argv);
int do_work(int argc, char **argv);
int do_yes(int argc, char **argv);

int usage_error(char **argv);

/* All of it to descriptor fd: 0 or an error. */
int write_all(int fd, const char *buf, size_t n);
/* All of it to descriptor 1: 0 or STATUS_ERROR, the message being out. */
int put(const char *buf, size_t n);
int put_line(const char *line); /* of any length, with a newline */
int putf(const char *fmt, ...) PRINTF(1, 2);

/* A descriptor to read from, not of a directory; `-` is descriptor 0. -1: the message is out. */
int open_input(const char *path);
void close_input(int in);
/* each(descriptor, path, data) for every file named from argv on, or for descriptor 0. */
int for_each_input(char **argv, int (*each)(int in, const char *path, void *data), void *data);
/* Says why reading path failed; answers STATUS_ERROR. */
int read_error(const char *path, int err);
/* Says what: path: why; answers STATUS_ERROR. */
int complain(const char *what, const char *path, int err);
/* A file's bytes, with a NUL after them, to be freed; or ERR_PTR. */
char *read_whole_file(const char *path, size_t *size);

struct strings;

bool is_directory(const char *path);
/* dir/name, to be freed. */
char *path_below(const char *dir, const char *name);
/* Names in a directory, as they were made; those that begin with a dot only if all are wanted. */
int read_names(const char *path, bool all, struct strings *names);

struct line_reader {
    int file;
    char *buf;
    size_t room, from, to;
    bool ended;
    bool cut; /* the last line ended with the file, not with a newline */
    int err;
};

int line_reader_init(struct line_reader *r, int file);
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
