/*
 * syscall.h - what the events of each system call are made of.
 *
 * SYSCALL_DEFINEn() makes a struct syscall_metadata of its prototype, and two events of the system
 * `syscalls`: sys_enter_NAME and sys_exit_NAME. They are attached to the tracepoints of
 * trace/events/syscalls.h, which a task passes only while TIF_SYSCALL_TRACEPOINT is set.
 */
#ifndef TRACE_SYSCALL_H
#define TRACE_SYSCALL_H

#include <linux/list.h>

struct trace_event_call;

struct syscall_metadata {
    const char *name; /* sys_NAME */
    int syscall_nr;
    int nb_args;
    const char *const *types; /* of the arguments, as in the prototype */
    const char *const *args;  /* their names */
    struct list_head enter_fields;
    struct trace_event_call *enter_event, *exit_event;
};

/* kernel/tracepoint.c: all tasks pass the tracepoints of system calls while one of both is on. */
int syscall_regfunc(void);
void syscall_unregfunc(void);

#ifdef CONFIG_FTRACE_SYSCALLS

#include <linux/trace_events.h>

/* kernel/trace/trace_syscalls.c */
extern struct trace_event_class event_class_syscall_enter, event_class_syscall_exit;
extern const struct trace_event_functions enter_syscall_print_funcs, exit_syscall_print_funcs;

/* Numbers by the names of the functions. */
enum {
#define SYSCALL(name, nr)              __SYSCALL_NR_##name = nr,
#define SYSCALL_AS(name, function, nr) __SYSCALL_NR_##function = nr,
#include <asm/syscalls.def>
#undef SYSCALL_AS
#undef SYSCALL
};

/* Lists of what m() makes of each type and name. */
#define __SC_MAP0(m)
#define __SC_MAP1(m, t, p)      m(t, p),
#define __SC_MAP2(m, t, p, ...) m(t, p), __SC_MAP1(m, __VA_ARGS__)
#define __SC_MAP3(m, t, p, ...) m(t, p), __SC_MAP2(m, __VA_ARGS__)
#define __SC_MAP4(m, t, p, ...) m(t, p), __SC_MAP3(m, __VA_ARGS__)
#define __SC_MAP5(m, t, p, ...) m(t, p), __SC_MAP4(m, __VA_ARGS__)
#define __SC_MAP6(m, t, p, ...) m(t, p), __SC_MAP5(m, __VA_ARGS__)
#define __SC_TYPE(t, p)         #t
#define __SC_NAME(t, p)         #p

/* The print format: the words of the string, and then its arguments. */
#define __SC_FMT0()
#define __SC_FMT1(t, p)      #p ": 0x%08lx"
#define __SC_FMT2(t, p, ...) __SC_FMT1(t, p) ", " __SC_FMT1(__VA_ARGS__)
#define __SC_FMT3(t, p, ...) __SC_FMT1(t, p) ", " __SC_FMT2(__VA_ARGS__)
#define __SC_FMT4(t, p, ...) __SC_FMT1(t, p) ", " __SC_FMT3(__VA_ARGS__)
#define __SC_FMT5(t, p, ...) __SC_FMT1(t, p) ", " __SC_FMT4(__VA_ARGS__)
#define __SC_FMT6(t, p, ...) __SC_FMT1(t, p) ", " __SC_FMT5(__VA_ARGS__)
#define __SC_REC0()
#define __SC_REC1(t, p)      ", ((unsigned long)(REC->" #p "))"
#define __SC_REC2(t, p, ...) __SC_REC1(t, p) __SC_REC1(__VA_ARGS__)
#define __SC_REC3(t, p, ...) __SC_REC1(t, p) __SC_REC2(__VA_ARGS__)
#define __SC_REC4(t, p, ...) __SC_REC1(t, p) __SC_REC3(__VA_ARGS__)
#define __SC_REC5(t, p, ...) __SC_REC1(t, p) __SC_REC4(__VA_ARGS__)
#define __SC_REC6(t, p, ...) __SC_REC1(t, p) __SC_REC5(__VA_ARGS__)

#define __SYSCALL_EVENT(which, sname, format)                                         \
    static struct trace_event_call __used event_##which##_##sname = {                 \
        .class = &event_class_syscall_##which,                                        \
        .name = "sys_" #which "_" #sname,                                             \
        .event.funcs = &which##_syscall_print_funcs,                                  \
        .print_fmt = format,                                                          \
        .data = (void *)&__syscall_meta_##sname,                                      \
        .flags = TRACE_EVENT_FL_CAP_ANY,                                              \
    };                                                                                \
    static struct trace_event_call *const __event_##which##_##sname __used __section( \
        "_ftrace_events") = &event_##which##_##sname

#define SYSCALL_METADATA(sname, nb, ...)                                                          \
    static const char *const types__##sname[] = {__SC_MAP##nb(__SC_TYPE, ##__VA_ARGS__) NULL};    \
    static const char *const args__##sname[] = {__SC_MAP##nb(__SC_NAME, ##__VA_ARGS__) NULL};     \
    static struct syscall_metadata __syscall_meta_##sname;                                        \
    __SYSCALL_EVENT(enter, sname, "\"" __SC_FMT##nb(__VA_ARGS__) "\"" __SC_REC##nb(__VA_ARGS__)); \
    __SYSCALL_EVENT(exit, sname, "\"0x%lx\", REC->ret");                                          \
    static struct syscall_metadata __syscall_meta_##sname = {                                     \
        .name = "sys_" #sname,                                                                    \
        .syscall_nr = __SYSCALL_NR_##sname,                                                       \
        .nb_args = nb,                                                                            \
        .types = types__##sname,                                                                  \
        .args = args__##sname,                                                                    \
        .enter_fields = LIST_HEAD_INIT(__syscall_meta_##sname.enter_fields),                      \
        .enter_event = &event_enter_##sname,                                                      \
        .exit_event = &event_exit_##sname,                                                        \
    };

#else

#define SYSCALL_METADATA(sname, nb, ...)

#endif

#endif
