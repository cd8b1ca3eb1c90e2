/* meminfo.c - /proc/meminfo: total and free memory. */
#include <asm/page.h>
#include <linux/mm.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static void show_pages(struct seq_file *m, const char *name, unsigned long pages)
{
    seq_printf(m, "%-15s %8lu kB\n", name, pages * (PAGE_SIZE / 1024));
}

static int meminfo_show(struct seq_file *m, void *unused)
{
    (void)unused;
    show_pages(m, "MemTotal:", totalram_pages());
    show_pages(m, "MemFree:", nr_free_pages());
    return 0;
}

void proc_meminfo_init(void)
{
    proc_create_single("meminfo", S_IRUGO, NULL, meminfo_show);
}
