/* bpf.h - what the files of the program bpf share; main.c says what it does. */
#ifndef USER_BPF_BPF_H
#define USER_BPF_BPF_H

#include "../bpf_syscall.h"
#include "../libc.h"
#include <linux/elf.h>
#include <uapi/linux/bpf.h>

#define TRACING "/sys/kernel/tracing/"

enum { MAPS_MAX = 24, PROGS_MAX = 24, LINKS_MAX = 48, INSNS_MAX = 4096, TEXT_MAX = 64 };

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
    uint64_t offset;               /* of its symbol in the section */
    bool data;                     /* variables */
    uint32_t key_type, value_type; /* numbers in the section .BTF; 0: not known */
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
    int btf_fd; /* of its types; an error: there are none */
};

/* A function's place: in its section, and in the program that it was copied to. In instructions. */
struct place {
    unsigned int section, from, len, at;
};

enum { RECORDS_MAX = 2048, RECORD_SIZE_MAX = 32 };

/* What the object says of the functions or lines of a program. */
struct records {
    uint32_t size, count; /* bytes of each */
    char at[RECORDS_MAX * RECORD_SIZE_MAX];
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

/* btf.c: what .BTF says of a map in section .maps: false: nothing. */
bool btf_describe_map(const struct object *o, struct map *map);

/* btf_load.c: o->btf_fd. */
void load_types(struct object *o);
/* The type of a section with variables; 0: none. */
uint32_t id_of_section_type(const struct object *o, const char *name);
/* Adds what the object says of a function. */
void find_said(const struct object *o, const struct place *p, struct records *functions,
               struct records *lines);

/* pin.c: from now on maps, programs and links get names in this directory. */
void pin_in(const char *dir);
void pin(int fd, const char *name); /* if they get names */
/* A descriptor of what has the name; or an error. */
int get_pinned(const char *path);
/* The map that has this one's name already; -1: none. */
int pinned_map(const struct map *map);

/* rings.c */
void open_rings(const struct object *o);
bool has_rings(void);
void print_records(void); /* those that are new */

/* load.c */
unsigned int type_of_section(const char *name); /* of the programs in it; 0: not known */
/* variable: one of 32 bits that gets this value, if the object has one of this name. */
void make_maps(struct object *o, const char *variable, unsigned int value);
void make_programs(struct object *o);

/* attach.c: ends the program if it cannot be. */
void attach(const struct program *prog);
void detach_all(void);

/* show.c */
void show_progs(void);
void show_maps(void);
void show_links(void);
void print_bytes(const char *what, const void *bytes, unsigned int size);
/* By number, name or path. */
void dump_map(const char *which);
void dump_map_fd(int fd);

#endif
