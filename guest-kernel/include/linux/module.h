/* module.h - code that is loaded into the running kernel. */
#ifndef LINUX_MODULE_H
#define LINUX_MODULE_H

#define MODULE_NAME_LEN 56

struct module {
    char name[MODULE_NAME_LEN];

    /* Its call sites as the linker listed them. */
    unsigned long *ftrace_callsites;
    unsigned int num_ftrace_callsites;
};

#endif
