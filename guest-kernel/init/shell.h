/* shell.h - between the parts of the shell. */
#ifndef INIT_SHELL_H
#define INIT_SHELL_H

#include <linux/fs.h>

enum { MAX_WORDS = 64 };

struct command {
    int argc;
    char *argv[MAX_WORDS + 1];
    struct file *out;
    bool redirected;
};

/* Runs one built-in; 0, a negative error already reported, or -ENOENT for no such command. */
int run_builtin(struct command *cmd);
void __attribute__((format(printf, 1, 2))) shell_error(const char *fmt, ...);
/* All of it; a short or failed write is reported and answered. */
int shell_write(struct command *cmd, const char *buf, size_t n);

/* Until all commands run with `&` are done. */
void shell_wait_for_jobs(void);

#endif
