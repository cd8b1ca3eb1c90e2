/*
 * frame.h - bytes compressed by zstd, as one frame with the size and a checksum of its contents.
 */
#ifndef BASE_FRAME_H
#define BASE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* The most bytes that the frame of `size` bytes can need. */
size_t frame_bound(size_t size);

/* Compresses the bytes into `to`, which has frame_bound(size) bytes. Returns the frame's size. */
size_t frame_pack(const void *bytes, size_t size, void *to);

/*
 * The inverse. False: it is no such frame of `size` bytes, or the checksum is wrong; the contents
 * of `to` are then not specified.
 */
MUST_USE bool frame_unpack(const void *frame, size_t frame_size, void *to, size_t size);

/*
 * The same with a context of zstd, for many frames: to make one asks the CPU for its features,
 * which on a virtual machine takes longer than to unpack a small frame.
 */
struct ZSTD_DCtx_s;
MUST_USE bool frame_unpack_with(struct ZSTD_DCtx_s *z, const void *frame, size_t frame_size,
                                void *to, size_t size);

#endif
