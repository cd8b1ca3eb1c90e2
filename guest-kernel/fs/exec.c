/* exec.c - execve(): replaces the program of a task. */
#include <asm/irqflags.h>
#include <asm/mmu_context.h>
#include <linux/binfmts.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>

/* Limit for all strings of one exec. */
enum { MAX_ARG_BYTES = 8 * PAGE_SIZE };

/* A NULL-terminated array of strings in kernel or user memory. */
struct arg_ptr {
    bool user;
    char *const *strings;
};

/* Gets the n-th string. Returns 1, 0 at the end, or a negative error. */
static int get_arg(struct arg_ptr args, int n, char **arg)
{
    if (!args.strings)
        return 0;
    if (!args.user)
        *arg = args.strings[n];
    else if (get_user(*arg, args.strings + n))
        return -EFAULT;
    return *arg != NULL;
}

static long copy_arg(bool user, char *to, const char *from, long room)
{
    return user ? strncpy_from_user(to, from, room) : (long)strnlen(from, room);
}

static int append_string(struct linux_binprm *bprm, bool user, const char *from)
{
    long room = MAX_ARG_BYTES - bprm->len;
    long n = copy_arg(user, bprm->strings + bprm->len, from, room);

    if (n < 0)
        return n;
    if (n >= room)
        return -E2BIG;
    if (!user)
        memcpy(bprm->strings + bprm->len, from, n + 1);
    bprm->len += n + 1;
    return 0;
}

/* Returns the number of strings or a negative error. */
static int append_strings(struct linux_binprm *bprm, struct arg_ptr args)
{
    char *arg = NULL;
    int n = 0, err;

    while ((err = get_arg(args, n, &arg)) > 0) {
        err = append_string(bprm, args.user, arg);
        if (err)
            break;
        n++;
    }
    return err < 0 ? err : n;
}

static int collect_strings(struct linux_binprm *bprm, const char *filename, struct arg_ptr argv,
                           struct arg_ptr envp)
{
    bprm->strings = kmalloc(MAX_ARG_BYTES);
    if (!bprm->strings)
        return -ENOMEM;
    bprm->argc = append_strings(bprm, argv);
    if (bprm->argc < 0)
        return bprm->argc;
    bprm->envc = append_strings(bprm, envp);
    if (bprm->envc < 0)
        return bprm->envc;
    bprm->execfn = bprm->len;
    return append_string(bprm, false, filename);
}

static int may_exec(const struct file *file)
{
    umode_t mode = file->f_inode->i_mode;

    return S_ISREG(mode) && mode & S_IXUGO && !path_noexec(&file->f_path) ? 0 : -EACCES;
}

struct file *open_exec(const char *filename)
{
    struct file *file = do_filp_open(AT_FDCWD, filename, O_RDONLY, 0);
    int err = IS_ERR(file) ? 0 : may_exec(file);

    if (!err)
        return file;
    fput(file);
    return ERR_PTR(err);
}

static int open_program(struct linux_binprm *bprm, const char *filename)
{
    bprm->file = open_exec(filename);
    return IS_ERR(bprm->file) ? PTR_ERR(bprm->file) : 0;
}

/* Replaces argv[0] by the interpreter, its argument and the script. */
static int put_interpreter(struct linux_binprm *bprm, const struct script *script,
                           const char *filename)
{
    const char *front[] = {script->interp, script->arg, filename};
    size_t old = bprm->argc ? strlen(bprm->strings) + 1 : 0, room = 0;
    char *p = bprm->strings;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(front); i++)
        room += front[i] ? strlen(front[i]) + 1 : 0;
    if (bprm->len - old + room > MAX_ARG_BYTES)
        return -E2BIG;
    memmove(p + room, p + old, bprm->len - old);
    for (i = 0; i < ARRAY_SIZE(front); i++)
        if (front[i]) {
            memcpy(p, front[i], strlen(front[i]) + 1);
            p += strlen(front[i]) + 1;
            bprm->argc++;
        }
    bprm->argc -= old != 0;
    bprm->len += room - old;
    bprm->execfn += room - old;
    return 0;
}

enum { MAX_INTERPRETERS = 5 };

/*
 * Opens the interpreter of a script instead of it, also if that is a script. line: memory for two
 * lines.
 */
static int find_interpreter(struct linux_binprm *bprm, const char *filename, char *line)
{
    struct script script;
    int depth, err = 0;

    for (depth = 0; depth <= MAX_INTERPRETERS; depth++) {
        struct file *file = bprm->file;

        err = load_script(file, line, &script);
        if (err <= 0)
            return err;
        err = put_interpreter(bprm, &script, filename);
        if (!err)
            err = open_program(bprm, script.interp);
        if (err) {
            bprm->file = file;
            return err;
        }
        fput(file);
        filename = line + SCRIPT_LINE_MAX;
        strscpy(line + SCRIPT_LINE_MAX, script.interp, SCRIPT_LINE_MAX);
    }
    return -ELOOP;
}

static int do_execve(const char *filename, struct arg_ptr argv, struct arg_ptr envp)
{
    struct linux_binprm bprm = {.file = NULL};
    char *line = kmalloc(2 * SCRIPT_LINE_MAX);
    int err = line ? open_program(&bprm, filename) : -ENOMEM;

    if (err) {
        kfree(line);
        return err;
    }
    err = unshare_files();
    if (!err)
        err = collect_strings(&bprm, filename, argv, envp);
    if (!err)
        err = find_interpreter(&bprm, filename, line);
    if (!err)
        err = load_elf_binary(&bprm);
    kfree(bprm.strings);
    fput(bprm.file);
    kfree(line);
    return err;
}

static void exec_mmap(struct mm_struct *mm)
{
    struct mm_struct *old = current->mm;
    unsigned long flags;

    exit_mm_release(current);
    spin_lock_irqsave(&tasklist_lock, flags);
    current->mm = mm;
    switch_mm(old, mm);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    if (old)
        mmput(old);
}

static void name_after_path(const char *path)
{
    const char *name = path;

    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    __set_task_comm(current, name, true);
}

void begin_new_exec(struct linux_binprm *bprm, struct mm_struct *mm)
{
    exec_mmap(mm);
    exit_sighand(current); /* the handlers belong to the old program */
    perf_event_exec();
    name_after_path(bprm->strings + bprm->execfn);
    do_close_on_exec(current->files);
    trace_sched_process_exec(current, current->pid, bprm);
}

SYSCALL_DEFINE3(execve, const char __user *, filename, char *const __user *, argv,
                char *const __user *, envp)
{
    char *path = kmalloc(PATH_MAX);
    long n;

    if (!path)
        return -ENOMEM;
    n = strncpy_from_user(path, filename, PATH_MAX);
    if (n >= PATH_MAX)
        n = -ENAMETOOLONG;
    if (n >= 0)
        n = do_execve(path, (struct arg_ptr){true, argv}, (struct arg_ptr){true, envp});
    kfree(path);
    return n;
}

int kernel_execve(const char *filename, char *const argv[], char *const envp[])
{
    return do_execve(filename, (struct arg_ptr){false, argv}, (struct arg_ptr){false, envp});
}
