/* glob.h - shell patterns. */
#ifndef LINUX_GLOB_H
#define LINUX_GLOB_H

#include <linux/types.h>

/*
 * Returns whether pat matches the whole of str. Supports `*`, `?`, `[a-z]`, `[!x]` and
 * backslash.
 */
bool glob_match(const char *pat, const char *str);
/* The same for a string of len characters, without a NUL. */
bool glob_match_len(const char *pat, const char *str, size_t len);

#endif
