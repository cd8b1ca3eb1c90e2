/*
 * drive.h - a host file as a disk: read and written in place, or unchanged, with
 * writes that only this run sees (a snapshot).
 */
#ifndef LOAD_DRIVE_H
#define LOAD_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"

struct drive;
struct page_list;
struct state_io;
struct version;

enum drive_mode {
    DRIVE_WRITABLE,
    DRIVE_READ_ONLY,
    DRIVE_SNAPSHOT, /* writes stay in memory, the file is never changed */
};

enum { DRIVE_SECTOR = 512 };

/*
 * Opens a drive. Errors are EXIT_NO_FILE, EXIT_IO and EXIT_BAD_FILE (not a file or
 * block device, empty, or not whole sectors), with a message through d. A writable
 * drive is locked: a second machine cannot open it for writing.
 */
MUST_USE enum exit_status drive_open(const char *path, enum drive_mode mode, const struct diag *d,
                                     struct drive **out);
void drive_free(struct drive *drive); /* NULL is allowed */

uint64_t drive_size(const struct drive *drive); /* bytes */

/*
 * The functions of struct block_store; `drive` is a struct drive. False: an I/O error, for which a
 * message is given the first time.
 */
bool drive_read(void *drive, uint64_t offset, void *to, size_t len);
bool drive_write(void *drive, uint64_t offset, const void *from, size_t len);
bool drive_flush(void *drive);

/*
 * Versions of the contents (base/versions.h): a page is copied before the first write to it after a
 * version was taken. Restoring a version of a writable drive writes to its file. False: an I/O
 * error.
 */
struct version *drive_take_version(struct drive *d);
MUST_USE bool drive_restore_version(struct drive *d, const struct version *v);
void drive_free_version(struct drive *d, struct version *v);
/*
 * Saves or restores, for a file, which pages of a DRIVE_SNAPSHOT the guest has written, and appends
 * their bytes to `contents`, as ram_contents_io does. The other contents are those of the file.
 */
void drive_contents_io(struct state_io *io, struct drive *d, struct page_list *contents);
size_t drive_versions_bytes(const struct drive *d); /* host memory of all of them */

#endif
