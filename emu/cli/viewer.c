/*
 * viewer.c - see viewer.h.
 */
#include "cli/viewer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* Beside this program, where it was built or installed, or where packages have such programs. */
static const char *const places[] = {"rvftrace-view", "../libexec/rvftrace/rvftrace-view",
                                     "../lib/rvftrace/rvftrace-view"};

enum exit_status viewer_command(char **argv, const struct diag *d)
{
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

    if (len <= 0) {
        diag_error(d, "/proc/self/exe: %s", strerror(errno));
        return EXIT_OUR_FAULT;
    }
    program[len] = '\0';
    *strrchr(program, '/') = '\0';
    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        char *path = xasprintf("%s/%s", program, places[i]);

        execv(path, argv + 1);
        if (errno != ENOENT && errno != ENOTDIR) {
            diag_error(d, "%s: %s", path, strerror(errno));
            free(path);
            return EXIT_IO;
        }
        free(path);
    }
    diag_error(d, "the viewer is not there: install libsdl2-dev, libsdl2-ttf-dev and libpng-dev, "
                  "and build it with `make view'");
    return EXIT_NO_FILE;
}
