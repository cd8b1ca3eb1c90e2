/*
 * applet.h - the commands, and the functions they share.
 *
 * A command reads descriptor 0, writes to 1, reports errors on 2, and returns an exit status.
 */
#ifndef SH_APPLET_H
#define SH_APPLET_H

#include "../libc.h"

struct shell;

struct applet {
    const char *name, *usage;
    int (*run)(int argc, char **argv);
    /*
     * Used instead of run by commands that change the shell itself or are too small for a
     * process.
     */
    int (*builtin)(struct shell *sh, int argc, char **argv);
};

enum {
    STATUS_ERROR = 1,
    STATUS_USAGE = 2,
    STATUS_MOUNT = 32, /* of mount and umount, if the system call fails */
    STATUS_NOT_EXECUTABLE = 126,
    STATUS_NOT_FOUND = 127,
    STATUS_SIGNAL = 128, /* plus the signal number */
};

const struct applet *find_applet(const char *name);

struct strings;

void applet_names(struct strings *names); /* adds them all */

extern const struct applet builtin_applets[]; /* the last entry has no name */

int do_cat(int argc, char **argv);
int do_clear(int argc, char **argv);
int do_cp(int argc, char **argv);
int do_cut(int argc, char **argv);
int do_dd(int argc, char **argv);
int do_dmesg(int argc, char **argv);
int do_find(int argc, char **argv);
int do_grep(int argc, char **argv);
int do_head(int argc, char **argv);
int do_insmod(int argc, char **argv);
int do_less(int argc, char **argv);
int do_ln(int argc, char **argv);
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
int do_trace_cmd(int argc, char **argv);
int do_umount(int argc, char **argv);
int do_uname(int argc, char **argv);
int do_uniq(int argc, char **argv);
int do_usleep(int argc, char **argv);
int do_wc(int argc, char **argv);
int do_work(int argc, char **argv);
int do_yes(int argc, char **argv);

int usage_error(char **argv);
/* Names the workloads, one a line. */
int list_workloads(int to);

/* Writes all bytes to fd. Returns 0 or a negative error. */
int write_all(int fd, const char *buf, size_t n);
/* Writes all bytes to descriptor 1. Returns 0, or STATUS_ERROR after a message. */
int put(const char *buf, size_t n);
int put_line(const char *line); /* adds a newline */
int putf(const char *fmt, ...) PRINTF(1, 2);

/*
 * Opens a file for reading; `-` is descriptor 0. Returns -1 after a message, also for a
 * directory.
 */
int open_input(const char *path);
void close_input(int in);
/*
 * Calls each(descriptor, path, data) for every file named from argv on, or for descriptor 0.
 * Returns the last status that is not 0.
 */
int for_each_input(char **argv, int (*each)(int in, const char *path, void *data), void *data);
/* Reports a read error of path; returns STATUS_ERROR. */
int read_error(const char *path, int err);
/* Prints `what: path: ERROR`; returns STATUS_ERROR. */
int complain(const char *what, const char *path, int err);
/* Returns the contents of a file, followed by a NUL, to be freed; or ERR_PTR(). */
char *read_whole(int fd, size_t *size);
char *read_whole_file(const char *path, size_t *size);

bool is_directory(const char *path);
/* Returns dir/name, to be freed. */
char *path_below(const char *dir, const char *name);
/*
 * Adds the names in a directory, unsorted; names that begin with a dot only if all is set.
 * Returns 0 or a negative error.
 */
int read_names(const char *path, bool all, struct strings *names);

struct line_reader {
    int file;
    char *buf;
    size_t room, from, to;
    bool ended;
    bool cut; /* the last line has no newline */
    int err;
};

int line_reader_init(struct line_reader *r, int file);
/*
 * Returns the next line without its newline, and its length in *len. NULL: end of file, or
 * r->err is set.
 */
char *next_line(struct line_reader *r, size_t *len);
void line_reader_free(struct line_reader *r);

/*
 * Parses options like `-n 3`, `-n3` and `-lw`. next_option() returns the letter, 0 at the end,
 * or '?' for an error.
 */
struct options {
    char **argv; /* remaining arguments */
    char *next;  /* remaining letters of the current argument */
    char *value; /* of an option followed by `:` in letters */
};
int next_option(struct options *o, const char *letters);

#endif
