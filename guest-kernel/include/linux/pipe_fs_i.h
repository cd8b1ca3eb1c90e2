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

#endif
