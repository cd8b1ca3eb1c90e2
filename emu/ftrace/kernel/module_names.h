/*
 * module_names.h - names the functions of the guest's modules and programs of BPF, for places in
 * reports. A name is read from the kernel's memory when it is first needed, and then kept, as the
 * module may be gone when the report is written. All names of a module are kept when the kernel
 * frees it: it is not in the kernel's list any more while its memory is given back.
 */
#ifndef FTRACE_MODULE_NAMES_H
#define FTRACE_MODULE_NAMES_H

struct bpf_text;
struct cluster;
struct image;
struct module_names;
struct state_io;
struct symbols;

/* Makes symbols_name_at find these names. All arguments must live as long as it is called. */
struct module_names *module_names_new(struct cluster *c, const struct image *im,
                                      struct symbols *symbols, const struct bpf_text *programs);
void module_names_free(struct module_names *n); /* before the cluster; NULL is allowed */

/*
 * Saves or restores, in a file, the names that are kept: their modules may be gone. `names`: a
 * struct module_names. Snapshots in memory do not need this: names that are known remain known.
 */
void module_names_state_io(void *names, struct state_io *io);

#endif
