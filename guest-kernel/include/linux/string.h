/* string.h - memory and string functions. Not instrumented: tracers use them. */
#ifndef LINUX_STRING_H
#define LINUX_STRING_H

#include <linux/types.h>

void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
/* The last one. */
char *strrchr(const char *s, int c);
/* The first place of sub; NULL: none. */
char *strstr(const char *s, const char *sub);
/* Copies to memory from kmalloc(); NULL: no memory. */
char *kmemdup_nul(const char *s, size_t len);
char *kstrdup(const char *s);
/* Copies at most size-1 characters and a NUL; returns the length or -E2BIG. */
ssize_t strscpy(char *dst, const char *src, size_t size);
/* Splits the next field, which ends at a character of delim, off *s; NULL: none left. */
char *strsep(char **s, const char *delim);
/* Removes white space at both ends, in place. */
char *strstrip(char *s);

#endif
