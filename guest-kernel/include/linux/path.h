/* path.h - a location in the tree of mounts: a mount and a name in it. */
#ifndef LINUX_PATH_H
#define LINUX_PATH_H

struct dentry;
struct vfsmount;

struct path {
    struct vfsmount *mnt;
    struct dentry *dentry;
};

/* Get and drop references to both. path_put() accepts NULL pointers in path. */
void path_get(const struct path *path);
void path_put(const struct path *path);

#endif
