/*
 * dat_bytes.h - writes the parts that all trace.dat files have: numbers, the magic, and the heads
 * of pages and entries.
 */
#ifndef EXPORT_DAT_BYTES_H
#define EXPORT_DAT_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "log/log_io.h"

enum { DAT_PAGE = 4096 };

void dat_put(struct log_bytes *b, uint64_t value, unsigned size);
void dat_put_sized(struct log_bytes *b, const void *bytes, size_t len, unsigned size);
void dat_put_zeroes(struct log_bytes *b, size_t len);

/* Writes the first bytes, for version "6" or "7". */
void dat_put_begin(struct log_bytes *b, const char *version);

/* Writes header_page and header_event. */
void dat_put_headers(struct log_bytes *b);

#endif
