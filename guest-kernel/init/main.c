/* main.c - start_kernel(), and the thread that becomes init. */
#include <asm/csr.h>
#include <asm/irqflags.h>
#include <asm/setup.h>
#include <asm/smp.h>
#include <asm/vdso.h>
#include <kunit/test.h>
#include <linux/binfmts.h>
#include <linux/blkdev.h>
#include <linux/bug.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/filter.h>
#include <linux/ftrace.h>
#include <linux/futex.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/initrd.h>
#include <linux/irq.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/ramfs.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/sysfs.h>
#include <linux/sysrq.h>
#include <linux/timekeeping.h>
#include <linux/tty.h>
#include <linux/virtio.h>
#include <linux/workload.h>
#include <linux/workqueue.h>

void start_kernel(unsigned long hartid);

/* From the kernel command line: `rdinit=`, `init=`. NULL: not given. */
static const char *ramdisk_execute_command, *execute_command;

static int set_rdinit(char *value)
{
    ramdisk_execute_command = value;
    return 0;
}
__setup("rdinit=", set_rdinit);

static int set_init(char *value)
{
    execute_command = value;
    return 0;
}
__setup("init=", set_init);

/* Gives init its own descriptor table, with the console as descriptors 0, 1 and 2. */
static void open_console(void)
{
    struct file *console;
    unsigned int fd;

    if (unshare_files())
        panic("no memory for file descriptors");
    console = filp_open("/dev/console", O_RDWR, 0);
    if (IS_ERR(console))
        panic("cannot open /dev/console: %s", strerror(-PTR_ERR(console)));
    for (fd = 0; fd < 3; fd++)
        replace_fd(fd, console, 0);
    fput(console);
}

/* Prints the error of a failure, unless a default path does not exist. */
static bool run_init_process(const char *path, bool asked_for)
{
    int err;

    argv_init[0] = (char *)path;
    err = kernel_execve(path, argv_init, envp_init);
    if (err && (asked_for || err != -ENOENT))
        pr_err("Failed to execute %s: %s\n", path, strerror(-err));
    return !err;
}

/* Turns current into init: tries `rdinit=` or /init, then `init=` or the default paths. */
static bool start_init(void)
{
    static const char *const usual[] = {"/sbin/init", "/etc/init", "/bin/init", "/bin/sh"};
    unsigned int i;

    if (run_init_process(ramdisk_execute_command ? ramdisk_execute_command : "/init",
                         ramdisk_execute_command))
        return true;
    if (execute_command)
        return run_init_process(execute_command, true);
    for (i = 0; i < ARRAY_SIZE(usual); i++)
        if (run_init_process(usual[i], false))
            return true;
    return false;
}

/* Pid 1. It returns to U-mode, into the program that start_init() has loaded. */
static int kernel_init(void *unused)
{
    (void)unused;
    set_task_comm(current, "init");
    smp_init();
    cpu_stop_init();
    workqueue_init();
    mnt_init();
    ramfs_init();
    sysfs_init();
    proc_root_init();
    debugfs_init();
    chr_dev_init();
    irq_init();
    block_init();
    virtio_init();
    tty_init();
    sysrq_init();
    pid_sysctls_init();
    sched_rt_sysctl_init();
    cpu_dev_init();
    futex_init();
    perf_event_init();
    bpf_jit_init();
    modules_init();
    kallsyms_init();
    proc_meminfo_init();
    proc_workload_init();
    proc_kunit_init();
    kprobes_init();
    vdso_init();
    tracer_init();
    trace_init_selftests();
    tracing_start_boot_tracer();
    mount_boot_filesystems();
    populate_rootfs();
    open_console();
    if (!start_init())
        emergency_console();
    return 0;
}

/*
 * ftrace_init() rewrites every site while nothing else can run: one hart,
 * interrupts off.  So it comes before the first thread and the first tick.
 */
void start_kernel(unsigned long hartid)
{
    sched_init();
    setup_arch(hartid);
    kmem_cache_init();
    ftrace_init();
    hrtimers_init();
    time_starting_cpu();
    csr_set(sie, IE_SIE);
    system_state = SYSTEM_RUNNING;
    BUG_ON(user_mode_thread(kernel_init, NULL, CLONE_FS | CLONE_FILES) != 1);
    local_irq_enable();
    cpu_startup_entry();
}
