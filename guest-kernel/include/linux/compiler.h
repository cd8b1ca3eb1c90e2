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

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier()   __asm__ __volatile__("" ::: "memory")

#define READ_ONCE(x)     (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

/* Where the function was called. */
#define _RET_IP_ ((unsigned long)__builtin_return_address(0))

#endif
