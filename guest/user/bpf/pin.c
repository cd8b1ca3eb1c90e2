/* pin.c - names in the file system bpf, which keep maps, programs and links. */
#include "bpf.h"

static const char *directory; /* where names are made; NULL: nowhere */

void pin_in(const char *dir)
{
    int err = mkdir(dir, 0700);

    if (err && err != -EEXIST)
        fail_err(dir, err);
    directory = dir;
}

int get_pinned(const char *path)
{
    union bpf_attr attr = {.pathname = (unsigned long)path};

    return bpf(BPF_OBJ_GET, &attr);
}

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", directory, name);
}

void pin(int fd, const char *name)
{
    union bpf_attr attr = {.obj_fd = fd};
    char path[PATH_MAX];
    int err;

    if (!directory)
        return;
    path_of(path, sizeof(path), name);
    attr.pathname = (unsigned long)path;
    err = bpf(BPF_OBJ_PIN, &attr);
    if (err)
        fail_err(path, err);
}

/* A map that has the name already is used if it is of the same kind. */
int pinned_map(const struct map *map)
{
    struct bpf_map_info info = {0};
    union bpf_attr attr = {.info = {.info_len = sizeof(info)}};
    char path[PATH_MAX];
    int fd;

    if (!directory)
        return -1;
    path_of(path, sizeof(path), map->name);
    fd = get_pinned(path);
    if (fd < 0)
        return -1;
    attr.info.bpf_fd = fd;
    attr.info.info = (unsigned long)&info;
    if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) || info.type != map->type ||
        info.key_size != map->key_size || info.value_size != map->value_size ||
        info.max_entries != map->max_entries || info.map_flags != map->flags)
        fail(path, "is another map");
    return fd;
}
