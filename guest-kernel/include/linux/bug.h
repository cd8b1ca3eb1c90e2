/* bug.h - assertions and warnings. */
#ifndef LINUX_BUG_H
#define LINUX_BUG_H

#include <linux/kernel.h>
#include <linux/printk.h>

#define BUG_ON(cond)                                              \
    do {                                                          \
        if (unlikely(cond))                                       \
            panic("BUG at %s:%d: %s", __FILE__, __LINE__, #cond); \
    } while (0)

/* Prints the place of a warning; turns tracing off first if traceoff_on_warning is set. */
void __warn(const char *file, int line, const char *function);

#define WARN(cond, ...)                           \
    ({                                            \
        bool warn_hit_ = !!(cond);                \
        if (unlikely(warn_hit_)) {                \
            __warn(__FILE__, __LINE__, __func__); \
            printk(__VA_ARGS__);                  \
        }                                         \
        unlikely(warn_hit_);                      \
    })
#define WARN_ON(cond) WARN(cond, "  %s\n", #cond)

#endif
