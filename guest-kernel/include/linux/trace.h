/* trace.h - traces of the kernel's own and of modules: the instances of tracefs. */
#ifndef LINUX_TRACE_H
#define LINUX_TRACE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct trace_array;

/* The instance of that name, which is made if there is none, with a reference. NULL: no memory. */
struct trace_array *trace_array_get_by_name(const char *name);
/* Drops the reference. The instance stays until trace_array_destroy(), or rmdir. */
void trace_array_put(struct trace_array *tr);
/* Removes it. 0, -EINVAL: it is no instance; -EBUSY: other references, or open files. */
int trace_array_destroy(struct trace_array *tr);
/* Turns on or off events; system, event NULL: all. 0, -EINVAL: there is none; or an error. */
int trace_array_set_clr_event(struct trace_array *tr, const char *system, const char *event,
                              bool enable);
/* Writes a message to the instance, ip as its origin. The number of bytes, -ENOENT: no trace. */
int __printf(3, 4)
    trace_array_printk(struct trace_array *tr, unsigned long ip, const char *fmt, ...);

#endif
