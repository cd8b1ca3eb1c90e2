/*
 * port.c - see port.h.
 */
#include "load/port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"

struct port {
    int fd;
    bool is_socket, complained;
    bool begun;
    uint64_t first; /* what the guest had sent before the file's first byte */
    uint64_t next;  /* what it has sent, up to the last byte that was taken */
    const char *path;
    const struct diag *diag;
};

static void complain(struct port *p)
{
    if (!p->complained)
        diag_error(p->diag, "%s: cannot be written: %s", p->path, strerror(errno));
    p->complained = true;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address)) {
        int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

enum exit_status port_open(const char *path, const struct diag *d, struct port **out)
{
    struct port *p = xcalloc(1, sizeof *p);
    struct stat st;

    p->path = path;
    p->diag = d;
    p->is_socket = !stat(path, &st) && S_ISSOCK(st.st_mode);
    p->fd = p->is_socket ? connect_to(path)
                         : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    *out = p;
    if (p->fd >= 0)
        return EXIT_PASS;
    diag_error(d, "%s: %s", path, strerror(errno));
    *out = NULL;
    free(p);
    return errno == ENOENT || errno == ENOTDIR ? EXIT_NO_FILE : EXIT_IO;
}

void port_free(struct port *port)
{
    if (!port)
        return;
    if (!port->is_socket && port->begun && !port->complained &&
        ftruncate(port->fd, (off_t)(port->next - port->first)) && errno != EINVAL)
        complain(port); /* EINVAL: a pipe or a device */
    if (close(port->fd))
        complain(port);
    free(port);
}

static bool write_piece(struct port *p, uint64_t at, const uint8_t *bytes, size_t len)
{
    while (len) {
        ssize_t n;

        if (p->is_socket)
            n = send(p->fd, bytes, len, MSG_NOSIGNAL);
        else
            n = pwrite(p->fd, bytes, len, (off_t)(at - p->first));
        if (n < 0 && errno == ESPIPE)
            n = write(p->fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += (uint64_t)n;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

void port_put(void *port, uint64_t at, const uint8_t *bytes, size_t len)
{
    struct port *p = port;
    uint64_t end = at + len;

    if (!p->begun)
        p->first = p->next = at;
    p->begun = true;
    if (at < p->first) { /* a snapshot that is older than the file */
        uint64_t before = p->first - at < len ? p->first - at : len;

        at += before;
        bytes += before;
        len -= (size_t)before;
    }
    if (p->is_socket && at < p->next) {
        uint64_t again = p->next - at < len ? p->next - at : len;

        at += again;
        bytes += again;
        len -= (size_t)again;
    }
    if (len && !p->complained && !write_piece(p, at, bytes, len))
        complain(p);
    p->next = p->is_socket && end < p->next ? p->next : end;
}

bool port_has_lost(const struct port *port)
{
    return port->complained;
}
