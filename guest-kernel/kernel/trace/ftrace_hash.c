/*
 * ftrace_hash.c - sets of call sites, and the filters of ops, which consist of two sets.
 *
 * A set in use is not changed but replaced, except that sites which no longer exist are removed
 * from it (ftrace_hash_forget()). Readers have interrupts off, so after kick_all_cpus_sync() no
 * hart reads the old set any more.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { FTRACE_HASH_BITS = 8, FTRACE_BUFF_MAX = 512 };

struct ftrace_func_entry {
    struct ftrace_func_entry *next;
    unsigned long ip;
};

struct ftrace_hash {
    unsigned long count;
    struct ftrace_func_entry *buckets[1 << FTRACE_HASH_BITS];
};

/* ---- sets ---- */

static unsigned int bucket_of(unsigned long ip)
{
    return ip * 0x9e3779b97f4a7c15ul >> (64 - FTRACE_HASH_BITS);
}

struct ftrace_hash *alloc_ftrace_hash(void)
{
    return kzalloc(sizeof(struct ftrace_hash));
}

void free_ftrace_hash(struct ftrace_hash *hash)
{
    unsigned int i;

    for (i = 0; hash && i < ARRAY_SIZE(hash->buckets); i++) {
        while (hash->buckets[i]) {
            struct ftrace_func_entry *entry = hash->buckets[i];

            hash->buckets[i] = entry->next;
            kfree(entry);
        }
    }
    kfree(hash);
}

bool ftrace_hash_empty(const struct ftrace_hash *hash)
{
    return !hash || !hash->count;
}

unsigned long ftrace_hash_count(const struct ftrace_hash *hash)
{
    return hash ? hash->count : 0;
}

/* Returns the link to the entry, or the place where it would be added. */
static struct ftrace_func_entry **find_entry(struct ftrace_hash *hash, unsigned long ip)
{
    struct ftrace_func_entry **p = &hash->buckets[bucket_of(ip)];

    while (*p && (*p)->ip != ip)
        p = &(*p)->next;
    return p;
}

bool ftrace_lookup_ip(const struct ftrace_hash *hash, unsigned long ip)
{
    return !ftrace_hash_empty(hash) && *find_entry((struct ftrace_hash *)hash, ip);
}

int ftrace_hash_add(struct ftrace_hash *hash, unsigned long ip)
{
    struct ftrace_func_entry **p = find_entry(hash, ip);

    if (*p)
        return 0;
    *p = kzalloc(sizeof(**p));
    if (!*p)
        return -ENOMEM;
    (*p)->ip = ip;
    hash->count++;
    return 0;
}

static int hash_remove(struct ftrace_hash *hash, unsigned long ip)
{
    struct ftrace_func_entry **p = find_entry(hash, ip), *entry = *p;

    if (!entry)
        return -ENOENT;
    *p = entry->next;
    kfree(entry);
    hash->count--;
    return 0;
}

/*
 * The entry stays with address 0: if it were removed, the filter could become empty, which
 * means all functions.
 */
void ftrace_hash_forget(struct ftrace_hash *hash, unsigned long ip)
{
    if (ftrace_lookup_ip(hash, ip))
        WRITE_ONCE((*find_entry(hash, ip))->ip, 0);
}

struct ftrace_hash *copy_ftrace_hash(const struct ftrace_hash *from)
{
    struct ftrace_hash *hash = alloc_ftrace_hash();
    const struct ftrace_func_entry *entry;
    unsigned int i;

    for (i = 0; hash && from && i < ARRAY_SIZE(from->buckets); i++) {
        for (entry = from->buckets[i]; entry; entry = entry->next) {
            if (!ftrace_hash_add(hash, entry->ip))
                continue;
            free_ftrace_hash(hash);
            return NULL;
        }
    }
    return hash;
}

/* ---- which ops ask for a site ---- */

static bool hash_contains_ip(const struct ftrace_ops_hash *hash, unsigned long ip)
{
    const struct ftrace_hash *filter = READ_ONCE(hash->filter_hash);

    return (ftrace_hash_empty(filter) || ftrace_lookup_ip(filter, ip)) &&
           !ftrace_lookup_ip(READ_ONCE(hash->notrace_hash), ip);
}

bool ops_references_ip(const struct ftrace_ops *ops, unsigned long ip)
{
    const struct ftrace_ops *sub = READ_ONCE(ops->subops);

    if (!sub)
        return hash_contains_ip(ops->func_hash, ip);
    for (; sub; sub = READ_ONCE(sub->next_subop))
        if (hash_contains_ip(sub->func_hash, ip))
            return true;
    return false;
}

bool ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip)
{
    unsigned long flags;
    bool wanted;

    raw_local_irq_save(flags);
    wanted = ops_references_ip(ops, ip);
    raw_local_irq_restore(flags);
    return wanted;
}

/* ---- parsing filters ---- */

static int enter_record(struct ftrace_hash *hash, const struct dyn_ftrace *rec, bool add)
{
    if (add)
        return ftrace_hash_add(hash, rec->ip);
    hash_remove(hash, rec->ip);
    return 0;
}

/* A number is a position in available_filter_functions. */
static int match_index(struct ftrace_hash *hash, unsigned long place, bool add)
{
    const struct dyn_ftrace *rec = place ? ftrace_rec(place - 1) : NULL;

    return rec ? enter_record(hash, rec, add) : -EINVAL;
}

/* mod NULL: the kernel itself. An empty glob matches any module; `!` inverts. */
static bool module_matches(const struct module *mod, const char *glob)
{
    bool inverted, matched;

    if (!glob)
        return true;
    inverted = *glob == '!';
    glob += inverted;
    matched = mod && (!*glob || glob_match(glob, mod->name));
    return matched != inverted;
}

static int match_globs(struct ftrace_hash *hash, const char *func, const char *mod, bool add)
{
    const struct dyn_ftrace *rec;
    bool found = false;
    unsigned long i;

    if (!*func && mod)
        func = "*";
    for (i = 0; (rec = ftrace_rec(i)); i++) {
        if (!glob_match(func, ftrace_rec_name(rec)) || !module_matches(ftrace_rec_module(rec), mod))
            continue;
        if (enter_record(hash, rec, add))
            return -ENOMEM;
        found = true;
    }
    return found ? 0 : -EINVAL;
}

/*
 * Parses func[:mod:module] in place and adds (with `!`: removes) what matches. ftrace_lock is
 * held.
 */
static int match_word(struct ftrace_hash *hash, char *word)
{
    bool add = *word != '!';
    char *func, *command, *rest = word + !add;
    unsigned long place;

    func = strsep(&rest, ":");
    command = strsep(&rest, ":");
    if (command && (strcmp(command, "mod") || !rest))
        return -EINVAL;
    if (!command && !kstrtoul(func, 10, &place))
        return match_index(hash, place, add);
    return match_globs(hash, func, rest, add);
}

int ftrace_match_records(struct ftrace_hash *hash, const char *word)
{
    char text[FTRACE_BUFF_MAX];
    int ret;

    if (strscpy(text, word, sizeof(text)) < 0)
        return -EINVAL;
    ftrace_rec_lock();
    ret = match_word(hash, text);
    ftrace_rec_unlock();
    return ret;
}

/* ---- filters ---- */

/* Changes the sites at once if a registered ops uses the set. */
int ftrace_hash_move_and_update_ops(struct ftrace_hash **orig, struct ftrace_hash *hash)
{
    struct ftrace_hash *old;
    int command = 0, ret;

    mutex_lock(&ftrace_lock);
    old = *orig;
    WRITE_ONCE(*orig, hash);
    ret = ftrace_hash_rec_update(&command);
    if (ret)
        WRITE_ONCE(*orig, old);
    else if (command)
        ftrace_run_update_code(command);
    mutex_unlock(&ftrace_lock);
    kick_all_cpus_sync();
    free_ftrace_hash(ret ? hash : old);
    return ret;
}

/* Serialises copying, changing and replacing a set. */
static DEFINE_MUTEX(regex_lock);

static int set_words(struct ftrace_hash **orig, const char *word, bool reset)
{
    struct ftrace_hash *hash = copy_ftrace_hash(reset ? NULL : *orig);
    int ret;

    if (!hash)
        return -ENOMEM;
    ret = word ? ftrace_match_records(hash, word) : 0;
    if (!ret)
        return ftrace_hash_move_and_update_ops(orig, hash);
    free_ftrace_hash(hash);
    return ret;
}

int ftrace_set_filter(struct ftrace_ops *ops, const char *word, bool reset)
{
    int ret;

    ftrace_ops_init(ops);
    mutex_lock(&regex_lock);
    ret = set_words(&ops->func_hash->filter_hash, word, reset);
    mutex_unlock(&regex_lock);
    return ret;
}

int ftrace_set_notrace(struct ftrace_ops *ops, const char *word, bool reset)
{
    int ret;

    ftrace_ops_init(ops);
    mutex_lock(&regex_lock);
    ret = set_words(&ops->func_hash->notrace_hash, word, reset);
    mutex_unlock(&regex_lock);
    return ret;
}

static int set_ip(struct ftrace_hash **orig, unsigned long ip, bool remove, bool reset)
{
    struct ftrace_hash *hash = copy_ftrace_hash(reset ? NULL : *orig);
    int ret;

    if (!hash)
        return -ENOMEM;
    ret = remove ? hash_remove(hash, ip) : ftrace_hash_add(hash, ip);
    if (!ret)
        return ftrace_hash_move_and_update_ops(orig, hash);
    free_ftrace_hash(hash);
    return ret;
}

void ftrace_free_filter(struct ftrace_ops *ops)
{
    free_ftrace_hash(ops->local_hash.filter_hash);
    free_ftrace_hash(ops->local_hash.notrace_hash);
    ops->local_hash = (struct ftrace_ops_hash){NULL, NULL};
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, bool remove, bool reset)
{
    int ret;

    ftrace_ops_init(ops);
    ftrace_rec_lock();
    ip = ftrace_location(ip);
    ftrace_rec_unlock();
    if (!ip)
        return -EINVAL;
    mutex_lock(&regex_lock);
    ret = set_ip(&ops->func_hash->filter_hash, ip, remove, reset);
    mutex_unlock(&regex_lock);
    return ret;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);
