/*
 * posix.c - clocks and sleep for programs. All clocks count from power-on: there is no
 * real-time clock.
 */
#include <asm/timex.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

struct __kernel_timespec {
    s64 tv_sec;
    long tv_nsec;
};

struct timeval {
    s64 tv_sec;
    long tv_usec;
};

enum { TIMER_ABSTIME = 1 };

static bool is_clock(int clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
           (clock >= CLOCK_MONOTONIC_RAW && clock <= CLOCK_BOOTTIME);
}

static struct __kernel_timespec ns_to_timespec(u64 ns)
{
    return (struct __kernel_timespec){ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};
}

SYSCALL_DEFINE2(clock_gettime, const clockid_t, which_clock, struct __kernel_timespec __user *, tp)
{
    struct __kernel_timespec now = ns_to_timespec(sched_clock());

    if (!is_clock(which_clock))
        return -EINVAL;
    return copy_to_user(tp, &now, sizeof(now)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(clock_getres, const clockid_t, which_clock, struct __kernel_timespec __user *, tp)
{
    struct __kernel_timespec res = ns_to_timespec(NSEC_PER_SEC / riscv_timebase);

    if (!is_clock(which_clock))
        return -EINVAL;
    return tp && copy_to_user(tp, &res, sizeof(res)) ? -EFAULT : 0;
}

struct timezone;

SYSCALL_DEFINE2(gettimeofday, struct timeval __user *, tv, struct timezone __user *, tz)
{
    u64 now = sched_clock();
    struct timeval val = {now / NSEC_PER_SEC, now % NSEC_PER_SEC / NSEC_PER_USEC};

    (void)tz;
    return tv && copy_to_user(tv, &val, sizeof(val)) ? -EFAULT : 0;
}

int get_timespec64(u64 *ns, const struct __kernel_timespec __user *ts)
{
    struct __kernel_timespec t;

    if (copy_from_user(&t, ts, sizeof(t)))
        return -EFAULT;
    if (t.tv_sec < 0 || t.tv_nsec < 0 || (u64)t.tv_nsec >= NSEC_PER_SEC)
        return -EINVAL;
    *ns = (u64)min(t.tv_sec, 0x7fffffffll) * NSEC_PER_SEC + t.tv_nsec;
    return 0;
}

static long sleep_until(u64 end)
{
    set_current_state(TASK_INTERRUPTIBLE);
    while (!signal_pending(current)) {
        if (!schedule_hrtimeout(end, HRTIMER_MODE_ABS))
            return 0;
        set_current_state(TASK_INTERRUPTIBLE);
    }
    set_current_state(TASK_RUNNING);
    current->restart_until = end;
    current->restart_rest = NULL;
    return -EINTR;
}

/* After a signal, stores the remaining time in *rmtp if that is not NULL (relative sleeps only). */
static long sleep_rest(u64 end, struct __kernel_timespec __user *rmtp)
{
    long ret = sleep_until(end);
    struct __kernel_timespec rest;
    u64 now;

    if (ret != -EINTR || !rmtp)
        return ret;
    current->restart_rest = rmtp;
    now = sched_clock();
    rest = ns_to_timespec(end > now ? end - now : 0);
    return copy_to_user(rmtp, &rest, sizeof(rest)) ? -EFAULT : ret;
}

SYSCALL_DEFINE2(nanosleep, const struct __kernel_timespec __user *, rqtp,
                struct __kernel_timespec __user *, rmtp)
{
    u64 ns = 0;
    int err = get_timespec64(&ns, rqtp);

    return err ? err : sleep_rest(sched_clock() + ns, rmtp);
}

/* Continues the sleep that was interrupted; the kernel itself makes programs call this. */
SYSCALL_DEFINE0(restart_syscall)
{
    return sleep_rest(current->restart_until, current->restart_rest);
}

SYSCALL_DEFINE4(clock_nanosleep, const clockid_t, which_clock, int, flags,
                const struct __kernel_timespec __user *, rqtp, struct __kernel_timespec __user *,
                rmtp)
{
    u64 ns = 0;
    int err = is_clock(which_clock) ? get_timespec64(&ns, rqtp) : -EINVAL;

    if (err)
        return err;
    return flags & TIMER_ABSTIME ? sleep_until(ns) : sleep_rest(sched_clock() + ns, rmtp);
}
