/*
 * module_names.h - the names of functions of the guest's modules and programs of BPF, for places in
 * reports: as the kernel's memory tells when they are asked for, and afterwards from memory of our
 * own, for a module may be gone when the report is written.
 */
#ifndef FTRACE_MODULE_NAMES_H
#define FTRACE_MODULE_NAMES_H

struct bpf_text;
struct cluster;
struct module_names;
struct state_io;
struct symbols;

/* From now on symbols_name_at knows them. All must live as long as it is asked. */
struct module_names *module_names_new(struct cluster *c, struct symbols *symbols,
                                      const struct bpf_text *programs);
void module_names_free(struct module_names *n);

/*
 * Saves or restores, in a file, the names that were asked for: their modules may be gone. `names`:
 * a struct module_names. (Snapshots in memory do without: names that are known remain known.)
 */
void module_names_state_io(void *names, struct state_io *io);

#endif
