/*
 * workload.c - runs, checks and measures a workload, and prints one line.
 *
 * The measured pass runs in its own thread, bound to one hart, and starts right after a tick,
 * so a short pass contains none. A second, untraced pass of the same source counts the calls
 * and computes the expected result. cycles and insns are the hart's counters, including timer
 * interrupts; result and calls are the same on every machine.
 */
#include <asm/timex.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workload.h>

struct workload_job {
    const struct workload *work;
    unsigned long iterations;
    struct completion *done; /* shared by all jobs of `threads` */
    atomic_t *left;
    u64 result, cycles, insns;
};

enum { THREADS_PER_CPU = 2, THREADS_MAX = NR_CPUS * THREADS_PER_CPU };

/* `threads` uses the first THREADED of these, in turn. */
static const struct workload *const workloads[] = {
    &workload_calls,      &workload_tree,        &workload_sort,      &workload_mixed,
    &workload_deep,       &workload_density4,    &workload_density16, &workload_density64,
    &workload_density256, &workload_density1024,
};

enum { THREADED = 4 };

static DEFINE_MUTEX(workload_mutex); /* one command at a time: the counting pass uses a global */

static const struct workload *workload_find(const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(workloads); i++)
        if (!strcmp(workloads[i]->name, name))
            return workloads[i];
    return NULL;
}

void workload_list(void (*each)(const char *name, void *to), void *to)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(workloads); i++)
        each(workloads[i]->name, to);
    each("threads", to);
}

static int workload_thread(void *data)
{
    struct workload_job *job = data;
    u64 cycles = get_cycles(), insns = get_instret();

    job->result = job->work->run(job->iterations);
    job->insns = get_instret() - insns;
    job->cycles = get_cycles() - cycles;
    if (atomic_dec_and_test(job->left))
        complete(job->done);
    return 0;
}

static void start_job(struct workload_job *job, const char *name, int cpu)
{
    struct task_struct *p = kthread_create(workload_thread, job, "%s", name);

    if (IS_ERR(p))
        panic("no memory for a workload thread");
    if (cpu >= 0)
        kthread_bind(p, cpu);
    wake_up_new_task(p);
}

/* Where the output lines go; under workload_mutex. */
static int (*say_text)(const char *text, size_t len, void *to);
static void *say_to;

static void __printf(1, 2) say(const char *fmt, ...)
{
    char line[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    say_text(line, strlen(line), say_to);
}

static void check_result(const char *name, const struct workload_job *job, u64 expected)
{
    if (job->result == expected)
        return;
    printk("work %s: FAILED n=%lu result=%016llx expected=%016llx\n", name, job->iterations,
           job->result, expected);
    machine_fail();
}

static void run_one(const struct workload *work, unsigned long iterations)
{
    struct completion done;
    atomic_t left = {1};
    struct workload_job job = {work, iterations, &done, &left, 0, 0, 0};
    u64 calls = 0;

    init_completion(&done);
    start_job(&job, work->name, wait_for_tick());
    wait_for_completion(&done);
    check_result(work->name, &job, work->run_counted(iterations, &calls));
    say("work %s: n=%lu result=%016llx calls=%llu cycles=%llu insns=%llu\n", work->name, iterations,
        job.result, calls, job.cycles, job.insns);
}

/*
 * Runs the workloads in many threads at once, which preempt each other and move between harts.
 * The number of threads does not depend on the number of harts, so neither do result and calls.
 * No counter measures a thread that moves between harts: cycles and insns are 0.
 */
static void workload_threads(unsigned long iterations)
{
    static struct workload_job jobs[THREADS_MAX]; /* under workload_mutex */
    struct completion done;
    atomic_t left = {THREADS_MAX};
    u64 calls = 0, hash = 0;
    int i;

    init_completion(&done);
    for (i = 0; i < THREADS_MAX; i++) {
        const struct workload *work = workloads[i % THREADED];

        jobs[i] = (struct workload_job){work, iterations, &done, &left, 0, 0, 0};
        start_job(&jobs[i], work->name, -1);
    }
    wait_for_completion(&done);
    for (i = 0; i < THREADS_MAX; i++) {
        u64 expected = jobs[i].work->run_counted(iterations, &calls);

        check_result("threads", &jobs[i], expected);
        hash = (hash ^ expected) * 0x100000001b3ull;
    }
    say("work threads: n=%lu result=%016llx calls=%llu cycles=0 insns=0\n", iterations, hash,
        calls);
}

int workload_command(const char *name, unsigned long iterations,
                     int (*each_line)(const char *text, size_t len, void *to), void *to)
{
    const struct workload *work = workload_find(name);
    bool threads = !strcmp(name, "threads");

    if (!work && !threads)
        return -EINVAL;
    mutex_lock(&workload_mutex);
    say_text = each_line;
    say_to = to;
    if (threads)
        workload_threads(iterations ? iterations : 10);
    else
        run_one(work, iterations ? iterations : work->default_iterations);
    mutex_unlock(&workload_mutex);
    return 0;
}
