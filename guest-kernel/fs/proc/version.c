/* version.c - /proc/version. */
#include "internal.h"
#include <linux/seq_file.h>
#include <linux/utsname.h>

static int version_proc_show(struct seq_file *m, void *unused)
{
    (void)unused;
    seq_printf(m, "%s version %s (guest@guest) (gcc %s) %s\n", init_uts.sysname, init_uts.release,
               __VERSION__, init_uts.version);
    return 0;
}

void proc_version_init(void)
{
    proc_create_single("version", S_IRUGO, NULL, version_proc_show);
}
