/*
 * json.h - writes JSON to a stream, value by value, so that memory does not grow with the text.
 *
 * Compact, without blanks; json_line asks for a line break before the next value. Numbers are
 * exact over all 64 bits. Strings may be any bytes: invalid UTF-8 becomes U+FFFD. The caller
 * opens and closes objects and arrays in order (asserted), and checks the stream's error flag at
 * the end.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 16 };

struct json {
    FILE *out;
    unsigned depth;
    char closing[JSON_DEPTH_MAX];  /* '}' or ']' of each open object or array */
    bool has_some[JSON_DEPTH_MAX]; /* it has a value already */
    int indent;                    /* of the next value, on a new line; -1: on the same line */
};

static inline struct json json_to(FILE *out)
{
    return (struct json){.out = out, .indent = -1};
}

/* `name` is NULL in an array, and for the outermost value. */
void json_begin_object(struct json *j, const char *name);
void json_begin_array(struct json *j, const char *name);
void json_end(struct json *j); /* the innermost one that is open */

/* The next value, or the next end, begins a new line with `indent` blanks. */
void json_line(struct json *j, unsigned indent);

void json_number(struct json *j, const char *name, uint64_t value);
void json_signed(struct json *j, const char *name, int64_t value);
void json_hex(struct json *j, const char *name, uint64_t value);    /* a string: "0x80000000" */
void json_text(struct json *j, const char *name, const char *text); /* NULL: null */
void json_bool(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);

#endif
