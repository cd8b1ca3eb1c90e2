/* module.h - loadable modules. */
#ifndef LINUX_MODULE_H
#define LINUX_MODULE_H

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/moduleparam.h>

#define MODULE_NAME_LEN 56

struct bpf_raw_event_map;
struct trace_eval_map;
struct trace_event_call;

enum module_state {
    MODULE_STATE_UNFORMED,
    MODULE_STATE_COMING,
    MODULE_STATE_LIVE,
    MODULE_STATE_GOING
};

/* A function of a module, for kallsyms. */
struct mod_sym {
    unsigned long addr;
    unsigned int size, name; /* name: offset into strtab */
};

/* Begins as Linux's does. */
struct module {
    enum module_state state; /* under module_mutex */
    struct list_head list;   /* under module_mutex; readers have interrupts off */
    char name[MODULE_NAME_LEN];

    int (*init)(void);
    void (*exit)(void);

    const struct kernel_symbol *syms; /* exported symbols */
    unsigned int num_syms;
    const struct kernel_param *kp;
    unsigned int num_kp;

    /* Text, then read-only data, then data, each with its own pages. */
    void *core_base;
    unsigned int core_size, text_size, ro_size; /* ro_size: text and read-only data */
    char *args;

    struct mod_sym *kallsyms; /* by address */
    unsigned int num_kallsyms;
    char *strtab;

    atomic_t refcnt;              /* users, plus one while the module may be used */
    struct list_head source_list; /* modules whose symbols it uses; under module_mutex */

    /* Addresses of its call sites, as the linker listed them. */
    unsigned long *ftrace_callsites;
    unsigned int num_ftrace_callsites;

    struct trace_event_call **trace_events; /* its events */
    unsigned int num_trace_events;
    const struct trace_eval_map *const *trace_evals; /* numbers of symbols in their formats */
    unsigned int num_trace_evals;
    const char **trace_bprintk_fmt_start; /* its formats of trace_printk() */
    unsigned int num_trace_bprintk_fmt;

    const struct bpf_raw_event_map *bpf_raw_events; /* its events, for programs of BPF */
    unsigned int num_bpf_raw_events;

    const struct jump_entry *jump_entries; /* the places of static keys */
    unsigned int num_jump_entries;
};

#ifdef MODULE

extern struct module __this_module;
#define THIS_MODULE (&__this_module)

#define module_init(fn)                         \
    static inline int (*__inittest(void))(void) \
    {                                           \
        return fn;                              \
    }                                           \
    int init_module(void) __attribute__((alias(#fn)))
#define module_exit(fn)                          \
    static inline void (*__exittest(void))(void) \
    {                                            \
        return fn;                               \
    }                                            \
    void cleanup_module(void) __attribute__((alias(#fn)))

int init_module(void);
void cleanup_module(void);

#else
#define THIS_MODULE ((struct module *)NULL)
#endif

/* For modinfo; the kernel does not read it. */
#define MODULE_INFO(tag, text) \
    static const char __modinfo_##tag[] __used __section(".modinfo") = #tag "=" text
#define MODULE_LICENSE(text)     MODULE_INFO(license, text)
#define MODULE_AUTHOR(text)      MODULE_INFO(author, text)
#define MODULE_DESCRIPTION(text) MODULE_INFO(description, text)

/*
 * Loads a module from the bytes of its file; args may be NULL. Returns 0 or an error of
 * init_module(2).
 */
int load_module(const void *image, size_t len, const char *args);
/*
 * Unloads a module. Returns 0, -ENOENT, -EWOULDBLOCK (in use), or -EBUSY (has no exit function,
 * or is being loaded or unloaded).
 */
int delete_module(const char *name);

/*
 * Takes a reference. False: the module is being unloaded. NULL means the kernel itself and
 * succeeds.
 */
bool try_module_get(struct module *mod);
void module_put(struct module *mod);
int module_refcount(const struct module *mod);

/* Whether there is one of that name, in any state. */
bool module_is_loaded(const char *name);
/*
 * The module whose text or data contains addr, or NULL. Interrupts are off, or module_mutex is
 * held.
 */
struct module *__module_address(unsigned long addr);
struct module *__module_text_address(unsigned long addr);
bool is_module_text_address(unsigned long addr);
/* The function at addr, as for kallsyms_find(). Interrupts are off while the result is used. */
const char *module_address_lookup(unsigned long addr, unsigned long *start, unsigned long *size,
                                  const char **modname);

/* The function `name` or `module:name` of a module; 0: none. */
unsigned long module_kallsyms_lookup_name(const char *name);

/* Calls fn for each module whose text is in place. */
void for_each_module(void (*fn)(const struct module *mod, void *data), void *data);

struct notifier_block;

/* Calls nb for each module that becomes MODULE_STATE_COMING, LIVE or GOING. */
int register_module_notifier(struct notifier_block *nb);
int unregister_module_notifier(struct notifier_block *nb);

void modules_init(void); /* /proc/modules */
/* Writes the functions of all modules, as /proc/kallsyms shows them. */
struct seq_file;
void module_kallsyms_show(struct seq_file *m);

#endif
