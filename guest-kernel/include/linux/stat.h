/* stat.h - file types and permissions. */
#ifndef LINUX_STAT_H
#define LINUX_STAT_H

#include <linux/types.h>

#define S_IFMT  0170000
#define S_IFREG 0100000
#define S_IFLNK 0120000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000

#define S_ISREG(m)  (((m)&S_IFMT) == S_IFREG)
#define S_ISDIR(m)  (((m)&S_IFMT) == S_IFDIR)
#define S_ISBLK(m)  (((m)&S_IFMT) == S_IFBLK)
#define S_ISLNK(m)  (((m)&S_IFMT) == S_IFLNK)
#define S_ISCHR(m)  (((m)&S_IFMT) == S_IFCHR)
#define S_ISFIFO(m) (((m)&S_IFMT) == S_IFIFO)

#define S_IALLUGO 07777

#define S_IRWXU 00700
#define S_IRUSR 00400
#define S_IWUSR 00200
#define S_IXUSR 00100
#define S_IRUGO 00444
#define S_IWUGO 00222
#define S_IXUGO 00111

struct kstat {
    dev_t dev;
    u64 ino;
    umode_t mode;
    unsigned int nlink;
    dev_t rdev;
    loff_t size;
    u32 blksize;
    u64 blocks;              /* of 512 bytes */
    u64 atime, mtime, ctime; /* in seconds */
};

#endif
