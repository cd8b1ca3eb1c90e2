/* glob.h - shell patterns. */
#ifndef LINUX_GLOB_H
#define LINUX_GLOB_H

#include <linux/types.h>

/*
 * Returns whether pat matches the whole of str. Supports `*`, `?`, `[a-z]`, `[!x]` and
 * backslash.
 */
bool glob_match(const char *pat, const char *str);

#endif
