/* binfmts.h - loading programs. */
#ifndef LINUX_BINFMTS_H
#define LINUX_BINFMTS_H

#include <linux/types.h>

struct file;

/* The strings of a new program: arguments, then environment, then its path. */
struct linux_binprm {
    struct file *file;
    int argc, envc;
    char *strings;
    size_t len;    /* total length, with the NULs */
    size_t execfn; /* offset of the path */
};

/*
 * Loads the program into current; it starts when current returns to U-mode. 0 or a negative
 * error.
 */
int load_elf_binary(struct linux_binprm *bprm);

/* Opens a program, which may be executed, to read it. ERR_PTR. */
struct file *open_exec(const char *filename);

/* The first line of a script: pointers into it. */
struct script {
    const char *interp, *arg; /* arg NULL: none */
};
enum { SCRIPT_LINE_MAX = 256 };
/*
 * Reads the first line of a file into line, of SCRIPT_LINE_MAX bytes. 1: it is a script; 0: it is
 * not; or an error.
 */
int load_script(const struct file *file, char *line, struct script *script);

/*
 * Replaces the address space of current by mm. After this, exec cannot return to the old
 * program.
 */
struct mm_struct;
void begin_new_exec(struct linux_binprm *bprm, struct mm_struct *mm);

/* Executes a program in current, a thread of user_mode_thread(). 0 or a negative error. */
int kernel_execve(const char *filename, char *const argv[], char *const envp[]);

#endif
