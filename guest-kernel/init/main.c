/* main.c - from the first C with the MMU on to the shell. */
#include <asm/csr.h>
#include <asm/irqflags.h>
#include <asm/setup.h>
#include <asm/smp.h>
#include <asm/vdso.h>
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/initrd.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/sysrq.h>
#include <linux/timekeeping.h>
#include <linux/workload.h>
#include <linux/workqueue.h>

void start_kernel(unsigned long hartid);

static int kernel_init(void *unused)
{
    (void)unused;
    smp_init();
    cpu_stop_init();
    workqueue_init();
    vfs_caches_init();
    chr_dev_init();
    tty_init();
    sysrq_init();
    modules_init();
    proc_meminfo_init();
    proc_workload_init();
    proc_kunit_init();
    vdso_init();
    tracer_init();
    trace_init_selftests();
    tracing_start_boot_tracer();
    populate_rootfs();
    return run_init_process();
}

/*
 * ftrace_init() rewrites every site while nothing else can run: one hart,
 * interrupts off.  So it comes before the first thread and the first tick.
 */
void start_kernel(unsigned long hartid)
{
    struct task_struct *init;

    sched_init();
    setup_arch(hartid);
    kmem_cache_init();
    ftrace_init();
    hrtimers_init();
    time_starting_cpu();
    csr_set(sie, IE_SIE);
    init = kthread_create(kernel_init, NULL, "init");
    BUG_ON(IS_ERR(init));
    system_state = SYSTEM_RUNNING;
    wake_up_new_task(init);
    local_irq_enable();
    cpu_startup_entry();
}
