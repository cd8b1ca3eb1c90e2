/*
 * namei.c - from a path to what it names, and changing names.
 *
 * A name changes under its directory's lock; a rename takes both directories'
 * under rename_mutex, so that no two renames wait for each other and no
 * directory can become its own ancestor.
 */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/sched.h>
#include <linux/string.h>

static DEFINE_MUTEX(rename_mutex);

/* The last component of a path, still to be looked up. */
struct last_component {
    const char *name; /* not ended: len characters of the path */
    size_t len;       /* 0: the path is its own directory, as in "/" */
    bool is_dir;      /* a slash follows */
};

static bool is_dir(const struct dentry *dentry)
{
    return S_ISDIR(dentry->d_inode->i_mode);
}

static struct dentry *path_start(int dfd, const char *name)
{
    struct dentry *start;
    struct file *file;

    if (!*name)
        return ERR_PTR(-ENOENT);
    if (*name == '/')
        return dget(root_dentry);
    if (dfd == AT_FDCWD)
        return get_fs_pwd(current->fs);
    file = fget(dfd);
    if (!file)
        return ERR_PTR(-EBADF);
    start = file->f_dentry ? dget(file->f_dentry) : ERR_PTR(-ENOTDIR);
    fput(file);
    return start;
}

static struct dentry *lookup(struct dentry *dir, const char *name, size_t len)
{
    const struct inode_operations *op = dir->d_inode->i_op;
    struct dentry *d = d_lookup(dir, name, len);

    return !d && op && op->lookup ? op->lookup(dir, name, len) : d;
}

/* One component further; dir's reference is given up for the answer's. */
static struct dentry *walk_component(struct dentry *dir, const char *name, size_t len)
{
    struct dentry *next;

    if (!is_dir(dir))
        next = ERR_PTR(-ENOTDIR);
    else if (len > NAME_MAX)
        next = ERR_PTR(-ENAMETOOLONG);
    else if (len == 0 || (len == 1 && name[0] == '.'))
        return dir;
    else if (len == 2 && name[0] == '.' && name[1] == '.')
        next = dget_parent(dir);
    else
        next = lookup(dir, name, len);
    dput(dir);
    return next ? next : ERR_PTR(-ENOENT);
}

/* All but the last component; answers the directory, referenced. */
static struct dentry *path_parentat(int dfd, const char *name, struct last_component *last)
{
    struct dentry *dir = path_start(dfd, name);

    while (!IS_ERR(dir)) {
        size_t len = 0;

        while (*name == '/')
            name++;
        while (name[len] && name[len] != '/')
            len++;
        *last = (struct last_component){name, len, name[len] == '/'};
        for (name += len; *name == '/';)
            name++;
        if (!*name)
            break;
        dir = walk_component(dir, last->name, last->len);
    }
    if (!IS_ERR(dir) && !is_dir(dir)) {
        dput(dir);
        return ERR_PTR(-ENOTDIR);
    }
    return dir;
}

int kern_path_at(int dfd, const char *name, struct dentry **res)
{
    struct last_component last;
    struct dentry *d = path_parentat(dfd, name, &last);

    if (!IS_ERR(d))
        d = walk_component(d, last.name, last.len);
    if (IS_ERR(d))
        return PTR_ERR(d);
    if (last.is_dir && !is_dir(d)) {
        dput(d);
        return -ENOTDIR;
    }
    *res = d;
    return 0;
}

int kern_path(const char *name, struct dentry **res)
{
    return kern_path_at(AT_FDCWD, name, res);
}

static bool is_dot_or_none(const struct last_component *last)
{
    return last->len == 0 || (last->len <= 2 && !memcmp(last->name, "..", last->len));
}

/* ---- opening ---- */

static int may_open(const struct inode *inode, int flags)
{
    int acc = flags & O_ACCMODE;

    if ((flags & O_DIRECTORY) && !S_ISDIR(inode->i_mode))
        return -ENOTDIR;
    if (S_ISDIR(inode->i_mode) && (acc != O_RDONLY || (flags & (O_CREAT | O_TRUNC))))
        return -EISDIR;
    if (acc != O_RDONLY && !(inode->i_mode & S_IWUGO))
        return -EACCES;
    if (acc != O_WRONLY && !(inode->i_mode & S_IRUGO))
        return -EACCES;
    return 0;
}

static struct file *open_existing(struct dentry *dentry, int flags)
{
    int err = may_open(dentry->d_inode, flags);
    struct file *file;

    if (err)
        return ERR_PTR(err);
    file = dentry_open(dentry, dentry->d_inode, flags);
    if (!IS_ERR(file) && (flags & O_TRUNC) && S_ISREG(dentry->d_inode->i_mode))
        err = do_truncate(dentry->d_inode, 0);
    if (err) {
        fput(file);
        return ERR_PTR(err);
    }
    return file;
}

/* In a directory that is locked, and not yet there. */
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

/* Finds the name or makes it. */
static struct dentry *lookup_or_create(struct dentry *dir, const struct last_component *last,
                                       umode_t mode, bool *created)
{
    struct dentry *d;

    inode_lock(dir->d_inode);
    d = d_lookup(dir, last->name, last->len);
    *created = !d;
    if (!d)
        d = create_locked(dir, last, mode);
    inode_unlock(dir->d_inode);
    return d;
}

static struct file *open_create(int dfd, const char *name, int flags, umode_t mode)
{
    struct last_component last;
    struct dentry *dir = path_parentat(dfd, name, &last), *d;
    struct file *file;
    bool created = false;

    if (IS_ERR(dir))
        return ERR_PTR(PTR_ERR(dir));
    if (is_dot_or_none(&last) || last.is_dir)
        d = ERR_PTR(-EISDIR);
    else
        d = lookup_or_create(dir, &last, mode, &created);
    dput(dir);
    if (IS_ERR(d))
        return ERR_PTR(PTR_ERR(d));
    if (created)
        file = dentry_open(d, d->d_inode, flags & ~O_TRUNC);
    else
        file = flags & O_EXCL ? ERR_PTR(-EEXIST) : open_existing(d, flags);
    dput(d);
    return file;
}

struct file *do_filp_open(int dfd, const char *name, int flags, umode_t mode)
{
    struct dentry *d;
    struct file *file;
    int err;

    if (flags & O_CREAT)
        return open_create(dfd, name, flags, mode);
    err = kern_path_at(dfd, name, &d);
    if (err)
        return ERR_PTR(err);
    file = open_existing(d, flags);
    dput(d);
    return file;
}

/* ---- directories made, names taken away and moved ---- */

static int mkdir_locked(struct dentry *dir, const struct last_component *last, umode_t mode)
{
    struct inode *inode = dir->d_inode;
    struct dentry *d = d_lookup(dir, last->name, last->len);
    int err = -EEXIST;

    if (!d) {
        if (last->len > NAME_MAX)
            return -ENAMETOOLONG;
        if (d_unhashed(dir))
            return -ENOENT;
        if (!inode->i_op || !inode->i_op->mkdir)
            return -EPERM;
        d = d_alloc(dir, last->name, last->len);
        err = d ? inode->i_op->mkdir(inode, d, S_IFDIR | (mode & ~S_IFMT)) : -ENOMEM;
    }
    dput(d);
    return err;
}

int do_mkdirat(int dfd, const char *name, umode_t mode)
{
    struct last_component last;
    struct dentry *dir = path_parentat(dfd, name, &last);
    int err;

    if (IS_ERR(dir))
        return PTR_ERR(dir);
    inode_lock(dir->d_inode);
    err = is_dot_or_none(&last) ? -EEXIST : mkdir_locked(dir, &last, mode);
    inode_unlock(dir->d_inode);
    dput(dir);
    return err;
}

/* The victim's own lock is held too if it is a directory: nothing may appear in it meanwhile. */
static int remove_locked(struct dentry *dir, struct dentry *victim, bool want_dir)
{
    const struct inode_operations *op = dir->d_inode->i_op;
    int err;

    if (want_dir != is_dir(victim))
        return want_dir ? -ENOTDIR : -EISDIR;
    if (!op || !(want_dir ? op->rmdir : op->unlink))
        return -EPERM;
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

static int remove_name(int dfd, const char *name, bool want_dir)
{
    struct last_component last;
    struct dentry *dir = path_parentat(dfd, name, &last);
    int err;

    if (IS_ERR(dir))
        return PTR_ERR(dir);
    inode_lock(dir->d_inode);
    if (is_dot_or_none(&last))
        err = !want_dir ? -EISDIR : last.len == 0 ? -EBUSY : last.len == 1 ? -EINVAL : -ENOTEMPTY;
    else
        err = lookup_and_remove(dir, &last, want_dir);
    inode_unlock(dir->d_inode);
    dput(dir);
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

/* What already has the new name goes, if it may.  One that holds the source may not. */
static int make_way(struct dentry *source, struct dentry *new_dir, struct dentry *target)
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
    if (new_dir->d_inode->i_op != op)
        return -EXDEV;
    if (is_subdir(new_dir, source))
        return -EINVAL;
    target = d_lookup(new_dir, new->name, new->len);
    if (target == source) {
        dput(target);
        return 0;
    }
    if (target)
        err = make_way(source, new_dir, target);
    dput(target);
    if (err)
        return err;
    memcpy(name, new->name, new->len);
    name[new->len] = 0;
    err = op->rename(old_dir->d_inode, source, new_dir->d_inode, name);
    return err ? err : d_move(source, new_dir, name);
}

/* rename_mutex is held, so the order in which a rename takes two locks does not matter. */
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

    if (is_dot_or_none(old) || is_dot_or_none(new))
        return -EBUSY;
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

int do_renameat(int olddfd, const char *oldname, int newdfd, const char *newname)
{
    struct last_component old, new;
    struct dentry *old_dir = path_parentat(olddfd, oldname, &old), *new_dir;
    int err;

    if (IS_ERR(old_dir))
        return PTR_ERR(old_dir);
    new_dir = path_parentat(newdfd, newname, &new);
    if (IS_ERR(new_dir)) {
        dput(old_dir);
        return PTR_ERR(new_dir);
    }
    err = rename_between(old_dir, &old, new_dir, &new);
    dput(new_dir);
    dput(old_dir);
    return err;
}
