/* procfs.c - /proc/modules: name, size, reference count, users, state, address; newest first. */
#include "internal.h"
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

static const char *const state_names[] = {
    [MODULE_STATE_UNFORMED] = "Unloading",
    [MODULE_STATE_COMING] = "Loading",
    [MODULE_STATE_LIVE] = "Live",
    [MODULE_STATE_GOING] = "Unloading",
};

static void show_users(struct seq_file *m, const struct module *mod)
{
    const struct module *user;
    bool any = false;

    list_for_each_entry(user, &modules, list) {
        if (!module_uses(user, mod))
            continue;
        seq_printf(m, "%s,", user->name);
        any = true;
    }
    seq_printf(m, any ? " " : "- ");
}

static int modules_show(struct seq_file *m, void *unused)
{
    const struct module *mod;

    (void)unused;
    mutex_lock(&module_mutex);
    for (mod = list_entry(modules.prev, struct module, list); &mod->list != &modules;
         mod = list_entry(mod->list.prev, struct module, list)) {
        if (mod->state == MODULE_STATE_UNFORMED)
            continue;
        seq_printf(m, "%s %u %d ", mod->name, mod->core_size, module_refcount(mod));
        show_users(m, mod);
        seq_printf(m, "%s 0x%lx\n", state_names[mod->state], (unsigned long)mod->core_base);
    }
    mutex_unlock(&module_mutex);
    return 0;
}

void module_kallsyms_show(struct seq_file *m)
{
    const struct module *mod;
    unsigned int i;

    mutex_lock(&module_mutex);
    list_for_each_entry(mod, &modules, list) {
        for (i = 0; mod->state != MODULE_STATE_UNFORMED && i < mod->num_kallsyms; i++)
            seq_printf(m, "%016lx t %s\t[%s]\n", mod->kallsyms[i].addr,
                       mod->strtab + mod->kallsyms[i].name, mod->name);
    }
    mutex_unlock(&module_mutex);
}

void modules_init(void)
{
    proc_create_single("modules", S_IRUGO, NULL, modules_show);
}
