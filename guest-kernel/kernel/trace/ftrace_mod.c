/*
 * ftrace_mod.c - filters for modules that are not loaded yet.
 *
 * A word `function:mod:module` that is written to a filter file and matches nothing is kept,
 * with its set, until a module of that name is loaded. So the module can be traced from its
 * first call.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

struct ftrace_mod_load {
    struct list_head list;
    struct ftrace_hash **set; /* the set that the word was written to */
    const char *module;       /* points into word */
    char word[];
};

/* Taken before ftrace_lock. */
static DEFINE_MUTEX(ftrace_cmd_mutex);
static LIST_HEAD(ftrace_mods); /* under ftrace_cmd_mutex */

static const char *module_of(const char *word)
{
    const char *command = strchr(word, ':');

    return command && !strncmp(command, ":mod:", 5) && command[5] ? command + 5 : NULL;
}

static struct ftrace_mod_load *find_word(struct ftrace_hash **set, const char *word)
{
    struct ftrace_mod_load *mod;

    list_for_each_entry(mod, &ftrace_mods, list) {
        if (mod->set == set && !strcmp(mod->word, word))
            return mod;
    }
    return NULL;
}

static void free_ftrace_mod(struct ftrace_mod_load *mod)
{
    list_del_init(&mod->list);
    kfree(mod);
}

static int add_word(struct ftrace_hash **set, const char *word)
{
    size_t size = strlen(word) + 1;
    struct ftrace_mod_load *mod;

    if (find_word(set, word))
        return 0;
    mod = kzalloc(sizeof(*mod) + size);
    if (!mod)
        return -ENOMEM;
    memcpy(mod->word, word, size);
    mod->module = module_of(mod->word);
    mod->set = set;
    list_add_tail(&mod->list, &ftrace_mods);
    return 0;
}

/* Removes the word, or for `*` all words that wait for the module. */
static int remove_word(struct ftrace_hash **set, const char *word)
{
    bool all = word[0] == '*' && word[1] == ':';
    struct ftrace_mod_load *mod, *next;
    int ret = -EINVAL;

    list_for_each_entry_safe(mod, next, &ftrace_mods, list) {
        if (mod->set != set ||
            (all ? strcmp(mod->module, module_of(word)) : strcmp(mod->word, word)))
            continue;
        free_ftrace_mod(mod);
        ret = 0;
    }
    return ret;
}

/*
 * Keeps a word (with `!`: removes it). A word that excludes a module cannot wait for it. If the
 * module's sites are known, because it was loaded in the meantime, the word is applied at once.
 */
static int cache_mod(struct ftrace_hash **set, struct ftrace_hash *hash, const char *word)
{
    const char *module = module_of(word);
    int ret;

    if (!module || *module == '!')
        return -EINVAL;
    mutex_lock(&ftrace_cmd_mutex);
    if (*word == '!')
        ret = remove_word(set, word + 1);
    else if (ftrace_knows_module(module))
        ret = ftrace_match_records(hash, word);
    else
        ret = add_word(set, word);
    mutex_unlock(&ftrace_cmd_mutex);
    return ret;
}

int ftrace_process_word(struct ftrace_hash **set, struct ftrace_hash *hash, const char *word)
{
    int ret = ftrace_match_records(hash, word);

    return ret == -EINVAL ? cache_mod(set, hash, word) : ret;
}

void ftrace_clear_mods(struct ftrace_hash **set)
{
    struct ftrace_mod_load *mod, *next;

    mutex_lock(&ftrace_cmd_mutex);
    list_for_each_entry_safe(mod, next, &ftrace_mods, list) {
        if (mod->set == set)
            free_ftrace_mod(mod);
    }
    mutex_unlock(&ftrace_cmd_mutex);
}

void ftrace_show_mods(struct seq_file *m, struct ftrace_hash **set)
{
    const struct ftrace_mod_load *mod;

    mutex_lock(&ftrace_cmd_mutex);
    list_for_each_entry(mod, &ftrace_mods, list) {
        if (mod->set == set)
            seq_printf(m, "%s\n", mod->word);
    }
    mutex_unlock(&ftrace_cmd_mutex);
}

static void apply_word(const struct ftrace_mod_load *mod)
{
    struct ftrace_hash *hash = copy_ftrace_hash(*mod->set);

    if (hash && !ftrace_match_records(hash, mod->word))
        ftrace_hash_move_and_update_ops(mod->set, hash);
    else
        free_ftrace_hash(hash);
}

void process_cached_mods(const char *module)
{
    struct ftrace_mod_load *mod, *next;

    mutex_lock(&ftrace_cmd_mutex);
    list_for_each_entry_safe(mod, next, &ftrace_mods, list) {
        if (strcmp(mod->module, module))
            continue;
        apply_word(mod);
        free_ftrace_mod(mod);
    }
    mutex_unlock(&ftrace_cmd_mutex);
}
