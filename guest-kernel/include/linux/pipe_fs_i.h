/* pipe_fs_i.h - what stands behind the two ends of a pipe. */
#ifndef LINUX_PIPE_FS_I_H
#define LINUX_PIPE_FS_I_H

#include <linux/mutex.h>
#include <linux/wait.h>

/* Capacity in bytes; a write of up to PIPE_BUF is never mixed with others'. */
#define PIPE_SIZE 16384
#define PIPE_BUF  4096

struct pipe_inode_info {
    struct mutex mutex; /* guards all of it */
    struct wait_queue_head rd_wait, wr_wait;
    unsigned int head, tail; /* bytes ever written and read; their difference is what is there */
    unsigned int readers, writers;
    char *buf;
};

#endif
