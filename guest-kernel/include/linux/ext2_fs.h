/* ext2_fs.h - the file system type ext2. */
#ifndef LINUX_EXT2_FS_H
#define LINUX_EXT2_FS_H

void ext2_init(void);

#endif
