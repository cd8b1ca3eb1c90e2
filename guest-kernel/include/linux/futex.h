/* futex.h - words of memory for which programs wait. */
#ifndef LINUX_FUTEX_H
#define LINUX_FUTEX_H

#include <linux/compiler.h>
#include <linux/types.h>

void futex_init(void);
/* Wakes one task that waits for this word of current's memory, as if the program had. */
void futex_wake_tid(u32 __user *uaddr);

#endif
