/*
 * log_frames.h - the frames of a log in its file: compression, checksums, the index at the end.
 */
#ifndef LOG_FRAMES_H
#define LOG_FRAMES_H

#include "base/compiler.h"
#include "log/log_format.h"
#include "log/log_io.h"

struct log_frames;

/* Begins the file. */
struct log_frames *log_frames_new(int fd, unsigned version);
void log_frames_free(struct log_frames *f); /* NULL is allowed */

/*
 * Writes a frame with these bytes, and empties them. Of `head` the members kind, events, first,
 * last and harts_low are used.
 */
void log_frames_put(struct log_frames *f, const struct log_frame_head *head,
                    struct log_bytes *bytes);

/* Writes the index. Returns errno of the first failure, or 0. */
MUST_USE int log_frames_end(struct log_frames *f);

/* errno of the first failure, or 0. */
int log_frames_failure(const struct log_frames *f);

/*
 * The number in the file, from 1, of the run's last frame of events; 0: none. When the machine goes
 * back to it, the next frame follows it, and those in between are no longer frames of the run.
 */
uint32_t log_frames_last(const struct log_frames *f);
void log_frames_go_back(struct log_frames *f, uint32_t last);

uint64_t log_frames_bytes(const struct log_frames *f);

/*
 * Makes the bytes of a frame's head, and a head of bytes; false: they are not a head, or it is
 * damaged.
 */
void log_head_pack(const struct log_frame_head *head, uint8_t bytes[LOG_FRAME_HEAD_BYTES]);
MUST_USE bool log_head_unpack(const uint8_t bytes[LOG_FRAME_HEAD_BYTES],
                              struct log_frame_head *head);

#endif
