/*
 * site.h - a list of call sites of an object, each given by section and offset.
 */
#ifndef RECORDMCOUNT_SITE_H
#define RECORDMCOUNT_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct site {
    size_t section;
    uint64_t offset;
};

struct site_list {
    struct site *at;
    size_t count, room;
};

/* Adds a site. Returns 0, or EX_SOFTWARE after a message with `path`. The caller frees l->at. */
__attribute__((warn_unused_result)) int site_list_add(struct site_list *l, const char *path,
                                                      struct site s);
void site_list_sort(struct site_list *l);
bool site_lists_equal(const struct site_list *a, const struct site_list *b);

/* These two need a sorted list, the second one also without overlaps. */
bool site_list_has_section(const struct site_list *l, size_t section);
/* The site whose eight bytes contain `place`, or NULL. */
const struct site *site_list_find(const struct site_list *l, struct site place);

#endif
