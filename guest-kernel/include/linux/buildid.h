/* buildid.h - the id that a linker gives to an ELF file. */
#ifndef LINUX_BUILDID_H
#define LINUX_BUILDID_H

struct file;

enum { BUILD_ID_SIZE_MAX = 20 };

/* 0, or -EINVAL: it has none, or is no ELF file. build_id has BUILD_ID_SIZE_MAX bytes. May sleep.
 */
int build_id_parse(struct file *file, unsigned char *build_id, unsigned int *id_size);

#endif
