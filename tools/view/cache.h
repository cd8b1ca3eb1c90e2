/*
 * cache.h - keeps the viewer's model of a log in a file beside it: LOG.view.
 *
 * Reading a log of 100 million events takes seconds; reading this takes a part of one. It belongs
 * to the log's contents: their size and digest are in it. A cache that is damaged, of another log
 * or of another version is not used and will be replaced; one that cannot be written is not
 * written. None of that is worth a message.
 */
#ifndef VIEW_CACHE_H
#define VIEW_CACHE_H

#include "log/log_io.h"
#include "model.h"

enum { CACHE_LEAST_EVENTS = 1000000 }; /* a smaller log is read in no time */

/*
 * Completes the model of a log that was opened but not read, as if all was read. False: it is
 * unchanged.
 */
bool cache_read(struct model *m);

/* Whether the log, which was read to its end, is large enough for a cache. */
bool cache_is_due(const struct model *m);

/* Writes the cache if possible. Does not change the model. */
void cache_write(const struct model *m);

/*
 * Write and read the contents, uncompressed; false: they are impossible, and the model must be
 * closed.
 */
void cache_pack(const struct model *m, struct log_bytes *to);
bool cache_unpack(struct model *m, const uint8_t *bytes, size_t len);

#endif
