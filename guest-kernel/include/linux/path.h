/* path.h - a location: a dentry in a mount. */
#ifndef LINUX_PATH_H
#define LINUX_PATH_H

struct dentry;
struct vfsmount;

struct path {
    struct vfsmount *mnt;
    struct dentry *dentry;
};

/* Get or put references to both; path_put() ignores a path of NULLs. */
void path_get(const struct path *path);
void path_put(const struct path *path);

#endif
