/*
 * namei.c - path lookup, and operations on names.
 *
 * A name changes under its directory's lock. A rename takes the locks of both directories under
 * rename_mutex, so that two renames cannot deadlock and no directory becomes its own ancestor.
 */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

static DEFINE_MUTEX(rename_mutex);

/* The last component of a path, still to be looked up. */
struct last_component {
    const char *name; /* not NUL-terminated: len characters of the path */
    size_t len;       /* 0: the path is the directory itself, as in "/" */
    bool is_dir;      /* followed by a slash */
};

static bool is_dir(const struct dentry *dentry)
{
    return S_ISDIR(dentry->d_inode->i_mode);
}

static int path_start(int dfd, const char *name, struct path *path)
{
    struct file *file;

    if (!*name)
        return -ENOENT;
    if (*name == '/') {
        get_fs_root(current->fs, path);
        return 0;
    }
    if (dfd == AT_FDCWD) {
        get_fs_pwd(current->fs, path);
        return 0;
    }
    file = fget(dfd);
    if (!file)
        return -EBADF;
    *path = file->f_path;
    if (path->mnt)
        path_get(path);
    fput(file);
    return path->mnt ? 0 : -ENOTDIR;
}

/*
 * Moves path to the root directory of the mount that is attached there. automount: a directory
 * that mounts a file system on access does so first.
 */
static int follow_mounts(struct path *path, bool automount)
{
    int err;

    if (follow_down(path) || !automount)
        return 0;
    err = follow_automount(path);
    if (!err)
        follow_down(path);
    return err;
}

static void follow_dotdot(struct path *path)
{
    struct dentry *parent;

    if (is_fs_root(current->fs, path))
        return;
    while (path->dentry == path->mnt->mnt_root && follow_up(path))
        ;
    parent = dget_parent(path->dentry);
    dput(path->dentry);
    path->dentry = parent;
    follow_down(path);
}

/* ---- walking a path ---- */

enum { MAX_LINKS = 40 };

/* A path that is being looked up. */
struct nameidata {
    struct path path;           /* where the walk is; referenced */
    struct last_component last; /* the component of this step */
    const char *rest;           /* the text after it */
    char *text;                 /* the memory of both once a symbolic link was followed; or NULL */
    unsigned int links;         /* number of links followed */
};

/* Drops the references and the memory. */
static void nd_put(struct nameidata *nd)
{
    path_put(&nd->path);
    kfree(nd->text);
}

/*
 * Goes on with the target of a symbolic link in nd->path, which is a directory, in place of the
 * component. A link to an open file leads to it, whatever its name.
 */
static int follow_link(struct nameidata *nd, struct inode *link)
{
    const char *slash = nd->last.is_dir ? "/" : "";
    char *text, *target;
    int len;

    if (nd->links++ >= MAX_LINKS)
        return -ELOOP;
    if (link->i_op->jump_link) {
        struct path to;
        int err = link->i_op->jump_link(link, &to);

        if (err)
            return err;
        path_put(&nd->path);
        nd->path = to;
        nd->last.len = 0; /* the text that is left begins after it */
        return 0;
    }
    text = kmalloc(2 * PATH_MAX);
    target = kmalloc(PATH_MAX);
    len = text && target ? link->i_op->get_link(link, target) : -ENOMEM;
    if (len > 0 && len + strlen(nd->rest) + 2 > 2 * PATH_MAX)
        len = -ENAMETOOLONG;
    if (len > 0) {
        snprintf(text, 2 * PATH_MAX, "%s%s%s", target, slash, nd->rest);
        kfree(nd->text);
        nd->text = text;
        nd->rest = text;
    } else {
        kfree(text);
    }
    kfree(target);
    if (len <= 0)
        return len ? len : -ENOENT;
    if (*nd->rest == '/') {
        path_put(&nd->path);
        get_fs_root(current->fs, &nd->path);
    }
    return 0;
}

/* Moves nd to a name of its directory; or, if that is a link to be followed, to its target's start:
 * then it returns 1, and there is more text. */
static int step_into(struct nameidata *nd, bool follow, bool automount)
{
    struct dentry *dir = nd->path.dentry;
    const struct inode_operations *op = dir->d_inode->i_op;
    struct dentry *d = d_lookup(dir, nd->last.name, nd->last.len);
    int err;

    if (!d && op && op->lookup)
        d = op->lookup(dir, nd->last.name, nd->last.len);
    if (!d)
        return -ENOENT;
    if (follow && S_ISLNK(d->d_inode->i_mode)) {
        err = follow_link(nd, d->d_inode);
        dput(d);
        return err ? err : nd->last.len > 0;
    }
    nd->path.dentry = d;
    dput(dir);
    return follow_mounts(&nd->path, automount);
}

/* Walks to nd->last. As step_into(); on error nd is given up. */
static int walk_component(struct nameidata *nd, bool follow, bool automount)
{
    const char *name = nd->last.name;
    size_t len = nd->last.len;
    int err = 0;

    if (!is_dir(nd->path.dentry))
        err = -ENOTDIR;
    else if (len > NAME_MAX)
        err = -ENAMETOOLONG;
    else if (len == 2 && name[0] == '.' && name[1] == '.')
        follow_dotdot(&nd->path);
    else if (len > 1 || (len == 1 && name[0] != '.'))
        err = step_into(nd, follow, automount);
    if (err < 0)
        nd_put(nd);
    return err;
}

/* Walks the text but for its last component, which must be in a directory. On error nd is given
 * up. */
static int link_path_walk(struct nameidata *nd)
{
    int err = 0;

    while (err >= 0) {
        const char *name = nd->rest;
        size_t len = 0;

        while (*name == '/')
            name++;
        while (name[len] && name[len] != '/')
            len++;
        nd->last = (struct last_component){name, len, name[len] == '/'};
        for (name += len; *name == '/';)
            name++;
        nd->rest = name;
        if (!*name)
            break;
        err = walk_component(nd, true, true);
    }
    if (err >= 0 && !is_dir(nd->path.dentry)) {
        nd_put(nd);
        err = -ENOTDIR;
    }
    return min(err, 0);
}

/*
 * Looks up all components but the last, which is in nd->last. Returns 0, with the directory in
 * nd->path, for nd_put(); or an error.
 */
static int path_parentat(int dfd, const char *name, struct nameidata *nd)
{
    int err;

    *nd = (struct nameidata){.rest = name};
    err = path_start(dfd, name, &nd->path);
    return err ? err : link_path_walk(nd);
}

int kern_path_at(int dfd, const char *name, unsigned int flags, struct path *res)
{
    struct nameidata nd;
    bool want_dir = false;
    int err = path_parentat(dfd, name, &nd);

    while (!err) {
        want_dir = nd.last.is_dir || flags & LOOKUP_DIRECTORY;
        err = walk_component(&nd, nd.last.is_dir || flags & LOOKUP_FOLLOW,
                             want_dir || flags & LOOKUP_OPEN);
        if (err <= 0)
            break;
        err = link_path_walk(&nd);
    }
    if (err)
        return err;
    if (want_dir && !is_dir(nd.path.dentry)) {
        nd_put(&nd);
        return -ENOTDIR;
    }
    *res = nd.path;
    kfree(nd.text);
    return 0;
}

int kern_path(const char *name, unsigned int flags, struct path *res)
{
    return kern_path_at(AT_FDCWD, name, flags, res);
}

static bool is_dot_or_none(const struct last_component *last)
{
    return last->len == 0 || (last->len <= 2 && !memcmp(last->name, "..", last->len));
}

/* ---- opening ---- */

static int may_open(const struct path *path, int flags)
{
    umode_t mode = path->dentry->d_inode->i_mode;
    int acc = flags & O_ACCMODE;

    if ((flags & O_DIRECTORY) && !S_ISDIR(mode))
        return -ENOTDIR;
    if (S_ISLNK(mode)) /* with O_NOFOLLOW */
        return -ELOOP;
    if (S_ISDIR(mode) && (acc != O_RDONLY || (flags & (O_CREAT | O_TRUNC))))
        return -EISDIR;
    if ((S_ISCHR(mode) || S_ISBLK(mode)) && path->mnt->mnt_flags & MNT_NODEV)
        return -EACCES;
    if (acc != O_RDONLY && !(mode & S_IWUGO))
        return -EACCES;
    if (acc != O_WRONLY && !(mode & S_IRUGO))
        return -EACCES;
    return 0;
}

static int handle_truncate(const struct path *path)
{
    int err = mnt_want_write(path->mnt);

    if (err)
        return err;
    err = do_truncate(path->dentry->d_inode, 0);
    mnt_drop_write(path->mnt);
    return err;
}

static struct file *open_existing(const struct path *path, int flags)
{
    struct inode *inode = path->dentry->d_inode;
    int err = may_open(path, flags);
    struct file *file;

    if (err)
        return ERR_PTR(err);
    file = dentry_open(path, inode, flags);
    if (!IS_ERR(file) && (flags & O_TRUNC) && S_ISREG(inode->i_mode))
        err = handle_truncate(path);
    if (err) {
        fput(file);
        return ERR_PTR(err);
    }
    return file;
}

/* Creates a file. The directory is locked, its mount is writable, and the name does not exist. */
static struct dentry *create_locked(struct dentry *dir, const struct last_component *last,
                                    umode_t mode)
{
    struct inode *inode = dir->d_inode;
    struct dentry *d;
    int err;

    if (last->len > NAME_MAX)
        return ERR_PTR(-ENAMETOOLONG);
    if (d_unhashed(dir))
        return ERR_PTR(-ENOENT);
    if (!inode->i_op || !inode->i_op->create)
        return ERR_PTR(-EACCES);
    d = d_alloc(dir, last->name, last->len);
    if (!d)
        return ERR_PTR(-ENOMEM);
    err = inode->i_op->create(inode, d, S_IFREG | (mode & ~S_IFMT));
    if (err) {
        dput(d);
        return ERR_PTR(err);
    }
    return d;
}

/* Looks up a name, or creates it. */
static struct dentry *lookup_or_create(const struct path *dir, const struct last_component *last,
                                       umode_t mode, bool *created)
{
    int read_only = mnt_want_write(dir->mnt);
    struct dentry *d;

    inode_lock(dir->dentry->d_inode);
    d = d_lookup(dir->dentry, last->name, last->len);
    *created = !d;
    if (!d)
        d = read_only ? ERR_PTR(read_only) : create_locked(dir->dentry, last, mode);
    inode_unlock(dir->dentry->d_inode);
    if (!read_only)
        mnt_drop_write(dir->mnt);
    return d;
}

/*
 * Opens or creates a file in the directory nd->path, which is changed to the path of the file. Or,
 * if a symbolic link is there, goes to its target's directory and returns NULL. On error nd is left
 * to the caller, unless *given_up is set.
 */
static struct file *open_create_in(struct nameidata *nd, int flags, umode_t mode, bool *given_up)
{
    struct path *path = &nd->path;
    struct dentry *dir = path->dentry, *d;
    bool created = false;
    int err;

    if (is_dot_or_none(&nd->last) || nd->last.is_dir)
        return ERR_PTR(-EISDIR);
    d = lookup_or_create(path, &nd->last, mode, &created);
    if (IS_ERR(d))
        return ERR_PTR(PTR_ERR(d));
    if (S_ISLNK(d->d_inode->i_mode) && !(flags & (O_EXCL | O_NOFOLLOW))) {
        err = follow_link(nd, d->d_inode);
        dput(d);
        if (!err && !nd->last.len)
            return open_existing(path, flags);
        if (!err) {
            err = link_path_walk(nd);
            *given_up = err;
        }
        return err ? ERR_PTR(err) : NULL;
    }
    path->dentry = d;
    dput(dir);
    if (created)
        return dentry_open(path, d->d_inode, flags & ~O_TRUNC);
    err = flags & O_EXCL ? -EEXIST : follow_mounts(path, true);
    return err ? ERR_PTR(err) : open_existing(path, flags);
}

static struct file *path_open_create(int dfd, const char *name, int flags, umode_t mode)
{
    struct file *file = NULL;
    bool given_up = false;
    struct nameidata nd;
    int err = path_parentat(dfd, name, &nd);

    if (err)
        return ERR_PTR(err);
    while (!file)
        file = open_create_in(&nd, flags, mode, &given_up);
    if (!given_up)
        nd_put(&nd);
    return file;
}

struct file *do_filp_open(int dfd, const char *name, int flags, umode_t mode)
{
    unsigned int follow = flags & O_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
    struct path path;
    struct file *file;
    int err;

    if (flags & O_CREAT)
        return path_open_create(dfd, name, flags, mode);
    err = kern_path_at(dfd, name, LOOKUP_OPEN | follow, &path);
    if (err)
        return ERR_PTR(err);
    file = open_existing(&path, flags);
    path_put(&path);
    return file;
}

/* ---- mkdir, unlink, rmdir, rename ---- */

/* What a new name is to be. */
struct new_name {
    umode_t mode;          /* S_IFDIR or S_IFLNK */
    const char *target;    /* of a symbolic link */
    const struct path *of; /* the file that gets one more name; or NULL */
};

noinline int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *oldname)
{
    return dir->i_op->symlink(dir, dentry, oldname);
}

static int make_inode(struct inode *dir, struct dentry *d, const struct new_name *new)
{
    const struct inode_operations *op = dir->i_op;

    if (new->of)
        return op->link(new->of->dentry->d_inode, dir, d);
    return S_ISDIR(new->mode) ? op->mkdir(dir, d, new->mode) : vfs_symlink(dir, d, new->target);
}

static bool can_make(const struct inode_operations *op, const struct new_name *new)
{
    if (!op)
        return false;
    if (new->of)
        return op->link;
    return S_ISDIR(new->mode) ? op->mkdir != NULL : op->symlink != NULL;
}

/* read_only: the result of mnt_want_write() for the directory's mount. */
static int make_locked(struct dentry *dir, const struct last_component *last,
                       const struct new_name *new, int read_only)
{
    struct inode *inode = dir->d_inode;
    struct dentry *d = d_lookup(dir, last->name, last->len);
    int err = -EEXIST;

    if (!d) {
        if (last->len > NAME_MAX)
            return -ENAMETOOLONG;
        if (d_unhashed(dir) || (last->is_dir && !S_ISDIR(new->mode)))
            return -ENOENT;
        if (read_only)
            return read_only;
        if (!can_make(inode->i_op, new))
            return -EPERM;
        d = d_alloc(dir, last->name, last->len);
        err = d ? make_inode(inode, d, new) : -ENOMEM;
    }
    dput(d);
    return err;
}

static int make_name(int dfd, const char *name, const struct new_name *new)
{
    struct nameidata nd;
    int err = path_parentat(dfd, name, &nd), read_only;
    struct dentry *dir;

    if (err)
        return err;
    dir = nd.path.dentry;
    read_only = mnt_want_write(nd.path.mnt);
    inode_lock(dir->d_inode);
    if (is_dot_or_none(&nd.last))
        err = -EEXIST;
    else if (new->of &&new->of->mnt != nd.path.mnt)
        err = -EXDEV;
    else
        err = make_locked(dir, &nd.last, new, read_only);
    inode_unlock(dir->d_inode);
    if (!read_only)
        mnt_drop_write(nd.path.mnt);
    nd_put(&nd);
    return err;
}

int do_mkdirat(int dfd, const char *name, umode_t mode)
{
    return make_name(dfd, name, &(struct new_name){.mode = S_IFDIR | (mode & ~S_IFMT)});
}

int do_symlinkat(const char *target, int dfd, const char *name)
{
    return make_name(dfd, name, &(struct new_name){.mode = S_IFLNK, .target = target});
}

int do_linkat(int olddfd, const char *oldname, int newdfd, const char *newname, bool follow)
{
    struct path old;
    int err = kern_path_at(olddfd, oldname, follow ? LOOKUP_FOLLOW : 0, &old);

    if (err)
        return err;
    err = is_dir(old.dentry)
              ? -EPERM
              : make_name(newdfd, newname,
                          &(struct new_name){.mode = old.dentry->d_inode->i_mode, .of = &old});
    path_put(&old);
    return err;
}

int vfs_readlink(const struct path *path, char *buf)
{
    struct inode *inode = path->dentry->d_inode;

    return S_ISLNK(inode->i_mode) ? inode->i_op->get_link(inode, buf) : -EINVAL;
}

/*
 * Removes a name. The lock of the victim is held, too, so that a directory gets no new names
 * meanwhile.
 */
static int remove_locked(struct dentry *dir, struct dentry *victim, bool want_dir)
{
    const struct inode_operations *op = dir->d_inode->i_op;
    int err;

    if (want_dir != is_dir(victim))
        return want_dir ? -ENOTDIR : -EISDIR;
    if (!op || !(want_dir ? op->rmdir : op->unlink))
        return -EPERM;
    if (READ_ONCE(victim->d_mounted))
        return -EBUSY;
    err = want_dir ? op->rmdir(dir->d_inode, victim) : op->unlink(dir->d_inode, victim);
    if (!err)
        d_drop(victim);
    return err;
}

static int lookup_and_remove(struct dentry *dir, const struct last_component *last, bool want_dir)
{
    struct dentry *victim = d_lookup(dir, last->name, last->len);
    int err;

    if (!victim)
        return -ENOENT;
    inode_lock(victim->d_inode);
    err = !want_dir && last->is_dir && !is_dir(victim) ? -ENOTDIR
                                                       : remove_locked(dir, victim, want_dir);
    inode_unlock(victim->d_inode);
    dput(victim);
    return err;
}

static int remove_from(const struct path *dir, const struct last_component *last, bool want_dir)
{
    int err;

    if (is_dot_or_none(last))
        return !want_dir        ? -EISDIR
               : last->len == 0 ? -EBUSY
               : last->len == 1 ? -EINVAL
                                : -ENOTEMPTY;
    err = mnt_want_write(dir->mnt);
    if (err)
        return err;
    inode_lock(dir->dentry->d_inode);
    err = lookup_and_remove(dir->dentry, last, want_dir);
    inode_unlock(dir->dentry->d_inode);
    mnt_drop_write(dir->mnt);
    return err;
}

static int remove_name(int dfd, const char *name, bool want_dir)
{
    struct nameidata nd;
    int err = path_parentat(dfd, name, &nd);

    if (err)
        return err;
    err = remove_from(&nd.path, &nd.last, want_dir);
    nd_put(&nd);
    return err;
}

int do_unlinkat(int dfd, const char *name)
{
    return remove_name(dfd, name, false);
}

int do_rmdir(int dfd, const char *name)
{
    return remove_name(dfd, name, true);
}

/* Removes the existing target of a rename, if that is allowed. It may not contain the source. */
static int remove_target(struct dentry *source, struct dentry *new_dir, struct dentry *target)
{
    int err;

    if (is_subdir(source, target))
        return -ENOTEMPTY;
    if (is_dir(source) && !is_dir(target))
        return -ENOTDIR;
    inode_lock(target->d_inode);
    err = remove_locked(new_dir, target, is_dir(source));
    inode_unlock(target->d_inode);
    return err;
}

static int rename_locked(struct dentry *old_dir, struct dentry *source, struct dentry *new_dir,
                         const struct last_component *new)
{
    const struct inode_operations *op = old_dir->d_inode->i_op;
    struct dentry *target;
    char name[NAME_MAX + 1];
    int err = 0;

    if (new->len > NAME_MAX)
        return -ENAMETOOLONG;
    if (d_unhashed(new_dir))
        return -ENOENT;
    if (!op || !op->rename)
        return -EPERM;
    if (is_subdir(new_dir, source))
        return -EINVAL;
    target = d_lookup(new_dir, new->name, new->len);
    if (target == source) {
        dput(target);
        return 0;
    }
    if (READ_ONCE(source->d_mounted))
        err = -EBUSY;
    else if (target)
        err = remove_target(source, new_dir, target);
    dput(target);
    if (err)
        return err;
    memcpy(name, new->name, new->len);
    name[new->len] = 0;
    err = op->rename(old_dir->d_inode, source, new_dir->d_inode, name);
    return err ? err : d_move(source, new_dir, name);
}

/*
 * The ancestor first. Unrelated directories need no order: rename_mutex allows one rename at a
 * time.
 */
static void lock_rename(struct dentry *a, struct dentry *b)
{
    mutex_lock(&rename_mutex);
    if (a != b && is_subdir(a, b)) {
        inode_lock(b->d_inode);
        inode_lock(a->d_inode);
        return;
    }
    inode_lock(a->d_inode);
    if (a != b)
        inode_lock(b->d_inode);
}

static void unlock_rename(struct dentry *a, struct dentry *b)
{
    inode_unlock(a->d_inode);
    if (a != b)
        inode_unlock(b->d_inode);
    mutex_unlock(&rename_mutex);
}

static int rename_between(struct dentry *old_dir, const struct last_component *old,
                          struct dentry *new_dir, const struct last_component *new)
{
    struct dentry *source;
    int err;

    lock_rename(old_dir, new_dir);
    source = d_lookup(old_dir, old->name, old->len);
    if (!source)
        err = -ENOENT;
    else if ((old->is_dir || new->is_dir) && !is_dir(source))
        err = -ENOTDIR;
    else
        err = rename_locked(old_dir, source, new_dir, new);
    unlock_rename(old_dir, new_dir);
    dput(source);
    return err;
}

static int rename_paths(const struct path *old_dir, const struct last_component *old,
                        const struct path *new_dir, const struct last_component *new)
{
    int err;

    if (old_dir->mnt != new_dir->mnt)
        return -EXDEV;
    if (is_dot_or_none(old) || is_dot_or_none(new))
        return -EBUSY;
    err = mnt_want_write(old_dir->mnt);
    if (err)
        return err;
    err = rename_between(old_dir->dentry, old, new_dir->dentry, new);
    mnt_drop_write(old_dir->mnt);
    return err;
}

int do_renameat(int olddfd, const char *oldname, int newdfd, const char *newname)
{
    struct nameidata old, new;
    int err = path_parentat(olddfd, oldname, &old);

    if (err)
        return err;
    err = path_parentat(newdfd, newname, &new);
    if (!err) {
        err = rename_paths(&old.path, &old.last, &new.path, &new.last);
        nd_put(&new);
    }
    nd_put(&old);
    return err;
}
