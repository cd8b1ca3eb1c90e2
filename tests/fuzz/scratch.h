/*
 * scratch.h - bytes as a file, for functions that read a path. In memory only;
 * each call replaces the file of the previous call for the same use.
 */
#ifndef TESTS_FUZZ_SCRATCH_H
#define TESTS_FUZZ_SCRATCH_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/check.h"

enum scratch_use {
    SCRATCH_IMAGE,
    SCRATCH_SYMBOLS,
    SCRATCH_COMMANDS,
    SCRATCH_RECORDING,
    SCRATCH_USES,
};

static inline const char *scratch_file(enum scratch_use use, const void *bytes, size_t size)
{
    static struct {
        char path[32];
        int fd; /* 0: not made yet */
    } files[SCRATCH_USES];

    if (!files[use].fd) {
        files[use].fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(files[use].path, sizeof files[use].path, "/proc/self/fd/%d", files[use].fd);
    }
    CHECK(files[use].fd > 0 && ftruncate(files[use].fd, 0) == 0);
    CHECK(pwrite(files[use].fd, bytes, size, 0) == (ssize_t)size);
    return files[use].path;
}

#endif
