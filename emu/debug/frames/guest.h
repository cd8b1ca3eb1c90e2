/*
 * guest.h - what frames, tasks and names of places are read from: the machine, and the symbols and
 * debug information of its image.
 */
#ifndef DEBUG_GUEST_H
#define DEBUG_GUEST_H

struct debug_info;
struct lines;
struct machine;
struct members;
struct symbols;
struct target;
struct tasks;
struct watch;

/* Everything in it must outlive its users. */
struct guest {
    struct target *target;
    struct machine *machine;
    const struct symbols *symbols; /* may be empty, and NULL */
    struct debug_info *info;
    struct members *members;
    const struct watch *ftrace; /* sites and calls; NULL: none are known */
    struct tasks *tasks;        /* NULL: names of tasks are not known */
};

#endif
