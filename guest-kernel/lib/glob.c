/* glob.c - shell patterns, matched without recursion: only the last `*` is ever retried. */
#include <linux/glob.h>
#include <linux/string.h>

/*
 * Matches c against the class after '['. Returns the pattern after ']', or NULL if this is no
 * class.
 */
static const char *match_class(const char *pat, char c, bool *hit)
{
    bool inverted = *pat == '!'; /* `^` is an ordinary character, as in Linux */
    const char *first;

    pat += inverted;
    *hit = false;
    for (first = pat; *pat && (*pat != ']' || pat == first); pat++) {
        char low = *pat, high = low;

        if (pat[1] == '-' && pat[2] && pat[2] != ']') {
            high = pat[2];
            pat += 2;
        }
        if (c >= low && c <= high)
            *hit = true;
    }
    if (!*pat)
        return NULL;
    *hit ^= inverted;
    return pat + 1;
}

/* Matches c against one element of pat. Returns the pattern after the element, or NULL. */
static const char *match_one(const char *pat, char c)
{
    const char *after;
    bool hit;

    if (*pat == '?')
        return pat + 1;
    if (*pat == '[') {
        after = match_class(pat + 1, c, &hit);
        if (after)
            return hit ? after : NULL;
    }
    if (*pat == '\\' && pat[1])
        pat++;
    return *pat == c ? pat + 1 : NULL;
}

bool glob_match(const char *pat, const char *str)
{
    return glob_match_len(pat, str, strlen(str));
}

bool glob_match_len(const char *pat, const char *str, size_t len)
{
    const char *back_pat = NULL, *back_str = NULL, *end = str + len;

    while (str < end) {
        const char *next;

        if (*pat == '*') {
            back_pat = ++pat;
            back_str = str;
            continue;
        }
        next = match_one(pat, *str);
        if (next) {
            pat = next;
            str++;
        } else if (back_pat) {
            pat = back_pat;
            str = ++back_str;
        } else {
            return false;
        }
    }
    while (*pat == '*')
        pat++;
    return !*pat;
}
