/* random.h - pseudo-random numbers, the same in every run: not for secrets. */
#ifndef LINUX_RANDOM_H
#define LINUX_RANDOM_H

#include <linux/types.h>

void get_random_bytes(void *buf, size_t len);

#endif
