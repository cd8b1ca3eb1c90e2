/* delay.h - sleeping, or spinning, for a time. */
#ifndef LINUX_DELAY_H
#define LINUX_DELAY_H

void msleep(unsigned int msecs);
/* Answers the milliseconds left when something woke it early. */
unsigned long msleep_interruptible(unsigned int msecs);
void usleep_range(unsigned long min, unsigned long max);
void udelay(unsigned long usecs);

#endif
