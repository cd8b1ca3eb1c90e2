/*
 * new_file.c - see new_file.h.
 *
 * PATH.part has a fixed name, so that it can be found after a kill and files do not accumulate. A
 * lock on it prevents two runs from writing to one file.
 */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* ---- the open files of the process ---- */

struct open_part {
    struct open_part *next;
    char *name;
    bool lasting;
};

/* For the end of the process, which is not the end of one machine. */
static struct {
    pthread_mutex_t lock;
    struct open_part *first;
} open_parts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_part(const char *name)
{
    struct open_part *p = xmalloc(sizeof *p);

    *p = (struct open_part){.name = xstrdup(name)};
    pthread_mutex_lock(&open_parts.lock);
    p->next = open_parts.first;
    open_parts.first = p;
    pthread_mutex_unlock(&open_parts.lock);
}

static void drop_part(const char *name)
{
    struct open_part **at = &open_parts.first, *gone;

    pthread_mutex_lock(&open_parts.lock);
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    gone = *at;
    if (gone)
        *at = gone->next;
    pthread_mutex_unlock(&open_parts.lock);
    if (gone)
        free(gone->name);
    free(gone);
}

void new_file_is_lasting(const struct new_file *f)
{
    pthread_mutex_lock(&open_parts.lock);
    for (struct open_part *p = open_parts.first; f->part && p; p = p->next)
        p->lasting |= !strcmp(p->name, f->part);
    pthread_mutex_unlock(&open_parts.lock);
}

const char *new_files_remove(void)
{
    const char *left = NULL;
    struct stat st;

    pthread_mutex_lock(&open_parts.lock);
    for (const struct open_part *p = open_parts.first; p; p = p->next)
        if (!p->lasting || stat(p->name, &st) || !st.st_size)
            unlink(p->name);
        else if (!left)
            left = p->name;
    pthread_mutex_unlock(&open_parts.lock);
    return left;
}

static bool cannot_create(const struct diag *d, const char *path, int reason)
{
    diag_error(d, "%s: cannot be created: %s; check its directory and permissions", path,
               strerror(reason));
    return false;
}

static bool open_directly(struct new_file *f, const struct diag *d)
{
    bool standard = strcmp(f->path, "-") == 0;

    f->fd = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                     : open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (f->fd >= 0)
        return true;
    if (!standard)
        return cannot_create(d, f->path, errno);
    diag_error(d, "standard output: %s", strerror(errno));
    return false;
}

/* Whether another file may replace the one with this name; *old: its stat, if there is one. */
static bool is_replaceable(const char *path, struct stat *old)
{
    struct stat link;

    if (stat(path, old) == 0)
        return S_ISREG(old->st_mode);
    old->st_mode = 0;
    /* A dangling link: the file is created where it points to. */
    return path[0] && strcmp(path, "-") != 0 && lstat(path, &link) != 0;
}

/* Whether the descriptor's file still has the name: the former owner of the lock may have renamed
 * it.
 */
static bool has_name(int fd, const char *name)
{
    struct stat mine, named;

    return !fstat(fd, &mine) && !stat(name, &named) && mine.st_ino == named.st_ino &&
           mine.st_dev == named.st_dev;
}

/* The descriptor, locked where files can be; -1 with errno, EWOULDBLOCK: another run has it. */
static int open_part(const char *part)
{
    for (;;) {
        int fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        bool taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

        if (fd < 0 || (!taken && has_name(fd, part)))
            return fd;
        close(fd);
        if (taken) {
            errno = EWOULDBLOCK;
            return -1;
        }
    }
}

static void forget_names(struct new_file *f)
{
    if (f->part)
        drop_part(f->part);
    free(f->final);
    free(f->part);
    f->final = f->part = NULL;
}

/* Truncates what a killed run has left, and sets the permissions of the file to be replaced. */
static bool take_part(struct new_file *f, const struct stat *old)
{
    struct stat part;

    return !fstat(f->fd, &part) && S_ISREG(part.st_mode) && !ftruncate(f->fd, 0) &&
           (!S_ISREG(old->st_mode) || !fchmod(f->fd, old->st_mode & 07777));
}

static bool open_beside(struct new_file *f, const struct stat *old, const struct diag *d)
{
    int reason;

    f->fd = open_part(f->part);
    if (f->fd >= 0 && take_part(f, old)) {
        add_part(f->part);
        return true;
    }
    reason = f->fd < 0 ? errno : EEXIST;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    if (S_ISREG(old->st_mode) && (reason == EACCES || reason == EROFS || reason == EPERM)) {
        forget_names(f); /* the directory is not writable, but the file itself is */
        return open_directly(f, d);
    }
    if (reason == EWOULDBLOCK)
        diag_error(d,
                   "%s: is being written already; give each run and each option a file of its own",
                   f->part);
    else
        cannot_create(d, reason == ENOENT || reason == ENOTDIR ? f->path : f->part, reason);
    forget_names(f);
    return false;
}

bool new_file_open(struct new_file *f, const char *path, const struct diag *d)
{
    struct stat old;
    char *real;

    *f = (struct new_file){.path = path, .fd = -1};
    if (!is_replaceable(path, &old))
        return open_directly(f, d);
    if (S_ISREG(old.st_mode) && access(path, W_OK))
        return cannot_create(d, path, errno);
    real = realpath(path, NULL); /* the file itself, not a symbolic link to it */
    f->final = real ? real : xstrdup(path);
    f->part = xasprintf("%s.part", f->final);
    return open_beside(f, &old, d);
}

FILE *new_file_stream(struct new_file *f)
{
    if (!f->stream)
        f->stream = fdopen(f->fd, "w");
    return f->stream;
}

const char *new_file_name(const struct new_file *f)
{
    return f->part ? f->part : f->path;
}

/* Flushes the file; false, with errno: it is incomplete. */
static bool is_whole(const struct new_file *f)
{
    if (f->stream && (fflush(f->stream) || ferror(f->stream)))
        return false;
    return !f->part || !fsync(f->fd) || errno == EINVAL; /* EINVAL: this file system has no fsync */
}

static bool close_file(struct new_file *f)
{
    bool closed = !(f->stream ? fclose(f->stream) : close(f->fd));

    f->fd = -1;
    f->stream = NULL;
    return closed;
}

static bool fail(struct new_file *f, const char *remedy, const struct diag *d)
{
    diag_error(d, "%s: %s%s", strcmp(f->path, "-") ? f->path : "standard output", strerror(errno),
               remedy);
    new_file_leave(f);
    return false;
}

/* Renames while the file is locked: otherwise another run could use the name in between. */
bool new_file_commit(struct new_file *f, const struct diag *d)
{
    if (!is_whole(f)) {
        int reason = errno;

        if (f->part)
            unlink(f->part);
        errno = reason;
        return fail(f, errno == ENOSPC ? "; make room there, or give another place" : "", d);
    }
    if (f->part && rename(f->part, f->final))
        return fail(f, "; all of it is in the file of that name and `.part'", d);
    forget_names(f);
    return close_file(f) || fail(f, "", d);
}

void new_file_leave(struct new_file *f)
{
    if (f->fd >= 0)
        (void)close_file(f);
    forget_names(f);
}

void new_file_discard(struct new_file *f)
{
    if (f->fd >= 0 && f->part)
        unlink(f->part);
    new_file_leave(f);
}
