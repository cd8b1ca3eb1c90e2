/* printk.h - kernel messages. */
#ifndef LINUX_PRINTK_H
#define LINUX_PRINTK_H

#include <linux/kernel.h>

int __printf(1, 2) printk(const char *fmt, ...);
/* Makes later messages take no lock, because the hart that panics may hold it. */
void printk_bust_locks(void);

#define pr_err  printk
#define pr_info printk

#endif
