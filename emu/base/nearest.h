/*
 * nearest.h - the name that the user may have meant: of those offered, the one that takes the
 * fewest changes of a letter, two exchanged neighbours being one.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

struct nearest {
    const char *wrong; /* what the user wrote */
    const char *found; /* NULL: nothing is near enough */
    unsigned distance;
};

static inline struct nearest nearest_to(const char *wrong)
{
    return (struct nearest){.wrong = wrong};
}

/* Offers a name, which must outlive `n`. Of equally near ones the first is kept. */
void nearest_offer(struct nearest *n, const char *name);

#endif
