/* load.c - makes the maps of an object, and loads its programs with the maps they use. */
#include "bpf.h"

enum { R_BPF_64_64 = 1, STT_OBJECT = 1 };

static char log_text[1 << 16];

static bool starts_with(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* ---- maps ---- */

static struct map *add_map(struct object *o, const char *name, unsigned int section)
{
    struct map *map = &o->maps[o->nr_maps++];

    if (o->nr_maps > MAPS_MAX)
        fail(name, "there are too many maps");
    strscpy(map->name, name, sizeof(map->name));
    map->section = section;
    map->fd = -1;
    return map;
}

/* A declaration is a structure of these numbers. */
static void take_definition(const struct object *o, struct map *map, const Elf64_Sym *symbol)
{
    const Elf64_Shdr *s = &o->sections[map->section];
    uint32_t number[5];

    if (symbol->st_value > s->sh_size || s->sh_size - symbol->st_value < sizeof(number))
        fail(map->name, "its definition is not whole");
    memcpy(number, section_data(o, map->section) + symbol->st_value, sizeof(number));
    map->type = number[0];
    map->key_size = number[1];
    map->value_size = number[2];
    map->max_entries = number[3];
    map->flags = number[4];
}

static void add_declared_maps(struct object *o)
{
    unsigned int i, section = find_section(o, "maps");

    for (i = 0; section && i < o->nr_symbols; i++) {
        const Elf64_Sym *symbol = &o->symbols[i];
        struct map *map;

        if (symbol->st_shndx != section || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
            continue;
        map = add_map(o, symbol_name(o, symbol), section);
        map->offset = symbol->st_value;
        take_definition(o, map, symbol);
    }
}

static bool is_data(const char *name)
{
    return starts_with(name, ".data") || starts_with(name, ".rodata") || starts_with(name, ".bss");
}

static void add_data_maps(struct object *o)
{
    unsigned int i;

    for (i = 1; i < o->nr_sections; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        const char *name = section_name(o, i);
        struct map *map;

        if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size || !is_data(name))
            continue;
        map = add_map(o, name, i);
        map->type = BPF_MAP_TYPE_ARRAY;
        map->key_size = 4;
        map->value_size = s->sh_size;
        map->max_entries = 1;
        map->flags = starts_with(name, ".rodata") ? BPF_F_RDONLY_PROG : 0;
        map->data = true;
    }
}

static void set_variable(const struct object *o, const struct map *map, char *value,
                         const char *variable, uint32_t number)
{
    unsigned int i;

    for (i = 0; i < o->nr_symbols; i++) {
        const Elf64_Sym *symbol = &o->symbols[i];

        if (symbol->st_shndx == map->section && symbol->st_size == sizeof(number) &&
            symbol->st_value <= map->value_size - sizeof(number) &&
            !strcmp(symbol_name(o, symbol), variable))
            memcpy(value + symbol->st_value, &number, sizeof(number));
    }
}

/* What the variables are at the begin. */
static void fill_data_map(const struct object *o, const struct map *map, const char *variable,
                          unsigned int number)
{
    char *value = need(map->value_size);
    union bpf_attr attr = {.map_fd = map->fd};
    uint32_t key = 0;
    int err;

    if (o->sections[map->section].sh_type != SHT_NOBITS)
        memcpy(value, section_data(o, map->section), map->value_size);
    set_variable(o, map, value, variable, number);
    attr.key = (unsigned long)&key;
    attr.value = (unsigned long)value;
    err = bpf(BPF_MAP_UPDATE_ELEM, &attr);
    if (err)
        fail_err(map->name, err);
    free(value);
}

static void create(struct map *map)
{
    union bpf_attr attr = {.map_type = map->type};

    attr.key_size = map->key_size;
    attr.value_size = map->value_size;
    attr.max_entries = map->max_entries;
    attr.map_flags = map->flags;
    strscpy(attr.map_name, map->name, sizeof(attr.map_name));
    map->fd = bpf(BPF_MAP_CREATE, &attr);
    if (map->fd < 0)
        fail_err(map->name, map->fd);
}

void make_maps(struct object *o, const char *variable, unsigned int value)
{
    unsigned int i;

    add_declared_maps(o);
    add_data_maps(o);
    for (i = 0; i < o->nr_maps; i++) {
        create(&o->maps[i]);
        if (o->maps[i].data)
            fill_data_map(o, &o->maps[i], variable, value);
    }
}

/* ---- code ---- */

/* A program's instructions, copied. */
struct code {
    struct bpf_insn *insns;
    unsigned int len;
};

static struct code copy_function(const struct object *o, const Elf64_Sym *symbol)
{
    const Elf64_Shdr *s = &o->sections[symbol->st_shndx];
    struct code c = {.len = symbol->st_size / sizeof(*c.insns)};

    if (!c.len || symbol->st_value > s->sh_size || symbol->st_size > s->sh_size - symbol->st_value)
        fail(symbol_name(o, symbol), "is not within its section");
    c.insns = need(c.len * sizeof(*c.insns));
    memcpy(c.insns, section_data(o, symbol->st_shndx) + symbol->st_value, c.len * sizeof(*c.insns));
    return c;
}

static const Elf64_Sym *symbol_at(const struct object *o, unsigned int section, uint64_t offset,
                                  unsigned int type)
{
    unsigned int count, i;
    const Elf64_Rel *rel = relocations(o, section, &count);

    for (i = 0; i < count; i++) {
        if (rel[i].r_offset != offset)
            continue;
        if (ELF64_R_TYPE(rel[i].r_info) != type || ELF64_R_SYM(rel[i].r_info) >= o->nr_symbols)
            fail(section_name(o, section), "a relocation is not known here");
        return &o->symbols[ELF64_R_SYM(rel[i].r_info)];
    }
    return NULL;
}

static const char *shown_name(const struct object *o, const Elf64_Sym *symbol)
{
    return *symbol_name(o, symbol) ? symbol_name(o, symbol) : section_name(o, symbol->st_shndx);
}

/* An address becomes that of a map, or of a variable in a map. */
static void resolve_address(const struct object *o, struct bpf_insn *insn, const Elf64_Sym *symbol)
{
    uint64_t offset = symbol->st_value + insn[0].imm;
    unsigned int i;

    for (i = 0; symbol->st_shndx && i < o->nr_maps; i++) {
        const struct map *map = &o->maps[i];

        if (map->section != symbol->st_shndx || (!map->data && map->offset != offset))
            continue;
        insn[0].src_reg = map->data ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
        insn[0].imm = map->fd;
        insn[1].imm = map->data ? offset : 0;
        return;
    }
    fail(symbol->st_shndx < o->nr_sections ? shown_name(o, symbol) : "an address",
         "is not in this file, nor a map or variable");
}

static void resolve(const struct object *o, const struct code *c, const Elf64_Sym *function)
{
    unsigned int i;

    for (i = 0; i + 1 < c->len; i++) {
        const Elf64_Sym *symbol;

        if (c->insns[i].code != (BPF_LD | BPF_DW | BPF_IMM))
            continue;
        symbol = symbol_at(o, function->st_shndx, function->st_value + i * 8, R_BPF_64_64);
        if (symbol)
            resolve_address(o, &c->insns[i], symbol);
        i++;
    }
}

/* ---- programs ---- */

/* Of the programs in it; 0: not known. */
static unsigned int type_of_section(const char *name)
{
    static const struct {
        const char *prefix;
        unsigned int type;
    } types[] = {
        {"tracepoint/", BPF_PROG_TYPE_TRACEPOINT},
        {"tp/", BPF_PROG_TYPE_TRACEPOINT},
        {"raw_tracepoint/", BPF_PROG_TYPE_RAW_TRACEPOINT},
        {"raw_tp/", BPF_PROG_TYPE_RAW_TRACEPOINT},
        {"kprobe/", BPF_PROG_TYPE_KPROBE},
        {"kretprobe/", BPF_PROG_TYPE_KPROBE},
        {"perf_event", BPF_PROG_TYPE_PERF_EVENT},
    };
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(types); i++)
        if (starts_with(name, types[i].prefix))
            return types[i].type;
    return BPF_PROG_TYPE_UNSPEC;
}

static const char *license_of(const struct object *o)
{
    unsigned int section = find_section(o, "license");
    const Elf64_Shdr *s = &o->sections[section];

    if (!section || !s->sh_size || section_data(o, section)[s->sh_size - 1])
        return "";
    return section_data(o, section);
}

/* What the verifier says is asked for only if it rejects the program. */
static void load_program(const struct object *o, struct program *prog, const struct code *c)
{
    union bpf_attr attr = {.prog_type = prog->type};

    attr.insns = (unsigned long)c->insns;
    attr.insn_cnt = c->len;
    attr.license = (unsigned long)license_of(o);
    strscpy(attr.prog_name, prog->name, sizeof(attr.prog_name));
    prog->fd = bpf(BPF_PROG_LOAD, &attr);
    if (prog->fd >= 0)
        return;
    attr.log_level = 1;
    attr.log_size = sizeof(log_text);
    attr.log_buf = (unsigned long)log_text;
    bpf(BPF_PROG_LOAD, &attr);
    write(1, log_text, strnlen(log_text, sizeof(log_text)));
    fail_err(prog->name, prog->fd);
}

static void make_program(struct object *o, const Elf64_Sym *symbol)
{
    struct program *prog = &o->progs[o->nr_progs++];
    struct code c = copy_function(o, symbol);

    prog->name = symbol_name(o, symbol);
    prog->section = section_name(o, symbol->st_shndx);
    prog->type = type_of_section(prog->section);
    if (!prog->type)
        fail(prog->section, "programs of this section are not known here");
    resolve(o, &c, symbol);
    load_program(o, prog, &c);
    free(c.insns);
}

void make_programs(struct object *o)
{
    unsigned int i;

    for (i = 0; i < o->nr_symbols; i++) {
        const Elf64_Sym *symbol = &o->symbols[i];

        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !ELF64_ST_BIND(symbol->st_info) ||
            !symbol->st_shndx || symbol->st_shndx >= o->nr_sections ||
            !strcmp(section_name(o, symbol->st_shndx), ".text"))
            continue;
        if (o->nr_progs == PROGS_MAX)
            fail(symbol_name(o, symbol), "there are too many programs");
        make_program(o, symbol);
    }
    if (!o->nr_progs)
        fail("the object", "has no programs");
}
