/* mount.h - flags of mount(2) and umount2(2), with Linux's values. */
#ifndef UAPI_LINUX_MOUNT_H
#define UAPI_LINUX_MOUNT_H

/* mount(2) */
#define MS_RDONLY      0x1ul
#define MS_NOSUID      0x2ul
#define MS_NODEV       0x4ul
#define MS_NOEXEC      0x8ul
#define MS_REMOUNT     0x20ul
#define MS_NOATIME     0x400ul
#define MS_NODIRATIME  0x800ul
#define MS_BIND        0x1000ul
#define MS_MOVE        0x2000ul
#define MS_REC         0x4000ul
#define MS_UNBINDABLE  0x20000ul
#define MS_PRIVATE     0x40000ul
#define MS_SLAVE       0x80000ul
#define MS_SHARED      0x100000ul
#define MS_RELATIME    0x200000ul
#define MS_STRICTATIME 0x1000000ul
#define MS_NOUSER      0x80000000ul

/* umount2(2) */
#define MNT_FORCE       1
#define MNT_DETACH      2
#define UMOUNT_NOFOLLOW 8

#endif
