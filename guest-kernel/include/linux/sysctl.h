/* sysctl.h - integers that can be changed through files in /proc/sys. */
#ifndef LINUX_SYSCTL_H
#define LINUX_SYSCTL_H

#include <linux/types.h>

struct ctl_table {
    const char *procname;
    int *data;
    /*
     * Called with the number written; returns 0 or an error, and stores the number itself.
     * NULL: any number is stored.
     */
    int (*changed)(const struct ctl_table *table, int value);
};

/* Creates /proc/sys/DIR/NAME for each entry, DIR being a path; the table stays in use. At boot
 * only. */
void register_sysctl(const char *dir, const struct ctl_table *table, unsigned int count);

#endif
