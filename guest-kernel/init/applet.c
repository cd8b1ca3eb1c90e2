/* applet.c - what the shell's commands share. */
#include "applet.h"
#include "shell.h"
#include <linux/console.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

const struct applet *find_applet(const char *name)
{
    static const struct applet *const tables[] = {shell_applets, text_applets, file_applets,
                                                  system_applets, module_applets};
    const struct applet *a;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(tables); i++)
        for (a = tables[i]; a->name; a++)
            if (!strcmp(a->name, name))
                return a;
    return NULL;
}

int usage_error(char **argv)
{
    const struct applet *a = find_applet(argv[0]);

    shell_error("usage: %s %s", argv[0], a ? a->usage : "");
    return STATUS_USAGE;
}

static int write_all(struct file *file, const char *buf, size_t n)
{
    while (n) {
        ssize_t done = file_write(file, buf, n);

        if (done <= 0)
            return done ? done : -EIO;
        buf += done;
        n -= done;
    }
    return 0;
}

/* Nobody reads any more: that is no error worth a message, only the end. */
int put(const char *buf, size_t n)
{
    struct file *out = fget(1);
    int err = !out ? -EBADF : signal_pending(current) ? -EINTR : write_all(out, buf, n);

    if (out)
        fput(out);
    cond_resched();
    if (err && err != -EPIPE && err != -EINTR)
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
    kfree(b.s);
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

/* To descriptor 2, or to the console if that is closed. */
void shell_error(const char *fmt, ...)
{
    struct file *err = fget(2);
    char buf[256];
    va_list args;
    int n;

    n = scnprintf(buf, sizeof(buf) - 1, "sh: ");
    va_start(args, fmt);
    vsnprintf(buf + n, sizeof(buf) - 1 - n, fmt, args);
    va_end(args);
    n = strlen(buf);
    buf[n++] = '\n';
    if (!err || write_all(err, buf, n))
        console_write(buf, n);
    if (err)
        fput(err);
}

ssize_t read_input(struct file *in, char *buf, size_t n)
{
    cond_resched();
    return signal_pending(current) ? -EINTR : file_read(in, buf, n);
}

struct file *open_input(const char *path)
{
    struct file *file = strcmp(path, "-") ? filp_open(path, O_RDONLY, 0) : fget(0);

    if (!file)
        file = ERR_PTR(-EBADF);
    if (!IS_ERR(file) && S_ISDIR(file->f_inode->i_mode)) {
        fput(file);
        file = ERR_PTR(-EISDIR);
    }
    if (!IS_ERR(file))
        return file;
    shell_error("cannot open %s: %s", path, strerror(-PTR_ERR(file)));
    return NULL;
}

int read_error(const char *path, int err)
{
    if (err != -EINTR)
        shell_error("%s: read error: %s", path, strerror(-err));
    return STATUS_ERROR;
}

int for_each_input(char **argv, int (*each)(struct file *in, const char *path, void *data),
                   void *data)
{
    static char *const standard_input[] = {"-", NULL};
    char *const *path = *argv ? argv : standard_input;
    int status = 0;

    for (; *path; path++) {
        struct file *in = open_input(*path);
        int s = in ? each(in, *path, data) : STATUS_ERROR;

        if (in)
            fput(in);
        status = s ? s : status;
    }
    return status;
}

/* ---- lines ---- */

enum { LINE_ROOM = 1024 };

int line_reader_init(struct line_reader *r, struct file *file)
{
    *r = (struct line_reader){.file = file, .room = LINE_ROOM, .buf = kmalloc(LINE_ROOM)};
    r->err = r->buf ? 0 : -ENOMEM;
    return r->err;
}

void line_reader_free(struct line_reader *r)
{
    kfree(r->buf);
}

/* Makes room behind what is there: by moving it to the front, else by a larger buffer. */
static void make_room(struct line_reader *r)
{
    char *larger;

    if (r->from) {
        memmove(r->buf, r->buf + r->from, r->to - r->from);
    } else if (r->to + 1 == r->room) {
        larger = kmalloc(r->room * 2);
        if (!larger) {
            r->err = -ENOMEM;
            return;
        }
        memcpy(larger, r->buf, r->to);
        kfree(r->buf);
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
    n = read_input(r->file, r->buf + r->to, r->room - 1 - r->to);
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
    line[scanned] = 0; /* room is kept for it even behind the last byte */
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
