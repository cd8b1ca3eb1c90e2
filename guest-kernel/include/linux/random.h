/* random.h - numbers nobody should rely on: the same in every run. */
#ifndef LINUX_RANDOM_H
#define LINUX_RANDOM_H

#include <linux/types.h>

void get_random_bytes(void *buf, size_t len);

#endif
