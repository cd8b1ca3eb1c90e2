/* init.h - command-line parameters and init. */
#ifndef LINUX_INIT_H
#define LINUX_INIT_H

#include <linux/compiler.h>

/* A command-line parameter; the linker collects them between __setup_start and __setup_end. */
struct obs_kernel_param {
    const char *str;                /* with its '=' if it takes a value */
    int (*setup_func)(char *value); /* value stays valid */
};

#define __setup(param, fn) __setup_line(param, fn, __LINE__)
/* The line number keeps names distinct when one function handles several parameters. */
#define __setup_line(param, fn, line)  __setup_entry(param, fn, line)
#define __setup_entry(param, fn, line) __setup_named(param, fn, setup_##fn##_##line)
#define __setup_named(param, fn, name)                                        \
    static const struct obs_kernel_param name __used __section(".init.setup") \
        __aligned(8) = {param, fn}

#define COMMAND_LINE_SIZE 8192

extern char boot_command_line[COMMAND_LINE_SIZE];

/* The words of the command line that go to init: its arguments and environment. */
extern char *argv_init[], *envp_init[];

void parse_args(char *line);

/* Mounts the file systems that programs expect (init/do_mounts.c). */
void mount_boot_filesystems(void);

/* The command loop for a system without an init program (init/emergency.c). */
_Noreturn void emergency_console(void);

#endif
