/* sysrq.h - commands of last resort. */
#ifndef LINUX_SYSRQ_H
#define LINUX_SYSRQ_H

void sysrq_init(void);

#endif
