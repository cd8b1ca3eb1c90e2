/*
 * log_lines.h - looks up the source lines of a log's sites in the debug information, on a thread of
 * its own while the machine runs: it takes as long as a short run.
 */
#ifndef LOG_LOG_LINES_H
#define LOG_LOG_LINES_H

#include <stddef.h>
#include <stdint.h>

struct lines;
struct log_lines;

/* A site, and the address before which its function must begin. */
struct log_lines_site {
    uint64_t va, before;
};

/*
 * Begins the look-up in `lines', which are for it only. Both are freed: the sites, from malloc,
 * when all are looked up, and the lines with the result.
 */
struct log_lines *log_lines_new(struct lines *lines, struct log_lines_site *sites, size_t count);

/* Waits for all lines, and calls back for each that was found, in order. */
void log_lines_each(struct log_lines *l,
                    void (*known)(void *ctx, uint32_t site, const char *file, uint32_t line),
                    void *ctx);

void log_lines_free(struct log_lines *l); /* NULL is allowed */

#endif
