/* initrd.h - the initial root directory. */
#ifndef LINUX_INITRD_H
#define LINUX_INITRD_H

/*
 * Unpacks the built-in archive and the boot loader's into the root directory, and frees their
 * memory.
 */
void populate_rootfs(void);

#endif
