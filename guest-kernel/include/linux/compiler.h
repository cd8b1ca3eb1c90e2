/* compiler.h - compiler attributes, by Linux's names. */
#ifndef LINUX_COMPILER_H
#define LINUX_COMPILER_H

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define noinline        __attribute__((noinline))
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
#define notrace __attribute__((patchable_function_entry(0, 0)))
#else
#define notrace __attribute__((no_instrument_function))
#endif
#define __packed        __attribute__((packed))
#define __aligned(n)    __attribute__((aligned(n)))
#define __maybe_unused  __attribute__((unused))
#define __section(name) __attribute__((section(name)))
#define __printf(a, b)  __attribute__((format(printf, a, b)))
#define __used          __attribute__((used))
#define __must_check    __attribute__((warn_unused_result))
#define __user          /* marks a pointer to user memory */
#define __irq_entry     __section(".irqentry.text")

/* What is known of a branch: kernel/trace/trace_branch.c. */
struct ftrace_branch_data {
    const char *func, *file;
    unsigned int line;
    union {
        struct {
            unsigned long correct, incorrect; /* of likely() and unlikely() */
        };
        unsigned long miss_hit[2]; /* of an `if`: how often not, how often */
    };
};

struct ftrace_likely_data {
    struct ftrace_branch_data data;
    unsigned long constant; /* how often the compiler knew the outcome */
};

#if defined(CONFIG_PROFILE_BRANCHES) && !defined(DISABLE_BRANCH_PROFILING) && !defined(MODULE)
void ftrace_likely_update(struct ftrace_likely_data *f, int val, int expect, int is_constant);

#define __branch_check__(x, expect, is_constant)                                             \
    ({                                                                                       \
        static struct ftrace_likely_data __aligned(8) __section("_ftrace_annotated_branch")  \
            likely_data_ = {.data = {.func = __func__, .file = __FILE__, .line = __LINE__}}; \
        long likely_outcome_ = __builtin_expect(!!(x), expect);                              \
                                                                                             \
        ftrace_likely_update(&likely_data_, likely_outcome_, expect, is_constant);           \
        likely_outcome_;                                                                     \
    })
#define likely(x)   __branch_check__(x, 1, __builtin_constant_p(x))
#define unlikely(x) __branch_check__(x, 0, __builtin_constant_p(x))

/* Each `if` counts, unless its outcome is known. */
#define __trace_if_value(cond)                                                    \
    ({                                                                            \
        static struct ftrace_branch_data __aligned(8) __section("_ftrace_branch") \
            if_data_ = {.func = __func__, .file = __FILE__, .line = __LINE__};    \
        int if_outcome_ = (cond);                                                 \
                                                                                  \
        if_data_.miss_hit[if_outcome_]++;                                         \
        if_outcome_;                                                              \
    })
#define __trace_if_var(cond) (__builtin_constant_p(cond) ? (cond) : __trace_if_value(cond))
/* clang-format off */
#define if(cond, ...) if (__trace_if_var(!!(cond, ##__VA_ARGS__)))
/* clang-format on */
#else
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
#define barrier() __asm__ __volatile__("" ::: "memory")

#define READ_ONCE(x)     (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

/* Where the function was called. */
#define _RET_IP_ ((unsigned long)__builtin_return_address(0))

#endif
