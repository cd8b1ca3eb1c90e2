/* filesystems.c - the registered file system types, and /proc/filesystems. */
#include <linux/bug.h>
#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>

static LIST_HEAD(file_systems); /* changed only at boot */

void register_filesystem(struct file_system_type *type)
{
    BUG_ON(get_fs_type(type->name));
    list_add_tail(&type->list, &file_systems);
}

struct file_system_type *get_fs_type(const char *name)
{
    struct file_system_type *type;

    list_for_each_entry(type, &file_systems, list)
        if (!strcmp(type->name, name))
            return type;
    return NULL;
}

static int filesystems_show(struct seq_file *m, void *unused)
{
    struct file_system_type *type;

    (void)unused;
    list_for_each_entry(type, &file_systems, list)
        seq_printf(m, "nodev\t%s\n", type->name);
    return 0;
}

void proc_filesystems_init(void)
{
    proc_create_single("filesystems", S_IRUGO, NULL, filesystems_show);
}
