/* device.h - files in /dev. */
#ifndef LINUX_DEVICE_H
#define LINUX_DEVICE_H

#include <linux/fs.h>
#include <linux/kdev_t.h>

/* Creates a character device's file in /dev. Called at boot: panics if it cannot. */
void device_create(const char *name, dev_t devt, const struct file_operations *fops);

/* The same with data, which becomes i_private; after boot, too. 0 or -ENOMEM. */
int device_create_data(const char *name, dev_t devt, void *data,
                       const struct file_operations *fops);

/* The same for a block device; data becomes i_private. Returns the inode. */
struct inode *device_create_block(const char *name, dev_t devt, void *data,
                                  const struct file_operations *fops);

void chr_dev_init(void); /* drivers/char/mem.c */

void cpu_dev_init(void); /* drivers/base/cpu.c */

#endif
