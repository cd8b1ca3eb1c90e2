/*
 * jump_label.c - static keys: counts a key's users, and finds its places in the kernel and in its
 * modules.
 *
 * Not instrumented: it patches text.
 */
#include <asm/cacheflush.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>

extern const struct jump_entry __start___jump_table[], __stop___jump_table[];

enum { JUMP_LABEL_NOP_SIZE = 4 };

/* Held before module_mutex. A key's value changes under it only. */
static DEFINE_MUTEX(jump_label_mutex);

/* What the place is while the key has this value. */
static enum jump_label_type type_for(const struct jump_entry *entry, bool value)
{
    return value ^ jump_entry_is_branch(entry) ? JUMP_LABEL_JMP : JUMP_LABEL_NOP;
}

static void update(const struct jump_entry *entry, const struct jump_entry *stop,
                   const struct static_key *key)
{
    for (; entry < stop; entry++)
        if (jump_entry_key(entry) == key)
            arch_jump_label_transform(entry, type_for(entry, static_key_enabled(key)));
}

static void update_module(const struct module *mod, void *key)
{
    update(mod->jump_entries, mod->jump_entries + mod->num_jump_entries, key);
}

/* Other harts see the change at the end. */
static void jump_label_update(struct static_key *key)
{
    update(__start___jump_table, __stop___jump_table, key);
    for_each_module(update_module, key);
    flush_icache_all();
}

/* Adds n, unless the count is, or would become, 0 or less: then the places may have to change. */
static bool add_to_used(struct static_key *key, int n)
{
    int old = atomic_read(&key->enabled);

    while (old > 0 && old + n > 0)
        if (__atomic_compare_exchange_n(&key->enabled.counter, &old, old + n, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return true;
    return false;
}

/* -1 keeps others from counting on places that are not yet patched. */
static void turn_on(struct static_key *key)
{
    atomic_set(&key->enabled, -1);
    jump_label_update(key);
    __atomic_store_n(&key->enabled.counter, 1, __ATOMIC_RELEASE);
}

static void turn_off(struct static_key *key)
{
    atomic_set(&key->enabled, 0);
    jump_label_update(key);
}

void static_key_slow_inc(struct static_key *key)
{
    if (add_to_used(key, 1))
        return;
    mutex_lock(&jump_label_mutex);
    if (!add_to_used(key, 1))
        turn_on(key);
    mutex_unlock(&jump_label_mutex);
}
EXPORT_SYMBOL(static_key_slow_inc);

void static_key_slow_dec(struct static_key *key)
{
    if (add_to_used(key, -1))
        return;
    mutex_lock(&jump_label_mutex);
    if (!add_to_used(key, -1) && !WARN_ON(atomic_read(&key->enabled) != 1))
        turn_off(key);
    mutex_unlock(&jump_label_mutex);
}
EXPORT_SYMBOL(static_key_slow_dec);

void static_key_enable(struct static_key *key)
{
    mutex_lock(&jump_label_mutex);
    if (atomic_read(&key->enabled) == 0)
        turn_on(key);
    else
        WARN_ON(atomic_read(&key->enabled) != 1);
    mutex_unlock(&jump_label_mutex);
}
EXPORT_SYMBOL(static_key_enable);

void static_key_disable(struct static_key *key)
{
    mutex_lock(&jump_label_mutex);
    if (atomic_read(&key->enabled) == 1)
        turn_off(key);
    else
        WARN_ON(atomic_read(&key->enabled) != 0);
    mutex_unlock(&jump_label_mutex);
}
EXPORT_SYMBOL(static_key_disable);

void jump_label_add_module(const struct module *mod)
{
    const struct jump_entry *entry = mod->jump_entries;

    mutex_lock(&jump_label_mutex);
    for (; entry < mod->jump_entries + mod->num_jump_entries; entry++) {
        const struct static_key *key = jump_entry_key(entry);
        enum jump_label_type type = type_for(entry, static_key_enabled(key));

        if (type != type_for(entry, key->type == JUMP_TYPE_TRUE))
            arch_jump_label_transform(entry, type);
    }
    flush_icache_all();
    mutex_unlock(&jump_label_mutex);
}

static bool reserved(const struct jump_entry *entry, const struct jump_entry *stop,
                     unsigned long start, unsigned long end)
{
    for (; entry < stop; entry++)
        if (jump_entry_code(entry) <= end && jump_entry_code(entry) + JUMP_LABEL_NOP_SIZE > start)
            return true;
    return false;
}

bool jump_label_text_reserved(const void *start, const void *end)
{
    unsigned long first = (unsigned long)start, last = (unsigned long)end;
    const struct module *mod;
    bool found = reserved(__start___jump_table, __stop___jump_table, first, last);

    preempt_disable();
    mod = __module_text_address(first);
    if (mod)
        found = reserved(mod->jump_entries, mod->jump_entries + mod->num_jump_entries, first, last);
    preempt_enable();
    return found;
}
