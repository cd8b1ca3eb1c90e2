/* sysrq.h - /proc/sysrq-trigger. */
#ifndef LINUX_SYSRQ_H
#define LINUX_SYSRQ_H

void sysrq_init(void);

#endif
