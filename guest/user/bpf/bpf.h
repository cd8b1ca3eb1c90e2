/* bpf.h - what the files of the program bpf share; main.c says what it does. */
#ifndef USER_BPF_BPF_H
#define USER_BPF_BPF_H

#include "../bpf_syscall.h"
#include "../libc.h"
#include <linux/elf.h>
#include <uapi/linux/bpf.h>

#define TRACING "/sys/kernel/tracing/"

enum { MAPS_MAX = 24, PROGS_MAX = 24, LINKS_MAX = 48, TEXT_MAX = 64 };

/* A relocation of BPF; what is added is in the instruction. */
typedef struct {
    uint64_t r_offset, r_info;
} Elf64_Rel;

struct bytes {
    char *at;
    size_t size;
};

/* A map of an object: one that it declares, or the variables of a section. */
struct map {
    char name[TEXT_MAX];
    unsigned int type, key_size, value_size, max_entries, flags;
    unsigned int section;
    uint64_t offset; /* of its symbol in the section */
    bool data;       /* variables */
    int fd;
};

struct program {
    const char *name, *section;
    unsigned int type;
    int fd;
};

/* An object file, and what was made of it. */
struct object {
    struct bytes file;
    const Elf64_Shdr *sections;
    unsigned int nr_sections, nr_symbols;
    const Elf64_Sym *symbols;
    const char *strings; /* of the symbols */
    struct map maps[MAPS_MAX];
    struct program progs[PROGS_MAX];
    unsigned int nr_maps, nr_progs;
};

/* main.c */
_Noreturn void __attribute__((noinline, cold)) fail(const char *what, const char *why);
/* The same with the text of an error number, which may be negative. */
_Noreturn void __attribute__((noinline, cold)) fail_err(const char *what, long err);
void *need(size_t size); /* zeroed memory */
/* The whole file with a 0 after it; at is NULL if it cannot be read. */
struct bytes contents(const char *path);
unsigned int count_cpus(void);

/* elf.c: parts of an object file; ends the program if it is damaged. */
void open_object(struct object *o, const char *path);
const char *section_name(const struct object *o, unsigned int section);
/* The number of a section; 0: there is none. */
unsigned int find_section(const struct object *o, const char *name);
const char *section_data(const struct object *o, unsigned int section);
const char *symbol_name(const struct object *o, const Elf64_Sym *symbol);
/* The relocations of a section; count: how many. */
const Elf64_Rel *relocations(const struct object *o, unsigned int section, unsigned int *count);

/* load.c */
/* variable: one of 32 bits that gets this value, if the object has one of this name. */
void make_maps(struct object *o, const char *variable, unsigned int value);
void make_programs(struct object *o);

/* attach.c: ends the program if it cannot be. */
void attach(const struct program *prog);
void detach_all(void);

/* dump.c */
void dump_map(const struct map *map);

#endif
