/* seq_file.h - files whose text is generated while it is read. */
#ifndef LINUX_SEQ_FILE_H
#define LINUX_SEQ_FILE_H

#include <linux/fs.h>
#include <linux/kernel.h>

struct seq_file;

struct seq_operations {
    void *(*start)(struct seq_file *m, loff_t *pos);
    void (*stop)(struct seq_file *m, void *v);
    void *(*next)(struct seq_file *m, void *v, loff_t *pos);
    int (*show)(struct seq_file *m, void *v);
};

struct seq_file {
    char *buf;
    size_t size;
    size_t from;  /* first byte not yet read */
    size_t count; /* bytes not yet read; equal to size: overflow */
    loff_t index;
    const struct seq_operations *op;
    void *private;
};

int seq_open(struct file *file, const struct seq_operations *op);
/* show() writes the whole text in one call; data is m->private. */
int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data);
ssize_t seq_read(struct file *file, char *buf, size_t count, loff_t *pos);
int seq_release(struct inode *inode, struct file *file);
int single_release(struct inode *inode, struct file *file);

/* Defines NAME_fops for a file whose text NAME_show(m, inode->i_private) writes. */
#define DEFINE_SHOW_ATTRIBUTE(name) DEFINE_SHOW_FOPS(name, NULL)
/* The same with NAME_write() for writes. */
#define DEFINE_SHOW_STORE_ATTRIBUTE(name) DEFINE_SHOW_FOPS(name, name##_write)
#define DEFINE_SHOW_FOPS(name, write_function)                     \
    static int name##_open(struct inode *inode, struct file *file) \
    {                                                              \
        return single_open(file, name##_show, inode->i_private);   \
    }                                                              \
    static const struct file_operations name##_fops = {            \
        .open = name##_open,                                       \
        .read = seq_read,                                          \
        .write = write_function,                                   \
        .release = single_release,                                 \
    }

void __printf(2, 3) seq_printf(struct seq_file *m, const char *fmt, ...);
void seq_puts(struct seq_file *m, const char *s);
void seq_write(struct seq_file *m, const void *data, size_t len);
/* Writes s, with each character that is in esc as a backslash and three octal digits. */
void seq_escape(struct seq_file *m, const char *s, const char *esc);
/* Writes the path from the root, escaped likewise. 0 or -ENOMEM. */
int seq_path(struct seq_file *m, const struct path *path, const char *esc);
static inline bool seq_has_overflowed(const struct seq_file *m)
{
    return m->count >= m->size;
}

#endif
