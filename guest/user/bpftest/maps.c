/* maps.c - arrays and hashes by their descriptors. */
#include "bpftest.h"

/* ---- maps ---- */

void test_array(void)
{
    unsigned int key = 3, next = 0;
    uint64_t value = 77, got = 0;
    int fd = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0);

    check("an array can be created", fd >= 0);
    check("a value can be stored", update(fd, &key, &value, BPF_ANY) == 0);
    check("and read", lookup(fd, &key, &got) == 0 && got == 77);
    check("a value that was never stored is zero",
          (key = 0, lookup(fd, &key, &got) == 0) && got == 0);
    check("BPF_NOEXIST is EEXIST", update(fd, &key, &value, BPF_NOEXIST) == -EEXIST);
    check("an unknown flag is EINVAL", update(fd, &key, &value, 8) == -EINVAL);
    check("an element of an array cannot be deleted", delete (fd, &key) == -EINVAL);
    check("the first key is 0", next_key(fd, NULL, &next) == 0 && next == 0);
    check("the next one is 1", next_key(fd, &key, &next) == 0 && next == 1);
    key = 3;
    check("after the last key is ENOENT", next_key(fd, &key, &next) == -ENOENT);
    key = 4;
    check("a key beyond the array is ENOENT, and E2BIG to store",
          lookup(fd, &key, &got) == -ENOENT && update(fd, &key, &value, 0) == -E2BIG);
    check("a bad address is EFAULT", update(fd, (void *)8, &value, 0) == -EFAULT);
    check("a descriptor that is no map is EINVAL, a closed one EBADF",
          lookup(0, &key, &got) == -EINVAL && lookup(63, &key, &got) == -EBADF);
    close(fd);
    check("keys of an array have 4 bytes",
          map_create(BPF_MAP_TYPE_ARRAY, 8, 8, 4, 0) == -EINVAL &&
              map_create(BPF_MAP_TYPE_ARRAY, 4, 0, 4, 0) == -EINVAL &&
              map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 0, 0) == -EINVAL);
    check("an unknown type or flag is EINVAL",
          map_create(99, 4, 8, 4, 0) == -EINVAL && map_create(2, 4, 8, 4, 1u << 20) == -EINVAL);
}

static int count_keys(int fd)
{
    uint64_t key, next;
    int n = 0, err = next_key(fd, NULL, &next);

    for (; !err && n < 100; n++) {
        key = next;
        err = next_key(fd, &key, &next);
    }
    return n;
}

void test_hash(void)
{
    uint64_t key = 1, value = 10, got;
    int fd = map_create(BPF_MAP_TYPE_HASH, 8, 8, 3, 0);

    check("a hash is empty", count_keys(fd) == 0 && lookup(fd, &key, &got) == -ENOENT);
    check("BPF_EXIST of a new key is ENOENT", update(fd, &key, &value, BPF_EXIST) == -ENOENT);
    check("BPF_NOEXIST stores it once", update(fd, &key, &value, BPF_NOEXIST) == 0 &&
                                            update(fd, &key, &value, BPF_NOEXIST) == -EEXIST);
    key = 2;
    update(fd, &key, &value, 0);
    key = 3;
    update(fd, &key, &value, 0);
    key = 4;
    check("a full hash is E2BIG", update(fd, &key, &value, 0) == -E2BIG);
    check("each key is listed once", count_keys(fd) == 3);
    key = 2;
    check("a key is deleted once", delete (fd, &key) == 0 && delete (fd, &key) == -ENOENT);
    key = 4;
    check("then another one has room", update(fd, &key, &value, 0) == 0 && count_keys(fd) == 3);
    close(fd);
}
