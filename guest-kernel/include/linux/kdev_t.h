/* kdev_t.h - numbers of devices: in the kernel, and as programs see them. */
#ifndef LINUX_KDEV_T_H
#define LINUX_KDEV_T_H

#include <linux/types.h>

#define MINORBITS 20
#define MINORMASK ((1U << MINORBITS) - 1)

#define MAJOR(dev)          ((unsigned int)((dev) >> MINORBITS))
#define MINOR(dev)          ((unsigned int)((dev)&MINORMASK))
#define MKDEV(major, minor) ((dev_t)(major) << MINORBITS | (minor))

/* For stat(): the upper bits of the minor number are above the major number. */
static inline u32 new_encode_dev(dev_t dev)
{
    unsigned int minor = MINOR(dev);

    return (minor & 0xff) | MAJOR(dev) << 8 | (minor & ~0xffu) << 12;
}

#endif
