/* console.c - the console: the firmware's, then the UART once it is set up. */
#include <asm/sbi.h>
#include <linux/console.h>
#include <linux/spinlock.h>

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

void console_write_raw(const char *s, size_t n)
{
    unsigned long flags;

    spin_lock_irqsave(&console_lock, flags);
    for (; n; n--)
        console->putchar(*s++);
    spin_unlock_irqrestore(&console_lock, flags);
}

int console_getchar(void)
{
    return console->getchar();
}
