/* init.h - boot parameters and the order of the start. */
#ifndef LINUX_INIT_H
#define LINUX_INIT_H

#include <linux/compiler.h>

/* A parameter of the boot line; the linker gathers them between __setup_start and __setup_end. */
struct obs_kernel_param {
    const char *str;                /* with its '=' if it takes a value */
    int (*setup_func)(char *value); /* value points into the boot line, which stays */
};

#define __setup(param, fn)                                                          \
    static const struct obs_kernel_param setup_##fn __used __section(".init.setup") \
        __aligned(8) = {param, fn}

#define COMMAND_LINE_SIZE 8192

extern char boot_command_line[COMMAND_LINE_SIZE];

/* What is not the kernel's on the boot line, for the first program. */
extern char *argv_init[], *envp_init[];

void parse_args(char *line);
int run_init_process(void);

#endif
