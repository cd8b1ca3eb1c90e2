/*
 * trace_cmdlines.c - names and thread groups of tasks: entries hold the pid, readers print the
 * rest.
 *
 * A table of the tasks that were traced last. Writers have interrupts off and do not wait for
 * the lock: if it is taken, the name is saved at a later entry.
 *
 * Not instrumented.
 */
#include "pid_list.h"
#include "trace.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { SAVED_CMDLINES_DEFAULT = 128 };

struct saved_cmdline {
    int pid; /* 0: unused */
    char comm[TASK_COMM_LEN];
};

struct saved_cmdlines_buffer {
    unsigned int size;
    unsigned int next; /* index that the next new pid takes */
    struct saved_cmdline entries[];
};

static spinlock_t cmdline_lock;                /* arch_spin_* only, with interrupts off */
static struct saved_cmdlines_buffer *savedcmd; /* under cmdline_lock */

/*
 * The last pid that each hart has saved; used by it, but any hart may set it to 0 to have the
 * name saved again.
 */
static int last_saved_pid[NR_CPUS];

static struct saved_cmdline *find_cmdline(int pid)
{
    unsigned int i;

    for (i = 0; i < savedcmd->size; i++)
        if (savedcmd->entries[i].pid == pid)
            return &savedcmd->entries[i];
    return NULL;
}

static void save_cmdline(const struct task_struct *task)
{
    struct saved_cmdline *entry = find_cmdline(task->pid);

    if (!entry) {
        entry = &savedcmd->entries[savedcmd->next];
        savedcmd->next = (savedcmd->next + 1) % savedcmd->size;
    }
    entry->pid = task->pid;
    memcpy(entry->comm, task->comm, TASK_COMM_LEN);
}

void tracing_record_cmdline(const struct task_struct *task)
{
    unsigned long flags;
    int *last;

    if (!task->pid)
        return;
    raw_local_irq_save(flags);
    last = &last_saved_pid[smp_processor_id()];
    if (*last != task->pid && arch_spin_trylock(&cmdline_lock)) {
        save_cmdline(task);
        *last = task->pid;
        arch_spin_unlock(&cmdline_lock);
    }
    raw_local_irq_restore(flags);
}

void tracing_task_renamed(const struct task_struct *task)
{
    unsigned int cpu;

    for (cpu = 0; cpu < NR_CPUS; cpu++)
        if (READ_ONCE(last_saved_pid[cpu]) == task->pid)
            WRITE_ONCE(last_saved_pid[cpu], 0);
}

void trace_find_cmdline(int pid, char comm[TASK_COMM_LEN])
{
    const struct saved_cmdline *entry;
    unsigned long flags;

    if (!pid) {
        strscpy(comm, "<idle>", TASK_COMM_LEN);
        return;
    }
    raw_local_irq_save(flags);
    arch_spin_lock(&cmdline_lock);
    entry = find_cmdline(pid);
    strscpy(comm, entry ? entry->comm : "<...>", TASK_COMM_LEN);
    arch_spin_unlock(&cmdline_lock);
    raw_local_irq_restore(flags);
}

/* ---- saved_tgids ---- */

static int *tgid_map; /* by pid; set once, under trace_types_lock */

int trace_alloc_tgid_map(void)
{
    int *map = tgid_map ? tgid_map : kzalloc(PID_MAX * sizeof(*map));

    WRITE_ONCE(tgid_map, map);
    return map ? 0 : -ENOMEM;
}

void tracing_record_tgid(const struct task_struct *task)
{
    int *map = READ_ONCE(tgid_map);

    if (map && task->pid && task->pid < PID_MAX)
        map[task->pid] = task->pid; /* a process has one thread here */
}

int trace_find_tgid(int pid)
{
    const int *map = READ_ONCE(tgid_map);

    return map && pid > 0 && pid < PID_MAX ? READ_ONCE(map[pid]) : 0;
}

static int saved_tgids_show(struct seq_file *m, void *unused)
{
    int pid;

    (void)unused;
    for (pid = 1; READ_ONCE(tgid_map) && pid < PID_MAX; pid++)
        if (trace_find_tgid(pid))
            seq_printf(m, "%d %d\n", pid, trace_find_tgid(pid));
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(saved_tgids);

/* ---- saved_cmdlines, saved_cmdlines_size ---- */

static struct saved_cmdlines_buffer *alloc_cmdlines(unsigned int size)
{
    struct saved_cmdlines_buffer *buffer =
        kzalloc(sizeof(*buffer) + size * sizeof(struct saved_cmdline));

    if (buffer)
        buffer->size = size;
    return buffer;
}

/* Replaces the table; each hart will save its task's name again. */
static int set_saved_cmdlines_size(unsigned long size)
{
    struct saved_cmdlines_buffer *old, *new;
    unsigned long flags;

    if (!size || size > PID_MAX)
        return -EINVAL;
    new = alloc_cmdlines(size);
    if (!new)
        return -ENOMEM;
    raw_local_irq_save(flags);
    arch_spin_lock(&cmdline_lock);
    old = savedcmd;
    savedcmd = new;
    memset(last_saved_pid, 0, sizeof(last_saved_pid));
    arch_spin_unlock(&cmdline_lock);
    raw_local_irq_restore(flags);
    kfree(old);
    return 0;
}

static unsigned long get_saved_cmdlines_size(void)
{
    return savedcmd->size;
}

static const struct trace_number_file saved_cmdlines_size_file = {get_saved_cmdlines_size,
                                                                  set_saved_cmdlines_size};

/* Copies one entry, so that no lock is held while the text is written. */
static bool nth_cmdline(unsigned long n, struct saved_cmdline *into)
{
    unsigned long flags;
    bool found;

    raw_local_irq_save(flags);
    arch_spin_lock(&cmdline_lock);
    found = n < savedcmd->size;
    if (found)
        *into = savedcmd->entries[n];
    arch_spin_unlock(&cmdline_lock);
    raw_local_irq_restore(flags);
    return found;
}

static int saved_cmdlines_show(struct seq_file *m, void *unused)
{
    struct saved_cmdline entry;
    unsigned long n;

    (void)unused;
    for (n = 0; nth_cmdline(n, &entry); n++)
        if (entry.pid)
            seq_printf(m, "%d %s\n", entry.pid, entry.comm);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(saved_cmdlines);

void trace_create_cmdline_files(void)
{
    tracefs_create_file("saved_cmdlines", S_IRUGO, NULL, NULL, &saved_cmdlines_fops);
    tracefs_create_file("saved_tgids", S_IRUGO, NULL, NULL, &saved_tgids_fops);
    tracefs_create_file("saved_cmdlines_size", S_IRUGO | S_IWUSR, NULL,
                        (void *)&saved_cmdlines_size_file, &trace_number_fops);
}

int trace_init_cmdlines(void)
{
    savedcmd = alloc_cmdlines(SAVED_CMDLINES_DEFAULT);
    return savedcmd ? 0 : -ENOMEM;
}
