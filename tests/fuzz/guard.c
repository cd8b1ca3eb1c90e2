/*
 * guard.c - guest memory between two inaccessible pages. The linker uses these
 * functions instead of mmap and the like (--wrap), because the address sanitizer
 * does not check memory from mmap.
 */
#include <stdint.h>
#include <sys/mman.h>

enum { GUARD_BYTES = 4096 };

void *__real_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t len);
void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t len);
int __wrap_madvise(void *at, size_t len, int advice);

static size_t whole_pages(size_t len)
{
    return (len + GUARD_BYTES - 1) & ~(size_t)(GUARD_BYTES - 1);
}

void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
    uint8_t *p = __real_mmap(at, whole_pages(len) + 2 * GUARD_BYTES, PROT_NONE, flags, fd, offset);

    if (p == MAP_FAILED || mprotect(p + GUARD_BYTES, whole_pages(len), protection) != 0)
        return MAP_FAILED;
    return p + GUARD_BYTES;
}

int __wrap_munmap(void *at, size_t len)
{
    return __real_munmap((uint8_t *)at - GUARD_BYTES, whole_pages(len) + 2 * GUARD_BYTES);
}

/* Huge pages would have to be cleared for each input, and most inputs touch a few bytes. */
int __wrap_madvise(void *at, size_t len, int advice)
{
    (void)at;
    (void)len;
    (void)advice;
    return 0;
}
