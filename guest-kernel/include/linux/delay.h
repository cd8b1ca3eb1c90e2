/* delay.h - sleeping for a time. */
#ifndef LINUX_DELAY_H
#define LINUX_DELAY_H

void msleep(unsigned int msecs);

#endif
