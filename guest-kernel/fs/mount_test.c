/* mount_test.c - mounts behave as in Linux, also if several harts change them at the same time. */
#include "mount.h"
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

static int mount(const char *type, const char *dir)
{
    return init_mount("none", dir, type, 0, NULL);
}

static int umount(const char *dir)
{
    return init_umount(dir, 0);
}

static int mkdir(const char *path)
{
    return do_mkdirat(AT_FDCWD, path, 0755);
}

static int rmdir(const char *path)
{
    return do_rmdir(AT_FDCWD, path);
}

static int rename(const char *from, const char *to)
{
    return do_renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static int open_error(const char *path, int flags)
{
    struct file *file = filp_open(path, flags, 0755);

    if (IS_ERR(file))
        return PTR_ERR(file);
    filp_close(file);
    return 0;
}

/* The device and inode number of a file; 0: the file does not exist. */
static u64 identity(const char *path)
{
    struct kstat st;

    return vfs_fstatat(AT_FDCWD, path, LOOKUP_FOLLOW, &st) ? 0 : (u64)st.dev << 32 | st.ino;
}

static bool working_directory_is(const char *path)
{
    char *buf = kmalloc(PATH_MAX);
    struct path pwd;
    bool same;

    get_fs_pwd(current->fs, &pwd);
    same = !strcmp(d_path(&pwd, buf, PATH_MAX), path);
    path_put(&pwd);
    kfree(buf);
    return same;
}

static int count_mount(struct vfsmount *mnt, void *n)
{
    (void)mnt;
    ++*(int *)n;
    return 0;
}

static int number_of_mounts(void)
{
    int n = 0;

    iterate_mounts(count_mount, &n);
    return n;
}

/* ---- errors ---- */

static void mounting_returns_linux_errors(struct kunit *test)
{
    static const struct {
        const char *type, *dir;
        unsigned long flags;
        const char *options;
        int err;
    } cases[] = {
        {"ramfs", "/mt/none", 0, NULL, -ENOENT},
        {"nosuch", "/mt/none", 0, NULL, -ENOENT},
        {"nosuch", "/mt", 0, NULL, -ENODEV},
        {"rootfs", "/mt", 0, NULL, -ENODEV},
        {NULL, "/mt", 0, NULL, -EINVAL},
        {"ramfs", "/mt/file", 0, NULL, -ENOTDIR},
        {"ramfs", "/mt/file/", 0, NULL, -ENOTDIR},
        {"proc", "/proc", 0, NULL, -EBUSY},
        {"proc", "/mt", 0, "nosuch", -EINVAL},
        {"ramfs", "/mt", 0, "mode=9", -EINVAL},
        {"ramfs", "/mt", MS_NOUSER, NULL, -EINVAL},
        {"ramfs", "/mt", MS_BIND, NULL, -EINVAL},
        {NULL, "/mt", MS_REMOUNT, NULL, -EINVAL},
        {"ramfs", "/proc/self", 0, NULL, -ENOENT},
        {"ramfs", "/mt", 0, "nosuch,size=1", 0},
        {"ramfs", "/mt", 0, NULL, 0},
    };
    unsigned int i;

    KUNIT_EXPECT_EQ(test, mkdir("/mt"), 0);
    KUNIT_EXPECT_EQ(test, open_error("/mt/file", O_WRONLY | O_CREAT), 0);
    for (i = 0; i < ARRAY_SIZE(cases); i++) {
        char *options = cases[i].options ? kstrdup(cases[i].options) : NULL;

        KUNIT_EXPECT_EQ(test,
                        init_mount("none", cases[i].dir, cases[i].type, cases[i].flags, options),
                        cases[i].err);
        kfree(options);
    }
    KUNIT_EXPECT_EQ(test, umount("/mt/"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt"), -EINVAL);
    KUNIT_EXPECT_EQ(test, umount("/mt/file"), -EINVAL);
    KUNIT_EXPECT_EQ(test, umount("/mt/none"), -ENOENT);
    KUNIT_EXPECT_EQ(test, init_umount("/", MNT_DETACH), -EINVAL);
    KUNIT_EXPECT_EQ(test, do_unlinkat(AT_FDCWD, "/mt/file"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt"), 0);
}

static void a_mount_in_use_is_busy(struct kunit *test)
{
    struct file *file;

    mkdir("/mt");
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt"), 0);
    file = filp_open("/mt/file", O_RDWR | O_CREAT, 0644);
    KUNIT_EXPECT_EQ(test, umount("/mt"), -EBUSY);
    filp_close(file);
    mkdir("/mt/sub");
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt/sub"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt"), -EBUSY);
    KUNIT_EXPECT_EQ(test, umount("/mt/sub"), 0);
    KUNIT_EXPECT_EQ(test, do_chdir("/mt/sub"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt"), -EBUSY);
    KUNIT_EXPECT_EQ(test, do_chdir("../.."), 0);
    KUNIT_EXPECT_TRUE(test, working_directory_is("/"));
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    rmdir("/mt");
}

static void a_mount_point_cannot_be_renamed_or_removed(struct kunit *test)
{
    mkdir("/mt");
    mkdir("/mt/a");
    mkdir("/mt/b");
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt/a"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt/a"), -EBUSY);
    KUNIT_EXPECT_EQ(test, do_unlinkat(AT_FDCWD, "/mt/a"), -EISDIR);
    KUNIT_EXPECT_EQ(test, rename("/mt/a", "/mt/c"), -EBUSY);
    KUNIT_EXPECT_EQ(test, rename("/mt/b", "/mt/a"), -EBUSY);
    KUNIT_EXPECT_EQ(test, rename("/mt/b", "/mt/a/b"), -EXDEV);
    /* Its parent directory can be renamed. */
    KUNIT_EXPECT_EQ(test, mkdir("/mt/a/in"), 0);
    KUNIT_EXPECT_EQ(test, rename("/mt", "/mt2"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt2/a/in"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt2/a"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt2/a"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt2/b"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt2"), 0);
}

/* ---- path lookup ---- */

static void a_mount_hides_what_is_below(struct kunit *test)
{
    u64 below, first;

    mkdir("/mt");
    mkdir("/mt/old");
    below = identity("/mt");
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt"), 0);
    first = identity("/mt");
    KUNIT_EXPECT_TRUE(test, first && first >> 32 != below >> 32);
    KUNIT_EXPECT_EQ(test, identity("/mt/old"), 0);
    KUNIT_EXPECT_EQ(test, mkdir("/mt/new"), 0);
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt"), 0);
    KUNIT_EXPECT_EQ(test, identity("/mt/new"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_EQ(test, identity("/mt"), first);
    KUNIT_EXPECT_TRUE(test, identity("/mt/new"));
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_EQ(test, identity("/mt"), below);
    KUNIT_EXPECT_EQ(test, rmdir("/mt/old"), 0);
    rmdir("/mt");
}

static void the_last_mount_is_on_top(struct kunit *test)
{
    u64 first;

    mkdir("/mt");
    mkdir("/mt/sub");
    KUNIT_EXPECT_EQ(test, do_chdir("/mt"), 0);
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt"), 0);
    first = identity("/mt");
    KUNIT_EXPECT_FALSE(test, identity(".") == first);
    KUNIT_EXPECT_EQ(test, identity("sub/.."), first);
    KUNIT_EXPECT_EQ(test, mount("ramfs", "."), 0);
    KUNIT_EXPECT_FALSE(test, identity("/mt") == first);
    KUNIT_EXPECT_EQ(test, umount("."), -EINVAL);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_EQ(test, identity("/mt"), first);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_EQ(test, do_chdir("/"), 0);
    rmdir("/mt/sub");
    rmdir("/mt");
}

static void some_types_have_one_tree_at_all_mounts(struct kunit *test)
{
    mkdir("/mt");
    KUNIT_EXPECT_EQ(test, mount("proc", "/mt"), 0);
    KUNIT_EXPECT_EQ(test, identity("/mt"), identity("/proc"));
    KUNIT_EXPECT_EQ(test, identity("/mt/mounts"), identity("/proc/mounts"));
    KUNIT_EXPECT_EQ(test, mount("proc", "/mt"), -EBUSY);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_EQ(test, mount("sysfs", "/mt"), 0);
    KUNIT_EXPECT_EQ(test, identity("/mt/kernel"), identity("/sys/kernel"));
    KUNIT_EXPECT_FALSE(test, identity("/mt/kernel/debug") == identity("/sys/kernel/debug"));
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    rmdir("/mt");
}

static void dot_dot_leaves_a_mount(struct kunit *test)
{
    mkdir("/mt");
    mkdir("/mt/in");
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt/in"), 0);
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt/in"), 0);
    mkdir("/mt/in/deep");
    KUNIT_EXPECT_EQ(test, identity("/mt/in/deep/../.."), identity("/mt"));
    KUNIT_EXPECT_EQ(test, identity("/mt/in/../in"), identity("/mt/in"));
    KUNIT_EXPECT_EQ(test, do_chdir("/mt/in/deep"), 0);
    KUNIT_EXPECT_TRUE(test, working_directory_is("/mt/in/deep"));
    KUNIT_EXPECT_EQ(test, do_chdir(".."), 0);
    KUNIT_EXPECT_TRUE(test, working_directory_is("/mt/in"));
    KUNIT_EXPECT_EQ(test, do_chdir(".."), 0);
    KUNIT_EXPECT_TRUE(test, working_directory_is("/mt"));
    KUNIT_EXPECT_EQ(test, do_chdir("/"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt/in"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt/in"), 0);
    rmdir("/mt/in");
    rmdir("/mt");
}

static void flags_are_obeyed(struct kunit *test)
{
    struct file *file;

    mkdir("/mt");
    KUNIT_EXPECT_EQ(test, init_mount("none", "/mt", "ramfs", MS_RDONLY, NULL), 0);
    KUNIT_EXPECT_EQ(test, open_error("/mt/file", O_WRONLY | O_CREAT), -EROFS);
    KUNIT_EXPECT_EQ(test, mkdir("/mt/sub"), -EROFS);
    KUNIT_EXPECT_EQ(test, rmdir("/mt/sub"), -EROFS);
    KUNIT_EXPECT_EQ(test, rename("/mt/a", "/mt/b"), -EROFS);
    KUNIT_EXPECT_EQ(test, init_mount(NULL, "/mt", NULL, MS_REMOUNT, NULL), 0);
    file = filp_open("/mt/file", O_WRONLY | O_CREAT, 0755);
    KUNIT_EXPECT_EQ(test, init_mount(NULL, "/mt", NULL, MS_REMOUNT | MS_RDONLY, NULL), -EBUSY);
    filp_close(file);
    KUNIT_EXPECT_EQ(test, init_mount(NULL, "/mt", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    KUNIT_EXPECT_EQ(test, open_error("/mt/file", O_RDONLY | O_TRUNC), -EROFS);
    KUNIT_EXPECT_EQ(test, open_error("/mt/file", O_RDONLY | O_CREAT), 0);
    KUNIT_EXPECT_EQ(test, mkdir("/mt/file"), -EEXIST);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_EQ(test, init_mount("none", "/mt", "devtmpfs", MS_NODEV, NULL), 0);
    KUNIT_EXPECT_EQ(test, open_error("/mt/null", O_RDONLY), -EACCES);
    KUNIT_EXPECT_EQ(test, open_error("/dev/null", O_RDONLY), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    rmdir("/mt");
}

/* ---- lifetime ---- */

static void a_detached_mount_exists_until_its_last_use_ends(struct kunit *test)
{
    struct file *file;
    char c = 0;

    mkdir("/mt");
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt"), 0);
    mkdir("/mt/sub");
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/mt/sub"), 0);
    file = filp_open("/mt/sub/file", O_RDWR | O_CREAT, 0644);
    KUNIT_EXPECT_EQ(test, do_chdir("/mt/sub"), 0);
    KUNIT_EXPECT_EQ(test, init_umount("/mt", MNT_DETACH), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt"), 0);
    KUNIT_EXPECT_EQ(test, file_write(file, "x", 1), 1);
    KUNIT_EXPECT_EQ(test, vfs_llseek(file, 0, SEEK_SET), 0);
    KUNIT_EXPECT_EQ(test, file_read(file, &c, 1), 1);
    KUNIT_EXPECT_EQ(test, c, 'x');
    filp_close(file);
    KUNIT_EXPECT_EQ(test, open_error("file", O_RDONLY), 0);
    KUNIT_EXPECT_EQ(test, identity(".."), identity("."));
    KUNIT_EXPECT_TRUE(test, working_directory_is("(unreachable)/"));
    KUNIT_EXPECT_EQ(test, mkdir("dir"), 0);
    KUNIT_EXPECT_EQ(test, mount("ramfs", "dir"), -EINVAL);
    KUNIT_EXPECT_EQ(test, umount("."), -EINVAL);
    KUNIT_EXPECT_EQ(test, do_chdir("/"), 0);
}

static void removing_a_proc_directory_unmounts_what_is_on_it(struct kunit *test)
{
    struct dentry *dir = proc_mkdir("mt", NULL);
    int before = number_of_mounts();

    KUNIT_EXPECT_EQ(test, mount("ramfs", "/proc/mt"), 0);
    KUNIT_EXPECT_EQ(test, mkdir("/proc/mt/sub"), 0);
    KUNIT_EXPECT_EQ(test, mount("ramfs", "/proc/mt/sub"), 0);
    proc_remove(dir);
    KUNIT_EXPECT_EQ(test, identity("/proc/mt"), 0);
    KUNIT_EXPECT_EQ(test, number_of_mounts(), before);
}

enum { DEPTH = 3000 };

/* The directories are nested too deep for recursion on the kernel stack. */
static void unmounting_frees_the_memory(struct kunit *test)
{
    unsigned long before;
    int i;

    mkdir("/mt");
    before = nr_free_pages();
    KUNIT_EXPECT_EQ(test, mount("tmpfs", "/mt"), 0);
    KUNIT_EXPECT_EQ(test, do_chdir("/mt"), 0);
    for (i = 0; i < DEPTH; i++) {
        KUNIT_EXPECT_EQ(test, mkdir("d"), 0);
        KUNIT_EXPECT_EQ(test, open_error("f", O_WRONLY | O_CREAT), 0);
        KUNIT_EXPECT_EQ(test, do_chdir("d"), 0);
    }
    KUNIT_EXPECT_LE(test, nr_free_pages(), before - 100);
    KUNIT_EXPECT_EQ(test, do_chdir("/"), 0);
    KUNIT_EXPECT_EQ(test, umount("/mt"), 0);
    KUNIT_EXPECT_GE(test, nr_free_pages(), before - 10); /* slab caches may keep a page each */
    rmdir("/mt");
}

/* ---- concurrency ---- */

enum { MOUNT_THREADS = 6, MOUNT_ROUNDS = 100 };

/* All threads mount, use and unmount the same directories; any call may fail. */
static int mount_thread(void *data)
{
    static const char *const dirs[] = {"/mt/a", "/mt/b", "/mt/a/b"};
    unsigned int seed = (unsigned long)data * 2654435761u, i;
    char path[32];

    for (i = 0; i < MOUNT_ROUNDS; i++) {
        const char *dir;

        seed = seed * 1103515245 + 12345;
        dir = dirs[(seed >> 8) % ARRAY_SIZE(dirs)];
        switch (seed >> 16 & 7) {
        case 0: mount("ramfs", dir); break;
        case 1: mount("debugfs", dir); break;
        case 2:
        case 3: umount(dir); break;
        case 4: init_umount(dir, MNT_DETACH); break;
        case 5:
            snprintf(path, sizeof(path), "%s/tracing/../../", dir);
            identity(path);
            break;
        case 6:
            snprintf(path, sizeof(path), "%s/b", dir);
            mkdir(path);
            break;
        case 7: rmdir("/mt/a/b"); break;
        }
    }
    while (!kthread_should_stop())
        msleep(1);
    return 0;
}

static void the_tree_of_mounts_stays_consistent_under_concurrent_changes(struct kunit *test)
{
    struct task_struct *threads[MOUNT_THREADS];
    int before = number_of_mounts();
    unsigned long i;

    mkdir("/mt");
    mkdir("/mt/a");
    mkdir("/mt/b");
    for (i = 0; i < MOUNT_THREADS; i++)
        threads[i] = kthread_run(mount_thread, (void *)(i + 1), "mt");
    for (i = 0; i < MOUNT_THREADS; i++)
        kthread_stop(threads[i]);
    while (!init_umount("/mt/a", MNT_DETACH) || !init_umount("/mt/b", MNT_DETACH) ||
           !init_umount("/mt/a/b", MNT_DETACH))
        ;
    rmdir("/mt/a/b/b");
    rmdir("/mt/a/b");
    rmdir("/mt/b/b");
    KUNIT_EXPECT_EQ(test, rmdir("/mt/a"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt/b"), 0);
    KUNIT_EXPECT_EQ(test, rmdir("/mt"), 0);
    KUNIT_EXPECT_EQ(test, number_of_mounts(), before);
}

enum { WALKERS = 4, AUTOMOUNT_ROUNDS = 40 };

static int walker_thread(void *unused)
{
    (void)unused;
    while (!kthread_should_stop()) {
        identity("/mt/tracing/.");
        cond_resched();
    }
    return 0;
}

/* In the layout `none` debugfs has no automount point. */
static void an_automount_is_mounted_once(struct kunit *test)
{
    int before = number_of_mounts(), most = before, i;
    struct task_struct *walkers[WALKERS];

    mkdir("/mt");
    for (i = 0; i < WALKERS; i++)
        walkers[i] = kthread_run(walker_thread, NULL, "mt");
    for (i = 0; i < AUTOMOUNT_ROUNDS; i++) {
        KUNIT_EXPECT_EQ(test, mount("debugfs", "/mt"), 0);
        msleep(1);
        most = max(most, number_of_mounts());
        KUNIT_EXPECT_EQ(test, init_umount("/mt", MNT_DETACH), 0);
    }
    for (i = 0; i < WALKERS; i++)
        kthread_stop(walkers[i]);
    KUNIT_EXPECT_EQ(test, most, before + (get_fs_type("tracefs") ? 2 : 1));
    KUNIT_EXPECT_EQ(test, number_of_mounts(), before);
    KUNIT_EXPECT_EQ(test, rmdir("/mt"), 0);
}

static const struct kunit_case mount_cases[] = {
    KUNIT_CASE(mounting_returns_linux_errors),
    KUNIT_CASE(a_mount_in_use_is_busy),
    KUNIT_CASE(a_mount_point_cannot_be_renamed_or_removed),
    KUNIT_CASE(a_mount_hides_what_is_below),
    KUNIT_CASE(the_last_mount_is_on_top),
    KUNIT_CASE(some_types_have_one_tree_at_all_mounts),
    KUNIT_CASE(dot_dot_leaves_a_mount),
    KUNIT_CASE(flags_are_obeyed),
    KUNIT_CASE(a_detached_mount_exists_until_its_last_use_ends),
    KUNIT_CASE(removing_a_proc_directory_unmounts_what_is_on_it),
    KUNIT_CASE(unmounting_frees_the_memory),
    KUNIT_CASE(the_tree_of_mounts_stays_consistent_under_concurrent_changes),
    KUNIT_CASE(an_automount_is_mounted_once),
    {NULL, NULL},
};

static const struct kunit_suite mount_suite = {"mount", mount_cases};
kunit_test_suite(mount_suite);
