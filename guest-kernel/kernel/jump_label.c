/*
 * jump_label.c - static keys: finds the places of a key in the kernel and in its modules.
 *
 * Not instrumented: it patches text.
 */
#include <asm/cacheflush.h>
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/mutex.h>

extern const struct jump_entry __start___jump_table[], __stop___jump_table[];

/* Held before module_mutex. */
static DEFINE_MUTEX(jump_label_mutex);

static void update(const struct jump_entry *entry, const struct jump_entry *stop,
                   const struct static_key *key)
{
    for (; entry < stop; entry++)
        if (jump_entry_key(entry) == key)
            arch_jump_label_transform(entry, key->enabled ? JUMP_LABEL_JMP : JUMP_LABEL_NOP);
}

static void update_module(const struct module *mod, void *key)
{
    update(mod->jump_entries, mod->jump_entries + mod->num_jump_entries, key);
}

/* Other harts see the change at the end. */
static void set_key(struct static_key *key, bool enabled)
{
    mutex_lock(&jump_label_mutex);
    if (key->enabled != enabled) {
        key->enabled = enabled;
        update(__start___jump_table, __stop___jump_table, key);
        for_each_module(update_module, key);
        flush_icache_all();
    }
    mutex_unlock(&jump_label_mutex);
}

void static_key_enable(struct static_key *key)
{
    set_key(key, true);
}
EXPORT_SYMBOL(static_key_enable);

void static_key_disable(struct static_key *key)
{
    set_key(key, false);
}
EXPORT_SYMBOL(static_key_disable);

void jump_label_add_module(const struct module *mod)
{
    const struct jump_entry *entry = mod->jump_entries;

    mutex_lock(&jump_label_mutex);
    for (; entry < mod->jump_entries + mod->num_jump_entries; entry++)
        if (jump_entry_key(entry)->enabled)
            arch_jump_label_transform(entry, JUMP_LABEL_JMP);
    flush_icache_all();
    mutex_unlock(&jump_label_mutex);
}
