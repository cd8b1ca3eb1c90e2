/*
 * log_values.h - arguments and results in a frame of events: how they are encoded, and definitions
 * of prototypes, for the writer and the reader.
 */
#ifndef LOG_VALUES_H
#define LOG_VALUES_H

#include "log/log_format.h"
#include "log/log_io.h"

/* The kinds of definitions. */
enum log_definition {
    DEF_STRING = 1,
    DEF_TASK,
    DEF_SITE,
    DEF_LINE,
    DEF_ENUMERATION, /* from version 3 on, as those after it */
    DEF_PROTOTYPE,
};

/*
 * The last values of each function: a value is written as the difference to that before it. A table
 * of fixed size; a function that finds another one in its place begins with zeroes.
 */
struct log_last_values;

struct log_last_values *log_last_values_new(void);
void log_last_values_free(struct log_last_values *l); /* NULL is allowed */

/* Forgets them: at the begin of each frame. */
void log_last_values_clear(struct log_last_values *l);

/* Writes or reads the values of a call of the site's function, or of its return (`result'). */
void log_values_io(struct log_io *io, struct log_last_values *last, uint32_t site, bool result,
                   struct log_values *v);

/* Writes or reads the definition of a prototype. */
void log_prototype_io(struct log_io *io, struct log_prototype *p);

#endif
