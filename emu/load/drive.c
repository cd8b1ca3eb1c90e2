/*
 * drive.c - see drive.h. A snapshot holds the pages that were written in a map.
 */
#include "load/drive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/page_list.h"
#include "base/state_io.h"
#include "base/versions.h"

enum { PAGE = 4096 };

struct drive {
    int fd;
    enum drive_mode mode;
    uint64_t size;
    const char *path;
    const struct diag *diag;
    bool complained;
    struct map pages;          /* DRIVE_SNAPSHOT: page number -> its bytes */
    struct versions *versions; /* NULL: none was ever taken */
};

static bool complain(struct drive *d, const char *what)
{
    if (!d->complained)
        diag_error(d->diag, "%s: %s: %s", d->path, what, strerror(errno));
    d->complained = true;
    return false;
}

static bool read_file(struct drive *d, uint64_t offset, uint8_t *to, size_t len)
{
    while (len) {
        ssize_t n = pread(d->fd, to, len, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENODATA; /* another process has truncated the file */
        if (n <= 0)
            return complain(d, "cannot be read");
        to += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return true;
}

static bool write_file(struct drive *d, uint64_t offset, const uint8_t *from, size_t len)
{
    while (len) {
        ssize_t n = pwrite(d->fd, from, len, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return complain(d, "cannot be written");
        from += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return true;
}

/* ---- snapshots ---- */

static size_t left_in_page(uint64_t offset, size_t len)
{
    size_t left = PAGE - (size_t)(offset % PAGE);

    return left < len ? left : len;
}

static bool read_snapshot(struct drive *d, uint64_t offset, uint8_t *to, size_t len)
{
    for (size_t piece; len; offset += piece, to += piece, len -= piece) {
        const uint8_t *page = map_get_ptr(&d->pages, offset / PAGE);

        piece = left_in_page(offset, len);
        if (page)
            memcpy(to, page + offset % PAGE, piece);
        else if (!read_file(d, offset, to, piece))
            return false;
    }
    return true;
}

/* The snapshot's copy of a page, made from the file if it is new. NULL: the file cannot be read. */
static uint8_t *own_page(struct drive *d, uint64_t number)
{
    uint8_t *page = map_get_ptr(&d->pages, number);
    uint64_t left = d->size - number * PAGE;

    if (page)
        return page;
    page = xcalloc(1, PAGE);
    if (!read_file(d, number * PAGE, page, left < PAGE ? (size_t)left : PAGE)) {
        free(page);
        return NULL;
    }
    map_put_ptr(&d->pages, number, page);
    return page;
}

static bool write_snapshot(struct drive *d, uint64_t offset, const uint8_t *from, size_t len)
{
    for (size_t piece; len; offset += piece, from += piece, len -= piece) {
        uint8_t *page = own_page(d, offset / PAGE);

        if (!page)
            return false;
        piece = left_in_page(offset, len);
        memcpy(page + offset % PAGE, from, piece);
    }
    return true;
}

/* ---- interface of the block device ---- */

bool drive_read(void *drive, uint64_t offset, void *to, size_t len)
{
    struct drive *d = drive;

    return d->mode == DRIVE_SNAPSHOT ? read_snapshot(d, offset, to, len)
                                     : read_file(d, offset, to, len);
}

static bool write_contents(struct drive *d, uint64_t offset, const void *from, size_t len)
{
    return d->mode == DRIVE_SNAPSHOT ? write_snapshot(d, offset, from, len)
                                     : write_file(d, offset, from, len);
}

bool drive_write(void *drive, uint64_t offset, const void *from, size_t len)
{
    struct drive *d = drive;

    if (d->versions && versions_exist(d->versions))
        for (uint64_t page = offset / PAGE; page * PAGE < offset + len; page++)
            versions_keep(d->versions, page);
    return write_contents(d, offset, from, len);
}

bool drive_flush(void *drive)
{
    struct drive *d = drive;

    return d->mode != DRIVE_WRITABLE || !fdatasync(d->fd) || complain(d, "cannot be flushed");
}

uint64_t drive_size(const struct drive *drive)
{
    return drive->size;
}

/* ---- versions ---- */

static size_t page_size(const struct drive *d, uint64_t page)
{
    return left_in_page(page * PAGE, (size_t)(d->size - page * PAGE));
}

static bool page_io(void *drive, uint64_t page, struct state_io *io)
{
    struct drive *d = drive;
    uint8_t bytes[PAGE];
    size_t size = page_size(d, page);
    bool done = io->loading || drive_read(d, page * PAGE, bytes, size);

    if (!done)
        return false;
    state_io_bytes(io, bytes, size);
    return !io->loading || (!io->error && write_contents(d, page * PAGE, bytes, size));
}

struct version *drive_take_version(struct drive *d)
{
    struct page_store store = {d, PAGE, page_io};

    if (!d->versions)
        d->versions = versions_new(&store);
    return versions_take(d->versions);
}

bool drive_restore_version(struct drive *d, const struct version *v)
{
    return versions_restore(d->versions, v);
}

void drive_free_version(struct drive *d, struct version *v)
{
    version_free(d->versions, v);
}

size_t drive_versions_bytes(const struct drive *d)
{
    return d->versions ? versions_bytes(d->versions) : 0;
}

/* ---- contents for a file ---- */

static void keep_page(struct drive *d, uint64_t page)
{
    if (d->versions && versions_exist(d->versions))
        versions_keep(d->versions, page);
}

/* All contents are those of the file again. */
static void forget_pages(struct drive *d)
{
    size_t count;
    uint64_t *pages = map_keys(&d->pages, &count);

    for (size_t i = 0; i < count; i++) {
        keep_page(d, pages[i]);
        free(map_get_ptr(&d->pages, pages[i]));
    }
    map_clear(&d->pages);
    free(pages);
}

static void save_pages(struct state_io *io, const struct drive *d, struct page_list *contents)
{
    size_t count;
    uint64_t *pages = map_keys(&d->pages, &count);

    (void)state_io_count(io, count, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        STATE_IO(io, pages[i]);
        VEC_PUSH(&contents->pages, map_get_ptr(&d->pages, pages[i]));
    }
    free(pages);
}

static void load_pages(struct state_io *io, struct drive *d, struct page_list *contents)
{
    uint64_t page = 0, count = (d->size + PAGE - 1) / PAGE;

    forget_pages(d);
    for (size_t left = state_io_count(io, 0, count); left && !io->error; left--) {
        STATE_IO_BELOW(io, page, count);
        if (d->mode != DRIVE_SNAPSHOT || map_get_ptr(&d->pages, page))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (io->error)
            return;
        keep_page(d, page);
        map_put_ptr(&d->pages, page, xcalloc(1, PAGE));
        VEC_PUSH(&contents->pages, map_get_ptr(&d->pages, page));
    }
}

void drive_contents_io(struct state_io *io, struct drive *d, struct page_list *contents)
{
    state_io_section(io, "drive", 1);
    STATE_IO_SAME(io, d->size);
    if (io->loading)
        load_pages(io, d, contents);
    else
        save_pages(io, d, contents);
}

/* ---- opening ---- */

static enum exit_status refuse(struct drive *d, const char *why)
{
    diag_error(d->diag, "%s: %s", d->path, why);
    return EXIT_BAD_FILE;
}

static enum exit_status measure(struct drive *d)
{
    struct stat st;
    off_t end;

    if (fstat(d->fd, &st) || (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
        return refuse(d, "is neither a file nor a block device, so it cannot be a drive");
    end = lseek(d->fd, 0, SEEK_END);
    if (end <= 0)
        return refuse(d, "is empty; make room first, with truncate -s SIZE");
    if (end % DRIVE_SECTOR)
        return refuse(d,
                      "is not a whole number of 512-byte sectors; truncate -s %512 adds the rest");
    d->size = (uint64_t)end;
    return EXIT_PASS;
}

static const char *remedy(const struct drive *d, int reason)
{
    if (d->mode == DRIVE_WRITABLE && (reason == EACCES || reason == EROFS))
        return "; add ,readonly or ,snapshot";
    if (d->mode == DRIVE_WRITABLE && strchr(d->path, ','))
        return "; check the path: only readonly or snapshot may follow a comma";
    return "; check the path";
}

static enum exit_status open_file(struct drive *d)
{
    int reason;

    d->fd = open(d->path, (d->mode == DRIVE_WRITABLE ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (d->fd < 0) {
        reason = errno;
        diag_error(d->diag, "%s: %s%s", d->path, strerror(reason), remedy(d, reason));
        return reason == ENOENT ? EXIT_NO_FILE : EXIT_IO;
    }
    if (d->mode == DRIVE_WRITABLE && flock(d->fd, LOCK_EX | LOCK_NB)) {
        diag_error(d->diag, "%s: another machine writes to it; use a copy, or add ,snapshot",
                   d->path);
        return EXIT_IO;
    }
    return measure(d);
}

enum exit_status drive_open(const char *path, enum drive_mode mode, const struct diag *d,
                            struct drive **out)
{
    struct drive *drive = xcalloc(1, sizeof *drive);
    enum exit_status status;

    drive->fd = -1;
    drive->mode = mode;
    drive->path = path;
    drive->diag = d;
    status = open_file(drive);
    if (status != EXIT_PASS) {
        drive_free(drive);
        drive = NULL;
    }
    *out = drive;
    return status;
}

void drive_free(struct drive *drive)
{
    if (!drive)
        return;
    for (size_t i = 0; i < drive->pages.cap; i++)
        if (drive->pages.slots[i].key != UINT64_MAX)
            free((void *)(uintptr_t)drive->pages.slots[i].value);
    map_free(&drive->pages);
    versions_free(drive->versions);
    if (drive->fd >= 0)
        close(drive->fd);
    free(drive);
}
