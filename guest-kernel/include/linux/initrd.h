/* initrd.h - the archive the boot loader left in memory. */
#ifndef LINUX_INITRD_H
#define LINUX_INITRD_H

/* Unpacks it into the root directory and gives its memory back. */
void populate_rootfs(void);

#endif
