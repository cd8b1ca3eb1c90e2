/*
 * namespace.c - the tree of mounts, mount(2) and umount2(2).
 *
 * There is one mount namespace, for all tasks. Changes are made under namespace_mutex;
 * mount_lock guards the links and the counts, is held briefly, and is taken before dcache_lock.
 * At most one mount is on a dentry of a mount: a later one is mounted on the root of the
 * earlier one.
 */
#include "mount.h"
#include <asm/page.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/fs_struct.h>
#include <linux/ramfs.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

static DEFINE_MUTEX(namespace_mutex);
static DEFINE_SPINLOCK(mount_lock);
static LIST_HEAD(mounts);
static struct mount *root_mount; /* set once at boot; never detached */

/* ---- reference counts ---- */

struct vfsmount *mntget(struct vfsmount *mnt)
{
    spin_lock(&mount_lock);
    real_mount(mnt)->mnt_count++;
    spin_unlock(&mount_lock);
    return mnt;
}

/* The tree of mounts holds a reference, so a count of 0 means that the mount is detached. */
void mntput(struct vfsmount *mnt)
{
    struct mount *m = mnt ? real_mount(mnt) : NULL;
    bool last;

    if (!m)
        return;
    spin_lock(&mount_lock);
    BUG_ON(!m->mnt_count);
    last = !--m->mnt_count;
    spin_unlock(&mount_lock);
    if (!last)
        return;
    BUG_ON(m->mnt_attached || m->mnt_writers);
    dput(mnt->mnt_root);
    deactivate_super(mnt->mnt_sb);
    kfree(m->mnt_devname);
    kfree(m);
}

void path_get(const struct path *path)
{
    mntget(path->mnt);
    dget(path->dentry);
}

void path_put(const struct path *path)
{
    dput(path->dentry);
    mntput(path->mnt);
}

bool path_noexec(const struct path *path)
{
    return path->mnt && path->mnt->mnt_flags & MNT_NOEXEC;
}

int mnt_want_write(struct vfsmount *mnt)
{
    int err = 0;

    spin_lock(&mount_lock);
    if (mnt->mnt_flags & MNT_READONLY)
        err = -EROFS;
    else
        real_mount(mnt)->mnt_writers++;
    spin_unlock(&mount_lock);
    return err;
}

void mnt_drop_write(struct vfsmount *mnt)
{
    spin_lock(&mount_lock);
    real_mount(mnt)->mnt_writers--;
    spin_unlock(&mount_lock);
}

/* ---- path lookup ---- */

/* Replaces path by the mount's root directory. Takes over the reference to mnt. */
static void enter_mount(struct path *path, struct vfsmount *mnt)
{
    path_put(path);
    *path = (struct path){mnt, dget(mnt->mnt_root)};
}

/* Returns the mount that is attached at path, with a reference, or NULL. */
static struct vfsmount *lookup_mnt(const struct path *path)
{
    struct vfsmount *found = NULL;
    struct mount *m;

    if (!READ_ONCE(path->dentry->d_mounted))
        return NULL;
    spin_lock(&mount_lock);
    list_for_each_entry(m, &mounts, mnt_list) {
        if (m->mnt_mountpoint == path->dentry && &m->mnt_parent->mnt == path->mnt) {
            m->mnt_count++;
            found = &m->mnt;
            break;
        }
    }
    spin_unlock(&mount_lock);
    return found;
}

bool follow_down(struct path *path)
{
    bool moved = false;
    struct vfsmount *mnt;

    while ((mnt = lookup_mnt(path))) {
        enter_mount(path, mnt);
        moved = true;
    }
    return moved;
}

bool follow_up(struct path *path)
{
    struct mount *m = real_mount(path->mnt);
    struct path up = {NULL, NULL};

    spin_lock(&mount_lock);
    if (m->mnt_parent) {
        m->mnt_parent->mnt_count++;
        up = (struct path){&m->mnt_parent->mnt, dget(m->mnt_mountpoint)};
    }
    spin_unlock(&mount_lock);
    if (!up.mnt)
        return false;
    path_put(path);
    *path = up;
    return true;
}

void get_root(struct path *path)
{
    *path = (struct path){&root_mount->mnt, root_mount->mnt.mnt_root};
    path_get(path);
}

/*
 * Writes path in front of p: from the root directory; or "(unreachable)" and the path in its mount
 * if that is detached, or the whole path if it is outside of root. Returns its start; NULL: no
 * room.
 */
static char *prepend_path(const struct path *path, const struct path *root, char *buf, char *p)
{
    const struct dentry *dentry = path->dentry;
    const struct mount *m = real_mount(path->mnt);
    const char *const end = p;
    bool inside = false;

    for (; p; dentry = m->mnt_mountpoint, m = m->mnt_parent) {
        inside = &m->mnt == root->mnt && is_subdir((struct dentry *)dentry, root->dentry);
        p = prepend_names(dentry, inside ? root->dentry : m->mnt.mnt_root, buf, p);
        if (inside || !m->mnt_parent)
            break;
    }
    if (p == end)
        p = prepend(p, buf, "/", 1);
    return !p || (m->mnt_attached && inside)
               ? p
               : prepend(p, buf, "(unreachable)", strlen("(unreachable)"));
}

char *d_path(const struct path *path, char *buf, size_t size)
{
    char *p = buf + size - 1;
    struct path root;

    get_fs_root(current->fs, &root);
    *p = 0;
    spin_lock(&mount_lock);
    p = prepend_path(path, &root, buf, p);
    spin_unlock(&mount_lock);
    path_put(&root);
    return p ? p : ERR_PTR(-ENAMETOOLONG);
}

int iterate_mounts(int (*show)(struct vfsmount *mnt, void *data), void *data)
{
    struct mount *m;
    int err = 0;

    mutex_lock(&namespace_mutex);
    list_for_each_entry(m, &mounts, mnt_list) {
        err = show(&m->mnt, data);
        if (err)
            break;
    }
    mutex_unlock(&namespace_mutex);
    return err;
}

/* ---- mounting ---- */

/* Creates a mount. Takes over the reference to sb, except if it returns NULL (no memory). */
static struct vfsmount *alloc_mount(struct super_block *sb, const char *name)
{
    struct mount *m = kzalloc(sizeof(*m));

    if (!m)
        return NULL;
    m->mnt_devname = kstrdup(name);
    if (!m->mnt_devname) {
        kfree(m);
        return NULL;
    }
    m->mnt_count = 1;
    m->mnt.mnt_sb = sb;
    m->mnt.mnt_root = dget(sb->s_root);
    INIT_LIST_HEAD(&m->mnt_list);
    return &m->mnt;
}

struct vfsmount *vfs_kern_mount(struct file_system_type *type, const char *name, char *options)
{
    struct super_block *sb = sget(type);
    struct vfsmount *mnt;
    int err;

    if (IS_ERR(sb))
        return ERR_PTR(PTR_ERR(sb));
    err = options ? reconfigure_super(sb, options) : 0;
    mnt = err ? ERR_PTR(err) : alloc_mount(sb, name);
    if (!mnt)
        mnt = ERR_PTR(-ENOMEM);
    if (IS_ERR(mnt))
        deactivate_super(sb);
    return mnt;
}

/* Puts m into the tree at path; the tree takes over the caller's reference. */
static void attach(struct mount *m, const struct path *path)
{
    spin_lock(&mount_lock);
    m->mnt_parent = real_mount(path->mnt);
    m->mnt_parent->mnt_count++;
    m->mnt_parent->mnt_children++;
    m->mnt_mountpoint = dget(path->dentry);
    m->mnt_mountpoint->d_mounted++;
    m->mnt_attached = true;
    list_add_tail(&m->mnt_list, &mounts);
    spin_unlock(&mount_lock);
}

/* graft() with the directory locked, so that it cannot be removed at the same time. */
static int graft_locked(struct mount *m, const struct path *path)
{
    const struct vfsmount *on = path->mnt;

    if (d_unhashed(path->dentry))
        return -ENOENT;
    if (!real_mount(path->mnt)->mnt_attached)
        return -EINVAL;
    if (on->mnt_sb == m->mnt.mnt_sb && path->dentry == on->mnt_root)
        return -EBUSY;
    if (!S_ISDIR(path->dentry->d_inode->i_mode))
        return -ENOTDIR;
    attach(m, path);
    return 0;
}

/* Attaches m at path, if Linux's rules allow it. Called with namespace_mutex held. */
static int graft(struct mount *m, const struct path *path)
{
    struct inode *inode = path->dentry->d_inode;
    int err;

    inode_lock(inode);
    err = graft_locked(m, path);
    inode_unlock(inode);
    return err;
}

/* Mounts a new mount at path, on top of mounts that were attached there since its lookup. */
static int do_new_mount(struct path *path, const char *type_name, unsigned int mnt_flags,
                        const char *dev_name, char *options)
{
    struct file_system_type *type = type_name ? get_fs_type(type_name) : NULL;
    struct vfsmount *mnt;
    int err;

    if (!type)
        return type_name ? -ENODEV : -EINVAL;
    mnt = vfs_kern_mount(type, dev_name, options);
    if (IS_ERR(mnt))
        return PTR_ERR(mnt);
    mnt->mnt_flags = mnt_flags;
    mutex_lock(&namespace_mutex);
    follow_down(path);
    err = graft(real_mount(mnt), path);
    mutex_unlock(&namespace_mutex);
    if (err)
        mntput(mnt);
    return err;
}

/* The new mount inherits its parent's flags. If another task has mounted first, its mount is used.
 */
int follow_automount(struct path *path)
{
    const struct dentry_operations *op = path->dentry->d_op;
    struct vfsmount *mnt, *there;
    int err;

    if (!op || !op->d_automount)
        return 0;
    mnt = op->d_automount(path->dentry);
    if (IS_ERR(mnt))
        return PTR_ERR(mnt);
    mutex_lock(&namespace_mutex);
    mnt->mnt_flags = path->mnt->mnt_flags | MNT_SHRINKABLE;
    there = lookup_mnt(path);
    err = there ? -EBUSY : graft(real_mount(mnt), path);
    mutex_unlock(&namespace_mutex);
    mntput(there);
    if (err)
        mntput(mnt);
    return there ? 0 : err;
}

static int set_mount_flags(struct vfsmount *mnt, unsigned int flags)
{
    int err = 0;

    spin_lock(&mount_lock);
    if (flags & MNT_READONLY && !(mnt->mnt_flags & MNT_READONLY) && real_mount(mnt)->mnt_writers)
        err = -EBUSY;
    else
        mnt->mnt_flags = flags | (mnt->mnt_flags & MNT_SHRINKABLE);
    spin_unlock(&mount_lock);
    return err;
}

/* Is path the root directory of an attached mount? */
static bool is_mount(const struct path *path)
{
    return path->dentry == path->mnt->mnt_root && real_mount(path->mnt)->mnt_attached;
}

/* Changes the flags of a mount, and, without MS_BIND, the options of its superblock. */
static int do_remount(const struct path *path, unsigned long flags, unsigned int mnt_flags,
                      char *options)
{
    static const unsigned int times = MNT_NOATIME | MNT_NODIRATIME | MNT_RELATIME;
    int err;

    if (!is_mount(path))
        return -EINVAL;
    if (!(flags & (MS_NOATIME | MS_NODIRATIME | MS_RELATIME | MS_STRICTATIME)))
        mnt_flags = (mnt_flags & ~times) | (path->mnt->mnt_flags & times);
    mutex_lock(&namespace_mutex);
    err = options && !(flags & MS_BIND) ? reconfigure_super(path->mnt->mnt_sb, options) : 0;
    if (!err)
        err = set_mount_flags(path->mnt, mnt_flags);
    mutex_unlock(&namespace_mutex);
    return err;
}

static unsigned int mnt_flags_of(unsigned long flags)
{
    static const struct {
        unsigned long ms;
        unsigned int mnt;
    } same[] = {
        {MS_RDONLY, MNT_READONLY}, {MS_NOSUID, MNT_NOSUID},   {MS_NODEV, MNT_NODEV},
        {MS_NOEXEC, MNT_NOEXEC},   {MS_NOATIME, MNT_NOATIME}, {MS_NODIRATIME, MNT_NODIRATIME},
    };
    unsigned int mnt_flags = flags & (MS_NOATIME | MS_STRICTATIME) ? 0 : MNT_RELATIME, i;

    for (i = 0; i < ARRAY_SIZE(same); i++)
        if (flags & same[i].ms)
            mnt_flags |= same[i].mnt;
    return flags & MS_STRICTATIME ? mnt_flags & ~MNT_NOATIME : mnt_flags;
}

/* Bind mounts, moving mounts and propagation are not supported. */
static int path_mount(const char *dev_name, struct path *path, const char *type,
                      unsigned long flags, char *options)
{
    if (flags & MS_NOUSER)
        return -EINVAL;
    if (flags & MS_REMOUNT)
        return do_remount(path, flags, mnt_flags_of(flags), options);
    if (flags & (MS_BIND | MS_MOVE | MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE))
        return -EINVAL;
    return do_new_mount(path, type, mnt_flags_of(flags), dev_name ? dev_name : "none", options);
}

int init_mount(const char *dev_name, const char *dir_name, const char *type, unsigned long flags,
               char *options)
{
    struct path path;
    int err = kern_path(dir_name, LOOKUP_FOLLOW, &path);

    if (err)
        return err;
    err = path_mount(dev_name, &path, type, flags, options);
    path_put(&path);
    return err;
}

/* ---- unmounting ---- */

/* Is m the mount n, or an ancestor of n? */
static bool is_mount_above(const struct mount *m, const struct mount *n)
{
    while (n && n != m)
        n = n->mnt_parent;
    return n;
}

/* Takes m out of the tree and adds it to doomed, for put_doomed(). */
static void detach(struct mount *m, struct list_head *doomed)
{
    m->mnt_attached = false;
    m->mnt_mountpoint->d_mounted--;
    m->mnt_parent->mnt_children--;
    m->mnt_parent->mnt_count--; /* never to 0: the tree has a reference */
    m->mnt_parent = NULL;
    list_del_init(&m->mnt_list);
    list_add_tail(&m->mnt_list, doomed);
}

/* Detaches top and all mounts below it. Children come after their parent in the list. */
static void detach_tree(struct mount *top, struct list_head *doomed)
{
    struct mount *m, *prev;

    for (m = list_entry(mounts.prev, struct mount, mnt_list); &m->mnt_list != &mounts; m = prev) {
        prev = list_entry(m->mnt_list.prev, struct mount, mnt_list);
        if (is_mount_above(top, m))
            detach(m, doomed);
    }
}

/* Detaches the unused automounts below top. */
static void shrink_submounts(const struct mount *top, struct list_head *doomed)
{
    struct mount *m, *prev;

    for (m = list_entry(mounts.prev, struct mount, mnt_list); &m->mnt_list != &mounts; m = prev) {
        prev = list_entry(m->mnt_list.prev, struct mount, mnt_list);
        if (m != top && m->mnt.mnt_flags & MNT_SHRINKABLE && !m->mnt_children &&
            m->mnt_count == 1 && is_mount_above(top, m))
            detach(m, doomed);
    }
}

/* Drops the references that the tree had to these mounts and their mount points. */
static void put_doomed(struct list_head *doomed)
{
    struct mount *m, *next;

    list_for_each_entry_safe(m, next, doomed, mnt_list) {
        list_del_init(&m->mnt_list);
        dput(m->mnt_mountpoint);
        mntput(&m->mnt);
    }
}

/* A mount is busy if it has children or more references than the tree's and the caller's. */
static int umount_locked(struct mount *m, int flags, struct list_head *doomed)
{
    if (flags & MNT_DETACH) {
        detach_tree(m, doomed);
        return 0;
    }
    shrink_submounts(m, doomed);
    if (m->mnt_children || m->mnt_count > 2)
        return -EBUSY;
    detach(m, doomed);
    return 0;
}

/* As in Linux, unmounting the root only makes it read-only. */
static int umount_root(int flags)
{
    struct vfsmount *root = &root_mount->mnt;

    return flags & MNT_DETACH ? -EINVAL : set_mount_flags(root, root->mnt_flags | MNT_READONLY);
}

static int path_umount(const struct path *path, int flags)
{
    struct mount *m = real_mount(path->mnt);
    LIST_HEAD(doomed);
    int err = -EINVAL;

    mutex_lock(&namespace_mutex);
    if (m == root_mount && is_mount(path)) {
        err = umount_root(flags);
    } else if (is_mount(path)) {
        spin_lock(&mount_lock);
        err = umount_locked(m, flags, &doomed);
        spin_unlock(&mount_lock);
    }
    mutex_unlock(&namespace_mutex);
    put_doomed(&doomed);
    return err;
}

int init_umount(const char *dir_name, int flags)
{
    struct path path;
    int err = kern_path(dir_name, LOOKUP_FOLLOW, &path);

    if (err)
        return err;
    err = path_umount(&path, flags);
    path_put(&path);
    return err;
}

/* Returns a mount whose mount point is this directory, in any mount; NULL: there is none. */
static struct mount *first_mount_on(const struct dentry *dentry)
{
    struct mount *m;

    list_for_each_entry(m, &mounts, mnt_list)
        if (m->mnt_mountpoint == dentry)
            return m;
    return NULL;
}

void detach_mounts(struct dentry *dentry)
{
    struct mount *m;
    LIST_HEAD(doomed);

    if (!READ_ONCE(dentry->d_mounted))
        return;
    mutex_lock(&namespace_mutex);
    spin_lock(&mount_lock);
    while ((m = first_mount_on(dentry)))
        detach_tree(m, &doomed);
    spin_unlock(&mount_lock);
    mutex_unlock(&namespace_mutex);
    put_doomed(&doomed);
}

/* ---- system calls ---- */

/* Copies a string, which may be NULL, from user memory. Returns NULL, ERR_PTR, or a copy for
 * kfree(). */
static char *copy_mount_string(const char __user *from)
{
    char *copy = from ? kmalloc(PATH_MAX) : NULL;
    long n;

    if (!copy)
        return from ? ERR_PTR(-ENOMEM) : NULL;
    n = strncpy_from_user(copy, from, PATH_MAX);
    if (n >= 0 && n < PATH_MAX)
        return copy;
    kfree(copy);
    return ERR_PTR(n < 0 ? n : -EINVAL);
}

static void free_string(char *string)
{
    if (!IS_ERR(string))
        kfree(string);
}

SYSCALL_DEFINE5(mount, char __user *, dev_name, char __user *, dir_name, char __user *, type,
                unsigned long, flags, void __user *, data)
{
    char *strings[] = {copy_mount_string(type), copy_mount_string(dev_name),
                       copy_mount_string(data), getname(dir_name)};
    unsigned int i;
    int err = 0;

    for (i = 0; i < ARRAY_SIZE(strings) && !err; i++)
        err = IS_ERR(strings[i]) ? PTR_ERR(strings[i]) : 0;
    if (!err)
        err = init_mount(strings[1], strings[3], strings[0], flags, strings[2]);
    for (i = 0; i < ARRAY_SIZE(strings); i++)
        free_string(strings[i]);
    return err;
}

/* MNT_FORCE has no effect, as in Linux for local file systems. MNT_EXPIRE is not supported. */
SYSCALL_DEFINE2(umount, char __user *, name, int, flags)
{
    char *path;
    int err;

    if (flags & ~(MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW))
        return -EINVAL;
    path = getname(name);
    if (IS_ERR(path))
        return PTR_ERR(path);
    err = init_umount(path, flags);
    kfree(path);
    return err;
}

/* ---- boot ---- */

void mnt_init(void)
{
    static struct file_system_type rootfs_fs_type = {
        .name = "rootfs", /* not registered: mounted only here */
        .root_mode = 0755,
        .fill_super = ramfs_fill_super,
    };
    struct vfsmount *mnt = vfs_kern_mount(&rootfs_fs_type, "rootfs", NULL);

    if (IS_ERR(mnt))
        panic("no memory for the root directory");
    root_mount = real_mount(mnt);
    root_mount->mnt_attached = true;
    list_add_tail(&root_mount->mnt_list, &mounts);
}
