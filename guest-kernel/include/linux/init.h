/* init.h - boot parameters and the order of the start. */
#ifndef LINUX_INIT_H
#define LINUX_INIT_H

#include <linux/compiler.h>

/* A parameter of the boot line; the linker gathers them between __setup_start and __setup_end. */
struct obs_kernel_param {
    const char *str;                /* with its '=' if it takes a value */
    int (*setup_func)(char *value); /* value points into the boot line, which stays */
};

#define __setup(param, fn) __setup_line(param, fn, __LINE__)
/* One function may take a parameter with and without a value. */
#define __setup_line(param, fn, line)  __setup_entry(param, fn, line)
#define __setup_entry(param, fn, line) __setup_named(param, fn, setup_##fn##_##line)
#define __setup_named(param, fn, name)                                        \
    static const struct obs_kernel_param name __used __section(".init.setup") \
        __aligned(8) = {param, fn}

#define COMMAND_LINE_SIZE 8192

extern char boot_command_line[COMMAND_LINE_SIZE];

/* What is not the kernel's on the boot line, for the first program. */
extern char *argv_init[], *envp_init[];

void parse_args(char *line);

/* init/do_mounts.c */
void mount_boot_filesystems(void);

/* init/emergency.c: for when no program can be started. */
_Noreturn void emergency_console(void);

#endif
