/* regex.h - POSIX regular expressions: the basic ones, or the extended. */
#ifndef SH_REGEX_H
#define SH_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct regex;

/* ERR_PTR(-EINVAL): not a regular expression. */
struct regex *regex_compile(const char *pattern, bool extended, bool ignore_case);
/* Is there a match anywhere in the line? */
bool regex_search(struct regex *re, const char *line, size_t len);
void regex_free(struct regex *re);

#endif
