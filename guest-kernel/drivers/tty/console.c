/*
 * console.c - the one console: the firmware's until the UART is there.
 *
 * Also the file /dev/console.
 */
#include <asm/sbi.h>
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/spinlock.h>

enum { CONSOLE_POLL_MSECS = 10 };

static void sbi_putchar(char ch)
{
    sbi_console_putchar(ch);
}

static const struct console sbi_console = {
    .name = "sbi",
    .putchar = sbi_putchar,
    .getchar = sbi_console_getchar,
};

/* console_lock keeps the bytes of one write together. */
static DEFINE_SPINLOCK(console_lock);
static const struct console *console = &sbi_console; /* set once at boot */

void register_console(const struct console *con)
{
    console = con;
}

void console_write_unlocked(const char *s, size_t n)
{
    for (; n; n--, s++) {
        if (*s == '\n')
            console->putchar('\r');
        console->putchar(*s);
    }
}

void console_write(const char *s, size_t n)
{
    unsigned long flags;

    spin_lock_irqsave(&console_lock, flags);
    console_write_unlocked(s, n);
    spin_unlock_irqrestore(&console_lock, flags);
}

char console_read_char(void)
{
    int ch;

    while ((ch = console->getchar()) < 0)
        msleep(CONSOLE_POLL_MSECS);
    return ch;
}

/* As a terminal does: one read answers one character at least. */
static ssize_t console_file_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)pos;
    if (!count)
        return 0;
    buf[0] = console_read_char();
    return 1;
}

static ssize_t console_file_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)pos;
    console_write(buf, count);
    return count;
}

static const struct file_operations console_fops = {
    .read = console_file_read,
    .write = console_file_write,
};

void console_dev_init(void)
{
    struct dentry *dev = vfs_create_dir(NULL, "dev");

    vfs_create_file(dev, "console", S_IFREG | S_IRUGO | S_IWUSR, NULL, &console_fops);
}
