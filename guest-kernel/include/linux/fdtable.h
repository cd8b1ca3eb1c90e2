/*
 * fdtable.h - file descriptors.
 *
 * A task's table (task->files) may be shared. Kernel threads share init_files; a thread that
 * needs its own descriptors calls unshare_files() first.
 */
#ifndef LINUX_FDTABLE_H
#define LINUX_FDTABLE_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/spinlock.h>

#define NR_OPEN_DEFAULT 64

struct task_struct;

struct files_struct {
    atomic_t count;
    spinlock_t file_lock;
    struct file *fd[NR_OPEN_DEFAULT]; /* under file_lock, like close_on_exec */
    u64 close_on_exec;                /* one bit per descriptor */
};

extern struct files_struct init_files;

/* Reserves the lowest free descriptor until fd_install() or put_unused_fd(); or -EMFILE. */
int get_unused_fd_flags(unsigned int flags);
void put_unused_fd(unsigned int fd);
void fd_install(unsigned int fd, struct file *file); /* takes the reference over */
struct file *fget(unsigned int fd);                  /* referenced, or NULL */
int close_fd(unsigned int fd);
int do_dup(unsigned int fd, unsigned int from,
           unsigned int flags); /* lowest free descriptor >= from */
/* Makes fd refer to file, with a new reference; closes what was open there. */
int replace_fd(unsigned int fd, struct file *file, unsigned int flags);
int ksys_dup3(unsigned int oldfd, unsigned int newfd, int flags);
bool get_close_on_exec(unsigned int fd);
void set_close_on_exec(unsigned int fd, bool flag);
int do_pipe_flags(int *fd, int flags);

struct files_struct *get_files_struct(struct files_struct *files);
struct files_struct *dup_fd(struct files_struct *old); /* NULL: no memory */
void put_files_struct(struct files_struct *files);
/* Gives current its own copy of the table if it is shared. 0 or -ENOMEM. */
int unshare_files(void);
void exit_files(struct task_struct *task);
void do_close_on_exec(struct files_struct *files);

#endif
