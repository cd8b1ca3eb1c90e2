/*
 * seq_file.c - files whose text is generated record by record.
 *
 * A record that does not fit in the rest of the buffer is generated again for the next read; if
 * it does not fit in an empty buffer, the buffer is enlarged.
 */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Marks an overflow: count is equal to size then. */
static void seq_set_overflow(struct seq_file *m)
{
    m->count = m->size;
}

void seq_printf(struct seq_file *m, const char *fmt, ...)
{
    va_list args;
    size_t room = m->size - m->count, n;

    va_start(args, fmt);
    n = vsnprintf(m->buf + m->count, room, fmt, args);
    va_end(args);
    if (n >= room)
        seq_set_overflow(m);
    else
        m->count += n;
}
EXPORT_SYMBOL(seq_printf);

void seq_write(struct seq_file *m, const void *data, size_t len)
{
    if (m->count + len >= m->size) {
        seq_set_overflow(m);
        return;
    }
    memcpy(m->buf + m->count, data, len);
    m->count += len;
}

void seq_puts(struct seq_file *m, const char *s)
{
    seq_write(m, s, strlen(s));
}
EXPORT_SYMBOL(seq_puts);

void seq_escape(struct seq_file *m, const char *s, const char *esc)
{
    for (; *s; s++) {
        if (strchr(esc, *s))
            seq_printf(m, "\\%03o", (unsigned char)*s);
        else
            seq_write(m, s, 1);
    }
}

int seq_path(struct seq_file *m, const struct path *path, const char *esc)
{
    char *page = kmalloc(PATH_MAX), *p;

    if (!page)
        return -ENOMEM;
    p = d_path(path, page, PATH_MAX);
    seq_escape(m, IS_ERR(p) ? "..." : p, esc); /* longer than PATH_MAX */
    kfree(page);
    return 0;
}

int seq_open(struct file *file, const struct seq_operations *op)
{
    struct seq_file *m = kzalloc(sizeof(*m));

    if (!m)
        return -ENOMEM;
    m->op = op;
    m->size = PAGE_SIZE;
    m->buf = kmalloc(m->size);
    if (!m->buf) {
        kfree(m);
        return -ENOMEM;
    }
    file->private_data = m;
    return 0;
}

int seq_release(struct inode *inode, struct file *file)
{
    struct seq_file *m = file->private_data;

    (void)inode;
    kfree(m->buf);
    kfree(m);
    return 0;
}

static int grow(struct seq_file *m)
{
    char *larger = kmalloc(m->size * 2);

    if (!larger)
        return -ENOMEM;
    kfree(m->buf);
    m->buf = larger;
    m->size *= 2;
    return 0;
}

/* Fills the buffer with whole records; an empty buffer means end of file. 0 or a negative error. */
static int fill(struct seq_file *m)
{
    void *v;
    int err = 0;

    m->from = m->count = 0;
    v = m->op->start(m, &m->index);
    while (v && !IS_ERR(v)) {
        size_t before = m->count;

        err = m->op->show(m, v);
        if (err)
            break;
        if (seq_has_overflowed(m)) {
            m->count = before;
            if (before)
                break;
            m->op->stop(m, v);
            err = grow(m);
            if (err)
                return err;
            m->count = 0;
            v = m->op->start(m, &m->index);
            continue;
        }
        v = m->op->next(m, v, &m->index);
    }
    m->op->stop(m, v);
    return IS_ERR(v) ? PTR_ERR(v) : err;
}

ssize_t seq_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct seq_file *m = file->private_data;
    size_t n;

    if (m->from == m->count) {
        int err = fill(m);

        if (err)
            return err;
    }
    n = min(count, m->count - m->from);
    memcpy(buf, m->buf + m->from, n);
    m->from += n;
    *pos += n;
    return n;
}
EXPORT_SYMBOL(seq_read);

struct single {
    int (*show)(struct seq_file *, void *);
    void *data;
};

static void *single_start(struct seq_file *m, loff_t *pos)
{
    return *pos ? NULL : m->private;
}

static void *single_next(struct seq_file *m, void *v, loff_t *pos)
{
    (void)m;
    (void)v;
    ++*pos;
    return NULL;
}

static void single_stop(struct seq_file *m, void *v)
{
    (void)m;
    (void)v;
}

static int single_show(struct seq_file *m, void *v)
{
    const struct single *single = v;

    return single->show(m, single->data);
}

static const struct seq_operations single_ops = {single_start, single_stop, single_next,
                                                 single_show};

int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data)
{
    struct single *single = kmalloc(sizeof(*single));
    int err;

    if (!single)
        return -ENOMEM;
    *single = (struct single){show, data};
    err = seq_open(file, &single_ops);
    if (err)
        kfree(single);
    else
        ((struct seq_file *)file->private_data)->private = single;
    return err;
}
EXPORT_SYMBOL(single_open);

int single_release(struct inode *inode, struct file *file)
{
    kfree(((struct seq_file *)file->private_data)->private);
    return seq_release(inode, file);
}
EXPORT_SYMBOL(single_release);
