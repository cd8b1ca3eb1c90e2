/*
 * port.c - see port.h.
 */
#include "gdb/port.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"

enum { HOST_MAX = 256, SEND_SECONDS = 10 };

struct gdb_port {
    struct gdb_waiter waiter;
    bool is_standard;
    char *path;  /* of the socket; NULL: none */
    int listens; /* -1: none */
    int in, out; /* of the connection; -1: none */
};

/* ---- the user's argument ---- */

static bool is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789")] && strlen(text) <= 5 && atoi(text) <= 65535;
}

/* Reads "PORT", ":PORT" or "ADDRESS:PORT". False: the text is none of these. */
static bool split(const char *where, char host[HOST_MAX], const char **port)
{
    const char *colon = strrchr(where, ':');
    size_t len = colon ? (size_t)(colon - where) : 0;

    *port = colon ? colon + 1 : where;
    if (!is_number(*port) || len >= HOST_MAX || strchr(where, '/'))
        return false;
    if (len >= 2 && where[0] == '[' && where[len - 1] == ']') { /* IPv6 */
        where++;
        len -= 2;
    }
    snprintf(host, HOST_MAX, "%.*s", (int)len, where);
    return true;
}

static bool is_valid(const char *where)
{
    char host[HOST_MAX];
    const char *port;
    struct sockaddr_un a;

    if (!strcmp(where, "-") || split(where, host, &port))
        return true;
    /* What begins like a number, or has a colon, is no path without a slash: a port was meant. */
    if (!strchr(where, '/') && (strchr("0123456789+-:", where[0]) || strchr(where, ':')))
        return false;
    return strlen(where) < sizeof a.sun_path;
}

/* ---- TCP ---- */

static int listen_at(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol), on = 1;

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 1))
        return fd;
    on = errno;
    close(fd);
    errno = on;
    return -1;
}

/* `chosen': the port is one that was free. */
static void say_address(const struct gdb_port *p, bool chosen, const struct diag *d)
{
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    char host[HOST_MAX], port[8];
    struct diag loud = *d;

    if (getsockname(p->listens, (struct sockaddr *)&a, &len) ||
        getnameinfo((struct sockaddr *)&a, len, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV))
        return;
    loud.quiet &= !chosen; /* nobody knows it otherwise */
    diag_note(&loud, "gdb can connect: target remote %s%s%s:%s", strchr(host, ':') ? "[" : "", host,
              strchr(host, ':') ? "]" : "", port);
}

static enum exit_status open_tcp(struct gdb_port *p, const char *where, const char *host,
                                 const char *port, const struct diag *d)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list;
    int error = getaddrinfo(*host ? host : "127.0.0.1", port, &hints, &list);

    if (error) {
        diag_error(d, "--gdb %s: %s", where, gai_strerror(error));
        return EXIT_IO;
    }
    for (const struct addrinfo *a = list; a && p->listens < 0; a = a->ai_next)
        p->listens = listen_at(a);
    error = errno;
    freeaddrinfo(list);
    if (p->listens < 0) {
        diag_error(d, "--gdb %s: %s; give another port, or 0 for a free one", where,
                   strerror(error));
        return EXIT_IO;
    }
    say_address(p, !strcmp(port, "0"), d);
    return EXIT_PASS;
}

/* ---- a socket in the file system ---- */

/* Removes a socket on which no process listens any more. */
static void remove_old(const struct sockaddr_un *a)
{
    struct stat st;
    int fd;

    if (lstat(a->sun_path, &st) || !S_ISSOCK(st.st_mode))
        return;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)a, sizeof *a) && errno == ECONNREFUSED)
        unlink(a->sun_path);
    close(fd);
}

static enum exit_status open_path(struct gdb_port *p, const char *where, const struct diag *d)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};

    snprintf(a.sun_path, sizeof a.sun_path, "%s", where);
    remove_old(&a);
    p->listens = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (p->listens < 0 || bind(p->listens, (struct sockaddr *)&a, sizeof a) ||
        listen(p->listens, 1)) {
        diag_error(d, "--gdb %s: %s; give a path for a new socket", where, strerror(errno));
        return EXIT_IO;
    }
    p->path = xstrdup(where);
    diag_note(d, "gdb can connect: target remote %s", where);
    return EXIT_PASS;
}

/* ---- standard input and output ---- */

/*
 * Opens standard input and output. From here on, output of the emulator on standard output goes to
 * standard error.
 */
static enum exit_status open_standard(struct gdb_port *p, const struct diag *d)
{
    fflush(stdout);
    p->is_standard = true;
    p->in = STDIN_FILENO;
    p->out = dup(STDOUT_FILENO);
    if (p->out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return EXIT_PASS;
    diag_error(d, "--gdb -: %s", strerror(errno));
    return EXIT_IO;
}

enum exit_status gdb_port_open(const char *where, const struct gdb_waiter *waiter,
                               const struct diag *d, struct gdb_port **out)
{
    struct gdb_port *p = xcalloc(1, sizeof *p);
    char host[HOST_MAX];
    const char *port;

    *p = (struct gdb_port){.waiter = *waiter, .listens = -1, .in = -1, .out = -1};
    *out = p;
    if (!is_valid(where)) {
        diag_error(d, "--gdb %s: expected a port up to 65535, ADDRESS:PORT, a path, or -", where);
        return EXIT_USAGE;
    }
    if (!strcmp(where, "-"))
        return open_standard(p, d);
    return split(where, host, &port) ? open_tcp(p, where, host, port, d) : open_path(p, where, d);
}

void gdb_port_free(struct gdb_port *p)
{
    if (!p)
        return;
    gdb_port_hang_up(p);
    if (p->listens >= 0)
        close(p->listens);
    if (p->path)
        unlink(p->path);
    free(p->path);
    free(p);
}

bool gdb_port_is_standard(const struct gdb_port *p)
{
    return p->is_standard;
}

/* ---- connections ---- */

int gdb_port_descriptor(const struct gdb_port *p)
{
    return p->in >= 0 ? p->in : p->listens;
}

static bool is_ready(int fd)
{
    struct pollfd f = {.fd = fd, .events = POLLIN};

    return poll(&f, 1, 0) > 0;
}

/*
 * Accepts a connection. The wait for gdb to take a reply is bounded, so that a gdb that hangs
 * cannot block the emulator.
 */
bool gdb_port_accept(struct gdb_port *p)
{
    const struct timeval patience = {.tv_sec = SEND_SECONDS};
    int on = 1;

    if (p->in >= 0)
        return true;
    if (p->listens < 0 || !is_ready(p->listens))
        return false;
    p->in = p->out = accept4(p->listens, NULL, NULL, SOCK_CLOEXEC);
    if (p->in < 0)
        return false;
    (void)setsockopt(p->in, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* fails for a path */
    (void)setsockopt(p->in, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return true;
}

void gdb_port_hang_up(struct gdb_port *p)
{
    if (p->out >= 0)
        close(p->out);
    p->in = p->out = -1;
}

static size_t read_link(void *ctx, void *to, size_t room)
{
    const struct gdb_port *p = ctx;
    ssize_t n;

    do {
        if (!p->waiter.await(p->waiter.ctx, p->in))
            return 0;
        n = read(p->in, to, room);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    return n > 0 ? (size_t)n : 0;
}

static bool link_is_ready(void *ctx)
{
    const struct gdb_port *p = ctx;

    return is_ready(p->in);
}

/* Writes to the connection. SIGPIPE is ignored (host/signals.c). */
static bool write_link(void *ctx, const void *from, size_t len)
{
    const struct gdb_port *p = ctx;
    const char *bytes = from;

    while (len) {
        ssize_t n = write(p->out, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

struct gdb_link gdb_port_link(struct gdb_port *p)
{
    return (struct gdb_link){
        .read = read_link, .ready = link_is_ready, .write = write_link, .ctx = p};
}
