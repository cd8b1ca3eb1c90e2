/* binfmts.h - running programs. */
#ifndef LINUX_BINFMTS_H
#define LINUX_BINFMTS_H

#include <linux/types.h>

struct file;

/* All strings of a new program: arguments, then environment, then its path. */
struct linux_binprm {
    struct file *file;
    int argc, envc;
    char *strings;
    size_t len;    /* of all of them, ends included */
    size_t execfn; /* where the path starts */
};

/* Makes current the program; then it is to go to U-mode. */
int load_elf_binary(struct linux_binprm *bprm);
/* Gives current that address space for its own, at the point of no return. */
struct mm_struct;
void begin_new_exec(struct linux_binprm *bprm, struct mm_struct *mm);

/* For current, which is on its way to U-mode for the first time (user_mode_thread). */
int kernel_execve(const char *filename, char *const argv[], char *const envp[]);

#endif
