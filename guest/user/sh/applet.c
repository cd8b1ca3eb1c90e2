/* applet.c - functions shared by the commands: output, input, lines, options. */
#include "applet.h"
#include "shell.h"

int usage_error(char **argv)
{
    const struct applet *a = find_applet(argv[0]);

    shell_error("usage: %s %s", argv[0], a ? a->usage : "");
    return STATUS_USAGE;
}

int write_all(int fd, const char *buf, size_t n)
{
    while (n) {
        ssize_t done = write(fd, buf, n);

        if (done == -EINTR)
            continue;
        if (done <= 0)
            return done ? done : -EIO;
        buf += done;
        n -= done;
    }
    return 0;
}

/* A broken pipe (EPIPE) is not reported. */
int put(const char *buf, size_t n)
{
    int err = write_all(1, buf, n);

    if (err && err != -EPIPE)
        shell_error("write error: %s", strerror(-err));
    return err ? STATUS_ERROR : 0;
}

int put_line(const char *line)
{
    struct strbuf b = {NULL, 0, 0};
    int status;

    strbuf_adds(&b, line);
    strbuf_addc(&b, '\n');
    status = put(b.s, b.len);
    free(b.s);
    return status;
}

int putf(const char *fmt, ...)
{
    char buf[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(buf, sizeof(buf), fmt, args);
    va_end(args);
    return put(buf, strlen(buf));
}

void shell_error(const char *fmt, ...)
{
    char buf[256];
    va_list args;
    size_t n;

    n = snprintf(buf, sizeof(buf) - 1, "sh: ");
    va_start(args, fmt);
    vsnprintf(buf + n, sizeof(buf) - 1 - n, fmt, args);
    va_end(args);
    n = strlen(buf);
    buf[n++] = '\n';
    (void)write_all(2, buf, n);
}

int complain(const char *what, const char *path, int err)
{
    shell_error("%s: %s: %s", what, path, strerror(-err));
    return STATUS_ERROR;
}

/* ---- files ---- */

int open_input(const char *path)
{
    int fd = strcmp(path, "-") != 0 ? open(path, O_RDONLY, 0) : 0;
    struct stat st;
    int err = fd < 0 ? fd : fstat(fd, &st);

    if (!err && S_ISDIR(st.st_mode)) {
        close_input(fd);
        err = -EISDIR;
    }
    if (!err)
        return fd;
    shell_error("cannot open %s: %s", path, strerror(-err));
    return -1;
}

void close_input(int in)
{
    if (in > 0)
        close(in);
}

int read_error(const char *path, int err)
{
    shell_error("%s: read error: %s", path, strerror(-err));
    return STATUS_ERROR;
}

int for_each_input(char **argv, int (*each)(int in, const char *path, void *data), void *data)
{
    static char *const standard_input[] = {(char *)"-", NULL};
    char *const *path = *argv ? argv : standard_input;
    int status = 0;

    for (; *path; path++) {
        int in = open_input(*path);
        int s = in >= 0 ? each(in, *path, data) : STATUS_ERROR;

        close_input(in);
        status = s ? s : status;
    }
    return status;
}

/* Files with generated contents have size 0, so this reads up to the end of file. */
char *read_whole(int fd, size_t *size)
{
    struct strbuf b = {NULL, 0, 0};
    char *chunk = shell_alloc(PAGE_SIZE);
    ssize_t n;

    while ((n = read(fd, chunk, PAGE_SIZE)) > 0)
        strbuf_addn(&b, chunk, n);
    free(chunk);
    *size = b.len;
    if (!n)
        return strbuf_detach(&b);
    free(b.s);
    return ERR_PTR(n);
}

char *read_whole_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY, 0);
    char *text = fd < 0 ? ERR_PTR(fd) : read_whole(fd, size);

    if (fd >= 0)
        close(fd);
    return text;
}

char *path_below(const char *dir, const char *name)
{
    struct strbuf b = {NULL, 0, 0};

    strbuf_adds(&b, dir);
    if (b.len && b.s[b.len - 1] != '/')
        strbuf_addc(&b, '/');
    strbuf_adds(&b, name);
    return strbuf_detach(&b);
}

bool is_directory(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int read_names(const char *path, bool all, struct strings *names)
{
    int dir = open(path, O_RDONLY | O_DIRECTORY, 0);
    char *buf;
    ssize_t n, at;

    if (dir < 0)
        return dir;
    buf = shell_alloc(PAGE_SIZE);
    while ((n = getdents(dir, buf, PAGE_SIZE)) > 0) {
        for (at = 0; at < n; at += ((const struct dirent *)(buf + at))->reclen) {
            const struct dirent *d = (const struct dirent *)(buf + at);

            if (all || d->name[0] != '.')
                strings_add(names, shell_strdup(d->name));
        }
    }
    free(buf);
    close(dir);
    return n;
}

/* ---- lines ---- */

enum { LINE_ROOM = 1024 };

int line_reader_init(struct line_reader *r, int file)
{
    *r = (struct line_reader){.file = file, .room = LINE_ROOM, .buf = malloc(LINE_ROOM)};
    r->err = r->buf ? 0 : -ENOMEM;
    return r->err;
}

void line_reader_free(struct line_reader *r)
{
    free(r->buf);
}

/* Makes room in the buffer: moves the unread part to the front, else enlarges the buffer. */
static void make_room(struct line_reader *r)
{
    char *larger;

    if (r->from) {
        memmove(r->buf, r->buf + r->from, r->to - r->from);
    } else if (r->to + 1 == r->room) {
        larger = malloc(r->room * 2);
        if (!larger) {
            r->err = -ENOMEM;
            return;
        }
        memcpy(larger, r->buf, r->to);
        free(r->buf);
        r->buf = larger;
        r->room *= 2;
    }
    r->to -= r->from;
    r->from = 0;
}

static void read_more(struct line_reader *r)
{
    ssize_t n;

    make_room(r);
    if (r->err)
        return;
    n = read(r->file, r->buf + r->to, r->room - 1 - r->to);
    if (n < 0)
        r->err = n;
    else if (n == 0)
        r->ended = true;
    else
        r->to += n;
}

char *next_line(struct line_reader *r, size_t *len)
{
    size_t scanned = 0;
    char *line;

    for (;;) {
        for (; r->from + scanned < r->to; scanned++)
            if (r->buf[r->from + scanned] == '\n')
                break;
        if (r->from + scanned < r->to || r->err || r->ended)
            break;
        read_more(r);
    }
    if (r->err || r->from == r->to)
        return NULL;
    line = r->buf + r->from;
    line[scanned] = 0; /* one byte of the buffer is reserved for it */
    *len = scanned;
    r->cut = r->from + scanned == r->to;
    r->from = min(r->from + scanned + 1, r->to);
    return line;
}

/* ---- options ---- */

int next_option(struct options *o, const char *letters)
{
    const char *known;
    char c;

    if (!o->next || !*o->next) {
        if (!*o->argv || (*o->argv)[0] != '-' || !(*o->argv)[1])
            return 0;
        o->next = *o->argv++ + 1;
        if (!strcmp(o->next, "-"))
            return 0;
    }
    c = *o->next++;
    known = c == ':' ? NULL : strchr(letters, c);
    if (!known)
        return '?';
    if (known[1] == ':') {
        o->value = *o->next ? o->next : *o->argv ? *o->argv++ : NULL;
        o->next = NULL;
        if (!o->value)
            return '?';
    }
    return c;
}
