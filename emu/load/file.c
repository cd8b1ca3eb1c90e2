/*
 * file.c - see file.h.
 */
#include "load/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/hash.h"

/* A larger file is not an image, but for example a disk or /dev/zero. */
#define FILE_BYTES_MAX (UINT64_C(4) << 30)

/* Appends the bytes of one read(). Returns as read() does: 0 at the end, -1 with errno. */
static ssize_t read_more(int fd, struct file *f, size_t *room)
{
    ssize_t got;

    if (f->size == *room) {
        *room *= 2;
        f->bytes = xrealloc(f->bytes, *room);
    }
    do
        got = read(fd, f->bytes + f->size, *room - f->size);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        f->size += (size_t)got;
    return got;
}

/* The size of the file; 0: not known before it is read (a pipe). */
static uint64_t size_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

static enum exit_status refuse_size(const char *path, const struct diag *d, struct file *f)
{
    diag_error(d, "%s: has more than 4 GiB; give an image or a symbol file", path);
    file_free(f);
    return EXIT_BAD_FILE;
}

/* Returns the descriptor, or -1 with *status set and a message given. */
static int open_file(const char *path, const struct diag *d, enum exit_status *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *status = EXIT_PASS;
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        diag_error(d, "%s: no such file; check the path", path);
        *status = EXIT_NO_FILE;
    } else if (fd < 0) {
        diag_error(d, "%s: cannot be opened: %s; check its permissions", path, strerror(errno));
        *status = EXIT_IO;
    }
    return fd;
}

static enum exit_status cannot_read(const char *path, int reason, const struct diag *d)
{
    diag_error(d, "%s: cannot be read: %s; give a readable file", path, strerror(reason));
    return EXIT_IO;
}

/* Moves *at to the next data at or after it, past a hole; returns the end of it, -1: no more data.
 */
static off_t find_data(int fd, off_t *at, off_t size)
{
    off_t data = lseek(fd, *at, SEEK_DATA), hole;

    if (data < 0 && errno == ENXIO)
        return -1;
    if (data > *at && data < size)
        *at = data;
    hole = lseek(fd, *at, SEEK_HOLE);
    return hole > *at && hole < size ? hole : size;
}

/*
 * Reads a file of known size without its holes: they are zeroes in the buffer and take no memory.
 * False: errno is set.
 */
static bool read_data(int fd, struct file *f, uint64_t size)
{
    off_t at = 0, end = 0;
    ssize_t got;

    f->bytes = xcalloc(size + 1, 1);
    alloc_is_large(f->bytes, size);
    while ((uint64_t)at < size) {
        if (at >= end && (end = find_data(fd, &at, (off_t)size)) < 0)
            break;
        got = pread(fd, f->bytes + at, (size_t)(end - at), at);
        if (got < 0 && errno != EINTR)
            return false;
        if (!got) {
            size = (uint64_t)at; /* the file was truncated meanwhile */
            break;
        }
        at += got > 0 ? got : 0;
    }
    f->size = (size_t)size;
    return true;
}

/* Reads a pipe or the like, up to its end or FILE_BYTES_MAX. */
static bool read_stream(int fd, struct file *f)
{
    size_t room = 1 << 16;
    ssize_t got;

    f->bytes = xmalloc(room);
    do
        got = read_more(fd, f, &room);
    while (got > 0 && f->size <= FILE_BYTES_MAX);
    return got >= 0;
}

static enum exit_status read_all(int fd, const char *path, const struct diag *d, struct file *f)
{
    uint64_t size = size_of(fd);
    int reason;

    *f = (struct file){0};
    if (size > FILE_BYTES_MAX)
        return refuse_size(path, d, f);
    if (!(size ? read_data(fd, f, size) : read_stream(fd, f))) {
        reason = errno;
        file_free(f);
        return cannot_read(path, reason, d);
    }
    return f->size > FILE_BYTES_MAX ? refuse_size(path, d, f) : EXIT_PASS;
}

enum exit_status file_read(const char *path, const struct diag *d, struct file *out)
{
    enum exit_status status;
    struct file f;
    int fd = open_file(path, d, &status);

    if (fd < 0)
        return status;
    status = read_all(fd, path, d, &f);
    close(fd);
    if (status == EXIT_PASS)
        *out = f;
    return status;
}

/* Whether the file can be read twice, once for the hash and once for its contents. */
static bool is_rereadable(const char *path)
{
    struct stat st;

    return stat(path, &st) || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode) || S_ISDIR(st.st_mode);
}

/* The descriptor of a file that can be read twice, or -1 as open_file. */
static int open_rereadable(const char *path, const struct diag *d, enum exit_status *status)
{
    if (is_rereadable(path))
        return open_file(path, d, status);
    diag_error(d, "%s: can be read only once; give a file", path);
    *status = EXIT_IO;
    return -1;
}

enum exit_status file_hash(const char *path, const struct diag *d, uint64_t *hash)
{
    enum { CHUNK_BYTES = 1 << 20 };
    enum exit_status status;
    uint8_t *chunk;
    ssize_t got;
    int fd;

    fd = open_rereadable(path, d, &status);
    if (fd < 0)
        return status;
    chunk = xmalloc(CHUNK_BYTES);
    *hash = FNV1A_START;
    while ((got = read(fd, chunk, CHUNK_BYTES)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            *hash = fnv1a(*hash, chunk, (size_t)got);
    if (got < 0)
        status = cannot_read(path, errno, d);
    free(chunk);
    close(fd);
    return status;
}

/* Reads up to `len` bytes, fewer only at the end of the file; -1 with errno. */
static ssize_t read_chunk(int fd, uint8_t *to, size_t len, off_t at)
{
    size_t done = 0;

    while (done < len) {
        ssize_t got = pread(fd, to + done, len - done, at + (off_t)done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (!got)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* Computes the digest in chunks that begin at whole pages. */
static enum exit_status digest_file(int fd, const char *path, const struct diag *d,
                                    uint64_t *digest)
{
    enum { CHUNK_BYTES = 1 << 20 };
    off_t size = lseek(fd, 0, SEEK_END), end = 0;
    enum exit_status status = size < 0 ? cannot_read(path, errno, d) : EXIT_PASS;
    uint8_t *chunk = xmalloc(CHUNK_BYTES);
    ssize_t got;

    *digest = 0;
    for (off_t at = 0; status == EXIT_PASS && at < size; at += got) {
        if (at >= end && (end = find_data(fd, &at, size)) < 0)
            break;
        at -= at % DIGEST_PAGE_BYTES;
        got = read_chunk(fd, chunk, CHUNK_BYTES, at);
        if (got < 0)
            status = cannot_read(path, errno, d);
        else if (!got)
            break;
        else
            *digest = digest_pages(*digest, (uint64_t)at / DIGEST_PAGE_BYTES, chunk, (size_t)got);
    }
    *digest = digest_end(*digest, (uint64_t)size);
    free(chunk);
    return status;
}

enum exit_status file_digest(const char *path, const struct diag *d, uint64_t *digest)
{
    enum exit_status status;
    int fd = open_rereadable(path, d, &status);

    if (fd < 0)
        return status;
    status = digest_file(fd, path, d, digest);
    close(fd);
    return status;
}

int file_create(const char *path, const struct diag *d)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        diag_error(d, "%s: cannot be created: %s; check its directory and permissions", path,
                   strerror(errno));
    return fd;
}

void file_free(struct file *f)
{
    free(f->bytes);
    *f = (struct file){0};
}
