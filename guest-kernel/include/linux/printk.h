/* printk.h - the kernel's own messages. */
#ifndef LINUX_PRINTK_H
#define LINUX_PRINTK_H

#include <linux/kernel.h>

int __printf(1, 2) printk(const char *fmt, ...);
/* From an exception or panic on: takes no lock, since its holder may be the hart that died. */
void printk_bust_locks(void);

#define pr_err  printk
#define pr_info printk

#endif
