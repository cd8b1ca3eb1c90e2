/* sysctl.h - numbers of the kernel that a user may change, as files of /proc/sys. */
#ifndef LINUX_SYSCTL_H
#define LINUX_SYSCTL_H

#include <linux/types.h>

struct ctl_table {
    const char *procname;
    int *data;
    /*
     * Called with the number that was written; 0, or the error of the write. It
     * stores the number itself. NULL: any number is stored.
     */
    int (*changed)(const struct ctl_table *table, int value);
};

/* Makes /proc/sys/DIR/NAME for each entry; the table stays in use. Boot only. */
void register_sysctl(const char *dir, const struct ctl_table *table, unsigned int count);

#endif
