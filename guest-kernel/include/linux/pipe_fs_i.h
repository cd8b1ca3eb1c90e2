/* pipe_fs_i.h - the buffer of a pipe. */
#ifndef LINUX_PIPE_FS_I_H
#define LINUX_PIPE_FS_I_H

#include <linux/mutex.h>
#include <linux/wait.h>

/* Capacity in bytes. Writes of up to PIPE_BUF bytes are atomic. */
#define PIPE_SIZE 16384
#define PIPE_BUF  4096

struct pipe_inode_info {
    struct mutex mutex; /* guards all members */
    struct wait_queue_head rd_wait, wr_wait;
    unsigned int head, tail; /* total bytes written and read; the difference is in the buffer */
    unsigned int readers, writers;
    char *buf;
};

/*
 * For splice(). They lock the pipe and return how many bytes have room, or are there: at least
 * `room`, or one. 0: there will be no data. Or, without the lock: -EAGAIN, -EINTR, -EPIPE.
 */
ssize_t pipe_lock_with_room(struct pipe_inode_info *pipe, size_t room, bool nonblock);
ssize_t pipe_lock_with_data(struct pipe_inode_info *pipe, bool nonblock);
/* With the lock: copy to and from the pipe. Return how many bytes. */
size_t pipe_put(struct pipe_inode_info *pipe, const char *buf, size_t count);
size_t pipe_peek(struct pipe_inode_info *pipe, char *buf, size_t count);
void pipe_drop(struct pipe_inode_info *pipe, size_t count); /* that were peeked at */
/* Unlock, and wake who waits for what was done. */
void pipe_unlock_written(struct pipe_inode_info *pipe);
void pipe_unlock_read(struct pipe_inode_info *pipe);

#endif
