/* regex.h - POSIX regular expressions, basic and extended. */
#ifndef SH_REGEX_H
#define SH_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct regex;

/* Returns ERR_PTR(-EINVAL) for an invalid expression, ERR_PTR(-ENOMEM) without memory. */
struct regex *regex_compile(const char *pattern, bool extended, bool ignore_case);
/* Returns whether there is a match anywhere in the line. */
bool regex_search(struct regex *re, const char *line, size_t len);
void regex_free(struct regex *re);

#endif
