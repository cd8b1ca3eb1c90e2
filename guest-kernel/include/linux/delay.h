/* delay.h - sleeping or busy-waiting for a time. */
#ifndef LINUX_DELAY_H
#define LINUX_DELAY_H

void msleep(unsigned int msecs);
void usleep_range(unsigned long min, unsigned long max);
void udelay(unsigned long usecs);

#endif
