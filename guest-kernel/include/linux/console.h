/* console.h - the kernel's console. */
#ifndef LINUX_CONSOLE_H
#define LINUX_CONSOLE_H

#include <linux/types.h>

struct console {
    const char *name;
    void (*putchar)(char ch);
    int (*getchar)(void); /* -1: no input */
};

void register_console(const struct console *con);
void console_write(const char *s, size_t n); /* with a \r before each \n */
void console_write_raw(const char *s, size_t n);
/* Without the lock, for a panicking kernel. */
void console_write_unlocked(const char *s, size_t n);
int console_getchar(void); /* -1: no input */

void ns16550_init(unsigned long phys);

#endif
