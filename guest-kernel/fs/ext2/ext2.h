/*
 * ext2.h - the second extended file system, between the files of fs/ext2.
 *
 * The super block, group descriptors, bitmaps, inode tables, indirect blocks and directories are
 * blocks in the device's page cache; a regular file's contents are pages of its own. A change of an
 * inode goes to its block in the inode table at once.
 */
#ifndef FS_EXT2_EXT2_H
#define FS_EXT2_EXT2_H

#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>

enum {
    EXT2_SUPER_MAGIC = 0xef53,
    EXT2_ROOT_INO = 2,
    EXT2_GOOD_OLD_FIRST_INO = 11,
    EXT2_NDIR_BLOCKS = 12,
    EXT2_N_BLOCKS = 15,
    EXT2_VALID_FS = 1,
    EXT2_INDEX_FL = 0x1000, /* a directory with a hash index, which a change makes wrong */
    EXT2_FEATURE_INCOMPAT_FILETYPE = 2,
    EXT2_FEATURE_RO_COMPAT_KNOWN = 3, /* sparse_super, large_file */
};

/* On disk, little-endian as this machine is. */
struct ext2_super_block {
    u32 s_inodes_count, s_blocks_count, s_r_blocks_count, s_free_blocks_count, s_free_inodes_count;
    u32 s_first_data_block, s_log_block_size, s_log_frag_size;
    u32 s_blocks_per_group, s_frags_per_group, s_inodes_per_group;
    u32 s_mtime, s_wtime;
    u16 s_mnt_count, s_max_mnt_count, s_magic, s_state, s_errors, s_minor_rev_level;
    u32 s_lastcheck, s_checkinterval, s_creator_os, s_rev_level;
    u16 s_def_resuid, s_def_resgid;
    u32 s_first_ino;
    u16 s_inode_size, s_block_group_nr;
    u32 s_feature_compat, s_feature_incompat, s_feature_ro_compat;
};

struct ext2_group_desc {
    u32 bg_block_bitmap, bg_inode_bitmap, bg_inode_table;
    u16 bg_free_blocks_count, bg_free_inodes_count, bg_used_dirs_count, bg_pad;
    u32 bg_reserved[3];
};

struct ext2_inode {
    u16 i_mode, i_uid;
    u32 i_size, i_atime, i_ctime, i_mtime, i_dtime;
    u16 i_gid, i_links_count;
    u32 i_blocks, i_flags, osd1;
    u32 i_block[EXT2_N_BLOCKS];
    u32 i_generation, i_file_acl, i_size_high, i_faddr, osd2[3];
};

struct ext2_dir_entry {
    u32 inode; /* 0: unused */
    u16 rec_len;
    u8 name_len, file_type;
    char name[];
};

struct ext2_sb_info {
    struct buffer_head *s_sbh, **s_group_bh; /* held while mounted */
    struct ext2_super_block *s_es;
    unsigned int s_block_size, s_groups, s_inode_size, s_first_ino;
    bool has_filetype;
    u32 s_mount_time;     /* of the last write before this mount: there is no clock */
    struct mutex s_alloc; /* bitmaps and counts */
};

struct ext2_inode_info {
    struct address_space mapping;
    struct mutex i_map; /* guards i_data and the indirect blocks */
    u32 i_data[EXT2_N_BLOCKS];
    u32 i_flags, i_dtime;
};

static inline struct ext2_sb_info *EXT2_SB(const struct super_block *sb)
{
    return sb->s_fs_info;
}

static inline struct ext2_inode_info *EXT2_I(const struct inode *inode)
{
    return inode->i_private;
}

static inline struct buffer_head *ext2_sb_bread(const struct super_block *sb, u32 block)
{
    return __bread(sb->s_bdev, block, EXT2_SB(sb)->s_block_size);
}

u32 ext2_now(const struct super_block *sb); /* super.c */

/* balloc.c. A group's descriptor and the buffer that it is in. */
struct ext2_group_desc *ext2_group(const struct super_block *sb, unsigned int group,
                                   struct buffer_head **bh);
u32 ext2_new_block(struct inode *inode, u32 goal); /* 0: none is free */
void ext2_free_block(struct inode *inode, u32 block);
struct inode *ext2_new_inode(struct inode *dir, umode_t mode); /* or ERR_PTR */
void ext2_free_inode(struct inode *inode);

/* inode.c */
struct inode *ext2_iget(struct super_block *sb, unsigned long ino);
void ext2_write_inode(struct inode *inode);
/* Allocates the parts of an inode in memory, and sets its operations by i_mode. */
int ext2_setup_inode(struct inode *inode);
int ext2_get_block(struct inode *inode, sector_t iblock, struct buffer_head *bh, bool create);
int ext2_fsync(struct file *file, bool datasync);

/* dir.c. The directory is locked. */
extern const struct file_operations ext2_dir_operations;
struct buffer_head *ext2_find_entry(struct inode *dir, const char *name, size_t len,
                                    struct ext2_dir_entry **entry);
int ext2_add_link(struct inode *dir, const char *name, size_t len, const struct inode *inode);
void ext2_delete_entry(struct inode *dir, struct buffer_head *bh, struct ext2_dir_entry *entry);
int ext2_make_empty(struct inode *inode, const struct inode *parent);
bool ext2_empty_dir(struct inode *inode);
void ext2_set_dotdot(struct inode *inode, const struct inode *parent);

extern const struct inode_operations ext2_dir_inode_operations; /* namei.c */
extern const struct inode_operations ext2_file_inode_operations;

#endif
