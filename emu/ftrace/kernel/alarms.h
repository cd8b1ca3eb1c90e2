/*
 * alarms.h - calls back when the kernel itself notices that something is wrong: it panics, warns,
 * reports an exception of its own code, or turns ftrace off because of an error.
 */
#ifndef FTRACE_ALARMS_H
#define FTRACE_ALARMS_H

#include <stdbool.h>
#include <stdint.h>

struct alarms;
struct cluster;
struct hart;
struct image;
struct symbols;

/* The graver ones come last. */
enum alarm_kind {
    ALARM_WARNING,
    ALARM_STALL,  /* a task or hart makes no progress, says the kernel */
    ALARM_FTRACE, /* ftrace or its graph tracer is turned off */
    ALARM_OOPS,   /* an exception of the kernel's own code */
    ALARM_PANIC,
    ALARM_KINDS,
};

enum { ALARM_TEXT_MAX = 120 };

struct alarm {
    enum alarm_kind kind;
    bool printed;         /* it is known by a message that is printed */
    bool nested;          /* a function that raised an alarm has called this one */
    const char *function; /* that was called */
    uint64_t caller;      /* an address in the call of that function */
    uint64_t place; /* of the code that it is about; 0: where the hart took its last exception */
    uint64_t site;  /* ftrace_bug(): the site that is not as expected; 0: none */
    char text[ALARM_TEXT_MAX]; /* what the kernel says, in one line; "": nothing is known */
};

typedef void alarm_raised(void *ctx, struct hart *h, const struct alarm *alarm);

/* Image and symbols must outlive it. Never NULL. */
struct alarms *alarms_new(struct cluster *c, const struct image *im, const struct symbols *symbols,
                          alarm_raised *raised, void *ctx);
void alarms_free(struct alarms *a); /* NULL is allowed */

#endif
