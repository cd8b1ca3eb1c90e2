/* glob.h - shell patterns. */
#ifndef LINUX_GLOB_H
#define LINUX_GLOB_H

#include <linux/types.h>

/* Does the whole of str match pat?  `*`, `?`, `[a-z]`, `[!x]` and backslash. */
bool glob_match(const char *pat, const char *str);

#endif
