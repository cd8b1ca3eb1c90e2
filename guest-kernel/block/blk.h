/* blk.h - between the files of block/. */
#ifndef BLOCK_BLK_H
#define BLOCK_BLK_H

#include <linux/pagemap.h>

/* fops.c */
extern const struct address_space_operations def_blk_aops;
extern const struct file_operations def_blk_fops;

#endif
