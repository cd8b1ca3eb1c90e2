/* path.h - a place in the tree of names: which mount, and which name in it. */
#ifndef LINUX_PATH_H
#define LINUX_PATH_H

struct dentry;
struct vfsmount;

struct path {
    struct vfsmount *mnt;
    struct dentry *dentry;
};

/* A reference to both; put takes a path of NULLs, too. */
void path_get(const struct path *path);
void path_put(const struct path *path);

#endif
