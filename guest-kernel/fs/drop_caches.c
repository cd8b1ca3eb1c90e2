/* drop_caches.c - /proc/sys/vm/drop_caches. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/sysctl.h>

static int drop_value;

/* Bit 0: pages; as in Linux only what is clean and unused goes. Names are in memory only. */
static int drop_caches_write(const struct ctl_table *table, int value)
{
    if (value < 1 || value > 7)
        return -EINVAL;
    WRITE_ONCE(*table->data, value);
    if (value & 1)
        drop_caches();
    return 0;
}

static const struct ctl_table drop_table[] = {{"drop_caches", &drop_value, drop_caches_write}};

void drop_caches_init(void)
{
    register_sysctl("vm", drop_table, 1);
}
