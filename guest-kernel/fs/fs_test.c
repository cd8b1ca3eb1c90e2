/* fs_test.c - names, files, descriptors and pipes behave like Linux's, also with several harts. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

static int open_error(const char *path, int flags)
{
    struct file *file = filp_open(path, flags, 0644);

    if (IS_ERR(file))
        return PTR_ERR(file);
    filp_close(file);
    return 0;
}

static int mkdir(const char *path)
{
    return do_mkdirat(AT_FDCWD, path, 0755);
}

static int unlink(const char *path)
{
    return do_unlinkat(AT_FDCWD, path);
}

static int rmdir(const char *path)
{
    return do_rmdir(AT_FDCWD, path);
}

static int rename(const char *from, const char *to)
{
    return do_renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* ---- names ---- */

static void open_returns_linux_errors(struct kunit *test)
{
    static const struct {
        const char *path;
        int flags, err;
    } cases[] = {
        {"/fst/none", O_RDONLY, -ENOENT},
        {"", O_RDONLY, -ENOENT},
        {"/fst/none/x", O_RDWR | O_CREAT, -ENOENT},
        {"/fst/file", O_WRONLY | O_CREAT | O_EXCL, -EEXIST},
        {"/fst/file/", O_RDONLY, -ENOTDIR},
        {"/fst/file/x", O_RDONLY, -ENOTDIR},
        {"/fst/file", O_RDONLY | O_DIRECTORY, -ENOTDIR},
        {"/fst", O_WRONLY, -EISDIR},
        {"/fst", O_RDONLY | O_CREAT, -EISDIR},
        {"/fst/new/", O_WRONLY | O_CREAT, -EISDIR},
        {"/proc/new", O_WRONLY | O_CREAT, -EACCES},
        {"/proc/sysrq-trigger", O_RDONLY, -EACCES},
        {"/fst/.././fst//file", O_RDONLY, 0},
        {"/../..", O_RDONLY, 0},
    };
    unsigned int i;

    KUNIT_EXPECT_EQ(test, mkdir("/fst"), 0);
    KUNIT_EXPECT_EQ(test, open_error("/fst/file", O_RDWR | O_CREAT), 0);
    for (i = 0; i < ARRAY_SIZE(cases); i++)
        KUNIT_EXPECT_EQ(test, open_error(cases[i].path, cases[i].flags), cases[i].err);
    KUNIT_EXPECT_EQ(test, unlink("/fst/file"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/fst"), 0);
}

static void a_name_that_is_too_long_is_refused(struct kunit *test)
{
    char *path = kmalloc(NAME_MAX + 3);

    memset(path, 'n', NAME_MAX + 2);
    path[0] = '/';
    path[NAME_MAX + 2] = 0;
    KUNIT_EXPECT_EQ(test, open_error(path, O_WRONLY | O_CREAT), -ENAMETOOLONG);
    KUNIT_EXPECT_EQ(test, mkdir(path), -ENAMETOOLONG);
    path[NAME_MAX + 1] = 0;
    KUNIT_EXPECT_EQ(test, open_error(path, O_WRONLY | O_CREAT), 0);
    KUNIT_EXPECT_EQ(test, unlink(path), 0);
    kfree(path);
}

static void changes_of_names_return_linux_errors(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, mkdir("/fst"), 0);
    KUNIT_EXPECT_EQ(test, mkdir("/fst"), -EEXIST);
    KUNIT_EXPECT_EQ(test, mkdir("/fst/"), -EEXIST);
    KUNIT_EXPECT_EQ(test, mkdir("/fst/a/"), 0);
    KUNIT_EXPECT_EQ(test, mkdir("/fst/a/b"), 0);
    KUNIT_EXPECT_EQ(test, open_error("/fst/f", O_WRONLY | O_CREAT), 0);
    KUNIT_EXPECT_EQ(test, mkdir("/proc/x"), -EPERM);
    KUNIT_EXPECT_EQ(test, rmdir("/fst/a"), -ENOTEMPTY);
    KUNIT_EXPECT_EQ(test, rmdir("/fst/f"), -ENOTDIR);
    KUNIT_EXPECT_EQ(test, rmdir("/fst/a/."), -EINVAL);
    KUNIT_EXPECT_EQ(test, rmdir("/fst/a/.."), -ENOTEMPTY);
    KUNIT_EXPECT_EQ(test, rmdir("/"), -EBUSY);
    KUNIT_EXPECT_EQ(test, unlink("/fst/a"), -EISDIR);
    KUNIT_EXPECT_EQ(test, unlink("/fst/g"), -ENOENT);
    KUNIT_EXPECT_EQ(test, unlink("/proc/sysrq-trigger"), -EPERM);
    KUNIT_EXPECT_EQ(test, rename("/fst/a", "/fst/a/b/c"), -EINVAL);
    KUNIT_EXPECT_EQ(test, rename("/fst/a", "/fst/f"), -ENOTDIR);
    KUNIT_EXPECT_EQ(test, rename("/fst/f", "/fst/a"), -EISDIR);
    KUNIT_EXPECT_EQ(test, rename("/fst/a/b", "/fst/a"), -ENOTEMPTY);
    KUNIT_EXPECT_EQ(test, rename("/fst/f", "/proc/f"), -EXDEV);
    KUNIT_EXPECT_EQ(test, rename("/fst/none", "/fst/f"), -ENOENT);
    KUNIT_EXPECT_EQ(test, rename("/fst/a/b", "/fst/c"), 0);
    KUNIT_EXPECT_EQ(test, rename("/fst/c", "/fst/a"), 0);
    KUNIT_EXPECT_EQ(test, unlink("/fst/f"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/fst/a"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/fst"), 0);
}

static void a_removed_directory_gets_no_new_names(struct kunit *test)
{
    struct path root;

    get_root(&root);
    KUNIT_EXPECT_EQ(test, mkdir("/fst"), 0);
    KUNIT_EXPECT_EQ(test, do_chdir("/fst"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/fst"), 0);
    KUNIT_EXPECT_EQ(test, open_error("x", O_WRONLY | O_CREAT), -ENOENT);
    KUNIT_EXPECT_EQ(test, mkdir("x"), -ENOENT);
    KUNIT_EXPECT_EQ(test, open_error("..", O_RDONLY), 0);
    set_fs_pwd(current->fs, &root);
    path_put(&root);
}

/* ---- contents ---- */

static void a_removed_file_exists_until_it_is_closed(struct kunit *test)
{
    struct file *file = filp_open("/fst", O_RDWR | O_CREAT, 0644);
    char buf[8] = "";

    KUNIT_EXPECT_FALSE(test, IS_ERR(file));
    KUNIT_EXPECT_EQ(test, file_write(file, "alive", 5), 5);
    KUNIT_EXPECT_EQ(test, unlink("/fst"), 0);
    KUNIT_EXPECT_EQ(test, open_error("/fst", O_RDONLY), -ENOENT);
    KUNIT_EXPECT_EQ(test, vfs_llseek(file, 1, SEEK_SET), 1);
    KUNIT_EXPECT_EQ(test, file_read(file, buf, sizeof(buf)), 4);
    KUNIT_EXPECT_EQ(test, strcmp(buf, "live"), 0);
    filp_close(file);
}

static void holes_read_as_zeros(struct kunit *test)
{
    struct file *file = filp_open("/fst", O_RDWR | O_CREAT, 0644);
    char buf[4] = {1, 1, 1, 1};

    KUNIT_EXPECT_EQ(test, vfs_llseek(file, 5 * PAGE_SIZE - 2, SEEK_SET), 5 * PAGE_SIZE - 2);
    KUNIT_EXPECT_EQ(test, file_write(file, "abcd", 4), 4);
    KUNIT_EXPECT_EQ(test, vfs_llseek(file, -4, SEEK_END), 5 * PAGE_SIZE - 2);
    KUNIT_EXPECT_EQ(test, file_read(file, buf, 4), 4);
    KUNIT_EXPECT_EQ(test, memcmp(buf, "abcd", 4), 0);
    KUNIT_EXPECT_EQ(test, vfs_llseek(file, 3 * PAGE_SIZE - 2, SEEK_SET), 3 * PAGE_SIZE - 2);
    KUNIT_EXPECT_EQ(test, file_read(file, buf, 4), 4);
    KUNIT_EXPECT_EQ(test, memcmp(buf, "\0\0\0\0", 4), 0);
    /* Truncated bytes read as zero when the file grows again. */
    KUNIT_EXPECT_EQ(test, do_truncate(file->f_inode, 5 * PAGE_SIZE - 1), 0);
    KUNIT_EXPECT_EQ(test, do_truncate(file->f_inode, 5 * PAGE_SIZE + 2), 0);
    KUNIT_EXPECT_EQ(test, vfs_llseek(file, -4, SEEK_END), 5 * PAGE_SIZE - 2);
    KUNIT_EXPECT_EQ(test, file_read(file, buf, 4), 4);
    KUNIT_EXPECT_EQ(test, memcmp(buf, "a\0\0\0", 4), 0);
    KUNIT_EXPECT_EQ(test, vfs_llseek(file, -1, SEEK_SET), -EINVAL);
    filp_close(file);
    unlink("/fst");
}

static void removing_a_file_frees_its_memory(struct kunit *test)
{
    unsigned long before = nr_free_pages();
    struct file *file = filp_open("/fst", O_RDWR | O_CREAT, 0644);
    char *page = kzalloc(PAGE_SIZE);
    int i;

    for (i = 0; i < 300; i++)
        KUNIT_EXPECT_EQ(test, file_write(file, page, PAGE_SIZE), PAGE_SIZE);
    KUNIT_EXPECT_LE(test, nr_free_pages(), before - 300);
    filp_close(file);
    unlink("/fst");
    kfree(page);
    KUNIT_EXPECT_GE(test, nr_free_pages(), before - 4); /* slabs may keep a page each */
}

static void appending_goes_to_the_end(struct kunit *test)
{
    struct file *a = filp_open("/fst", O_WRONLY | O_CREAT | O_APPEND, 0644);
    struct file *b = filp_open("/fst", O_WRONLY | O_APPEND, 0);

    KUNIT_EXPECT_EQ(test, file_write(a, "1", 1), 1);
    KUNIT_EXPECT_EQ(test, file_write(b, "2", 1), 1);
    KUNIT_EXPECT_EQ(test, file_write(a, "3", 1), 1);
    KUNIT_EXPECT_EQ(test, a->f_inode->i_size, 3);
    KUNIT_EXPECT_EQ(test, file_read(a, (char[1]){0}, 1), -EBADF);
    filp_close(a);
    filp_close(b);
    unlink("/fst");
}

/* ---- descriptors ---- */

/* Runs in its own thread, whose table is not shared. */
static int descriptor_thread(void *data)
{
    struct kunit *test = data;
    int fd[2], i;

    KUNIT_EXPECT_EQ(test, unshare_files(), 0);
    for (i = 0; i < NR_OPEN_DEFAULT; i++)
        close_fd(i);
    KUNIT_EXPECT_EQ(test, do_pipe_flags(fd, O_CLOEXEC), 0);
    KUNIT_EXPECT_EQ(test, fd[0], 0);
    KUNIT_EXPECT_EQ(test, fd[1], 1);
    KUNIT_EXPECT_EQ(test, do_dup(1, 5, 0), 5);
    KUNIT_EXPECT_EQ(test, do_dup(1, NR_OPEN_DEFAULT, 0), -EINVAL);
    KUNIT_EXPECT_EQ(test, ksys_dup3(1, 1, 0), -EINVAL);
    KUNIT_EXPECT_EQ(test, ksys_dup3(9, 7, 0), -EBADF);
    KUNIT_EXPECT_EQ(test, ksys_dup3(0, 5, 0), 5);
    KUNIT_EXPECT_EQ(test, close_fd(3), -EBADF);
    KUNIT_EXPECT_TRUE(test, get_close_on_exec(0));
    KUNIT_EXPECT_FALSE(test, get_close_on_exec(5));
    do_close_on_exec(current->files);
    KUNIT_EXPECT_TRUE(test, !fget(0) && !fget(1));
    KUNIT_EXPECT_EQ(test, close_fd(5), 0);
    for (i = 0; get_unused_fd_flags(0) == i;)
        i++;
    KUNIT_EXPECT_EQ(test, i, NR_OPEN_DEFAULT);
    KUNIT_EXPECT_EQ(test, get_unused_fd_flags(0), -EMFILE);
    while (!kthread_should_stop())
        msleep(1);
    return 0;
}

static void descriptors_are_the_lowest_free_ones(struct kunit *test)
{
    struct task_struct *p = kthread_run(descriptor_thread, test, "fst");

    KUNIT_EXPECT_FALSE(test, IS_ERR(p));
    msleep(5);
    kthread_stop(p);
}

/* ---- pipes ---- */

enum { PIPE_WRITERS = 3, PIPE_MESSAGES = 64, MESSAGE_SIZE = 1000 };

struct pipe_test {
    struct file *ends[2];
    atomic_t next_writer;
};

/* Each message repeats one letter, which is different for each writer. */
static int pipe_writer(void *data)
{
    struct pipe_test *t = data;
    char *message = kmalloc(MESSAGE_SIZE);
    int i, failed = 0;

    memset(message, 'a' + atomic_add_return(1, &t->next_writer), MESSAGE_SIZE);
    for (i = 0; i < PIPE_MESSAGES; i++)
        failed += file_write(t->ends[1], message, MESSAGE_SIZE) != MESSAGE_SIZE;
    kfree(message);
    while (!kthread_should_stop())
        msleep(1);
    return failed;
}

static bool message_is_whole(struct file *file, char *message)
{
    size_t got = 0;
    int i;

    while (got < MESSAGE_SIZE) {
        ssize_t n = file_read(file, message + got, MESSAGE_SIZE - got);

        if (n <= 0)
            return false;
        got += n;
    }
    for (i = 1; i < MESSAGE_SIZE; i++)
        if (message[i] != message[0])
            return false;
    return true;
}

/* The writers write more than fits in the pipe. */
static void small_writes_are_never_mixed(struct kunit *test)
{
    struct pipe_test t = {.next_writer = {0}};
    struct task_struct *writers[PIPE_WRITERS];
    char *message = kmalloc(MESSAGE_SIZE);
    int i, whole = 0;

    KUNIT_EXPECT_EQ(test, create_pipe_files(t.ends, 0), 0);
    for (i = 0; i < PIPE_WRITERS; i++)
        writers[i] = kthread_run(pipe_writer, &t, "fst");
    for (i = 0; i < PIPE_WRITERS * PIPE_MESSAGES; i++)
        whole += message_is_whole(t.ends[0], message);
    KUNIT_EXPECT_EQ(test, whole, PIPE_WRITERS * PIPE_MESSAGES);
    for (i = 0; i < PIPE_WRITERS; i++)
        KUNIT_EXPECT_EQ(test, kthread_stop(writers[i]), 0);
    fput(t.ends[1]);
    KUNIT_EXPECT_EQ(test, file_read(t.ends[0], message, 1), 0);
    fput(t.ends[0]);
    kfree(message);
}

static void a_pipe_without_its_other_end_is_an_error(struct kunit *test)
{
    struct file *ends[2];
    char *big = kzalloc(PIPE_SIZE);
    char c;

    KUNIT_EXPECT_EQ(test, create_pipe_files(ends, O_NONBLOCK), 0);
    KUNIT_EXPECT_EQ(test, file_read(ends[0], &c, 1), -EAGAIN);
    KUNIT_EXPECT_EQ(test, file_read(ends[1], &c, 1), -EBADF);
    KUNIT_EXPECT_EQ(test, file_write(ends[1], big, PIPE_SIZE), PIPE_SIZE);
    KUNIT_EXPECT_EQ(test, file_write(ends[1], big, 1), -EAGAIN);
    KUNIT_EXPECT_EQ(test, vfs_llseek(ends[0], 0, SEEK_SET), -ESPIPE);
    fput(ends[0]);
    KUNIT_EXPECT_EQ(test, file_write(ends[1], big, 1), -EPIPE);
    fput(ends[1]);
    dequeue_signal(); /* SIGPIPE, if this thread has allowed it */
    kfree(big);
}

static int pipe_reader(void *data)
{
    char c;
    int n;

    allow_signal(SIGTERM);
    n = file_read(data, &c, 1);
    while (!kthread_should_stop())
        msleep(1);
    return n;
}

static void a_signal_ends_the_wait_for_a_pipe(struct kunit *test)
{
    struct file *ends[2];
    struct task_struct *p;

    KUNIT_EXPECT_EQ(test, create_pipe_files(ends, 0), 0);
    p = kthread_run(pipe_reader, ends[0], "fst");
    msleep(5);
    KUNIT_EXPECT_EQ(test, kill_pid(p->pid, SIGTERM), 0);
    KUNIT_EXPECT_EQ(test, kthread_stop(p), -EINTR);
    fput(ends[0]);
    fput(ends[1]);
}

/* ---- concurrent changes ---- */

enum { TREE_THREADS = 6, TREE_ROUNDS = 150 };

/*
 * All threads create, move and remove the same few names, so each operation may fail because of
 * another thread. The tree must stay consistent.
 */
static int changing_thread(void *data)
{
    static const char *const dirs[] = {"/fst/a", "/fst/b", "/fst/a/c"};
    unsigned int seed = (unsigned long)data * 2654435761u, i;
    char from[32], to[32];

    for (i = 0; i < TREE_ROUNDS; i++) {
        seed = seed * 1103515245 + 12345;
        snprintf(from, sizeof(from), "%s/%u", dirs[seed >> 8 & 1], seed >> 10 & 3);
        snprintf(to, sizeof(to), "%s/%u", dirs[(seed >> 12) % 3], seed >> 14 & 3);
        switch (seed >> 16 & 7) {
        case 0:
        case 1: open_error(from, O_WRONLY | O_CREAT); break;
        case 2: unlink(to); break;
        case 3: mkdir(to); break;
        case 4: rmdir(from); break;
        case 5: rename(from, to); break;
        case 6: rename(dirs[seed >> 8 & 1], to); break;
        case 7: rename(to, dirs[(seed >> 12) % 3]); break;
        }
        mkdir(dirs[i % 3]);
    }
    while (!kthread_should_stop())
        msleep(1);
    return 0;
}

struct collect {
    struct dir_context ctx;
    char name[NAME_MAX + 1];
    bool found;
};

static bool collect_actor(struct dir_context *ctx, const char *name, size_t namelen, loff_t offset,
                          u64 ino, unsigned int type)
{
    struct collect *c = container_of(ctx, struct collect, ctx);

    (void)namelen;
    (void)offset;
    (void)ino;
    (void)type;
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return true;
    strscpy(c->name, name, sizeof(c->name));
    c->found = true;
    return false;
}

static bool first_name(const char *dir, struct collect *c)
{
    struct file *file = filp_open(dir, O_RDONLY | O_DIRECTORY, 0);

    *c = (struct collect){.ctx.actor = collect_actor};
    if (IS_ERR(file))
        return false;
    iterate_dir(file, &c->ctx);
    filp_close(file);
    return c->found;
}

/* Removes a directory and everything below; returns the number of names. */
static int remove_all(const char *dir)
{
    struct collect *c = kmalloc(sizeof(*c));
    char *path = kmalloc(PATH_MAX);
    int n = 1;

    while (first_name(dir, c)) {
        snprintf(path, PATH_MAX, "%s/%s", dir, c->name);
        if (unlink(path))
            n += remove_all(path);
        else
            n++;
    }
    kfree(path);
    kfree(c);
    return rmdir(dir) ? -1000 : n;
}

static void the_tree_stays_consistent_under_concurrent_changes(struct kunit *test)
{
    struct task_struct *threads[TREE_THREADS];
    unsigned int links;
    struct path root;
    unsigned long i;

    get_root(&root);
    links = root.dentry->d_inode->i_nlink;
    KUNIT_EXPECT_EQ(test, mkdir("/fst"), 0);
    for (i = 0; i < TREE_THREADS; i++)
        threads[i] = kthread_run(changing_thread, (void *)(i + 1), "fst");
    for (i = 0; i < TREE_THREADS; i++)
        kthread_stop(threads[i]);
    KUNIT_EXPECT_GT(test, remove_all("/fst"), 0);
    KUNIT_EXPECT_EQ(test, root.dentry->d_inode->i_nlink, links);
    path_put(&root);
    KUNIT_EXPECT_EQ(test, open_error("/fst", O_RDONLY), -ENOENT);
}

static const struct kunit_case fs_cases[] = {
    KUNIT_CASE(open_returns_linux_errors),
    KUNIT_CASE(a_name_that_is_too_long_is_refused),
    KUNIT_CASE(changes_of_names_return_linux_errors),
    KUNIT_CASE(a_removed_directory_gets_no_new_names),
    KUNIT_CASE(a_removed_file_exists_until_it_is_closed),
    KUNIT_CASE(holes_read_as_zeros),
    KUNIT_CASE(removing_a_file_frees_its_memory),
    KUNIT_CASE(appending_goes_to_the_end),
    KUNIT_CASE(descriptors_are_the_lowest_free_ones),
    KUNIT_CASE(small_writes_are_never_mixed),
    KUNIT_CASE(a_pipe_without_its_other_end_is_an_error),
    KUNIT_CASE(a_signal_ends_the_wait_for_a_pipe),
    KUNIT_CASE(the_tree_stays_consistent_under_concurrent_changes),
    {NULL, NULL},
};

static const struct kunit_suite fs_suite = {"fs", fs_cases};
kunit_test_suite(fs_suite);
