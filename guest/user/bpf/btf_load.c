/*
 * btf_load.c - gives the kernel the types of an object, and what section .BTF.ext says of functions
 * and lines.
 *
 * The compiler leaves open where variables are in their sections, and how large these are: the
 * loader fills that in.
 */
#include "types.h"

/* The begin of .BTF.ext, and of what it has of a section. */
struct btf_ext_header {
    uint16_t magic;
    uint8_t version, flags;
    uint32_t hdr_len, func_info_off, func_info_len, line_info_off, line_info_len;
};
struct btf_ext_info_sec {
    uint32_t sec_name_off, num_info;
};

/* ---- types ---- */

static uint32_t offset_of_variable(const struct object *o, unsigned int section, const char *name)
{
    unsigned int i;

    for (i = 0; i < o->nr_symbols; i++)
        if (o->symbols[i].st_shndx == section && !strcmp(symbol_name(o, &o->symbols[i]), name))
            return o->symbols[i].st_value;
    return 0;
}

static void fill_section(const struct object *o, const struct btf *b, struct btf_type *t)
{
    struct btf_var_secinfo *v = (struct btf_var_secinfo *)(t + 1);
    unsigned int section = find_section(o, name_of(b, t->name_off)), i, k;

    if (!section)
        return;
    t->size = o->sections[section].sh_size;
    for (i = 0; i < vlen(t); i++) {
        const struct btf_type *var = type_of(b, v[i].type);

        if (var)
            v[i].offset = offset_of_variable(o, section, name_of(b, var->name_off));
    }
    /* In the order of the offsets. */
    for (i = 1; i < vlen(t); i++)
        for (k = i; k && v[k - 1].offset > v[k].offset; k--) {
            struct btf_var_secinfo other = v[k];

            v[k] = v[k - 1];
            v[k - 1] = other;
        }
}

void load_types(struct object *o)
{
    unsigned int section = find_section(o, ".BTF");
    union bpf_attr attr = {.btf_size = 0};
    const struct btf_type *t;
    struct btf b;
    uint32_t at = 0;

    o->btf_fd = -1;
    if (!open_btf(o, &b))
        return;
    while ((t = next_type(&b, &at)))
        if (kind(t) == BTF_KIND_DATASEC)
            fill_section(o, &b, (struct btf_type *)t);
    attr.btf = (unsigned long)section_data(o, section);
    attr.btf_size = o->sections[section].sh_size;
    o->btf_fd = bpf(BPF_BTF_LOAD, &attr);
    if (o->btf_fd < 0)
        printf("bpf: types: %s: going on without them\n", strerror(-o->btf_fd));
}

uint32_t id_of_section_type(const struct object *o, const char *name)
{
    const struct btf_type *t;
    struct btf b;
    uint32_t at = 0, id = 0;

    if (!open_btf(o, &b))
        return 0;
    while ((t = next_type(&b, &at))) {
        id++;
        if (kind(t) == BTF_KIND_DATASEC && !strcmp(name_of(&b, t->name_off), name))
            return id;
    }
    return 0;
}

/* ---- functions and lines ---- */

/* Adds the records of one function; those of its section are at `from'. */
static void add_records(struct records *r, const struct place *p, const char *from, uint32_t count)
{
    uint32_t i;

    for (i = 0; i < count; i++, from += r->size) {
        uint32_t insn = *(const uint32_t *)from / sizeof(struct bpf_insn);

        if (insn < p->from || insn - p->from >= p->len || r->count == RECORDS_MAX)
            continue;
        memcpy(r->at + r->count * r->size, from, r->size);
        *(uint32_t *)(r->at + r->count++ * r->size) = insn - p->from + p->at;
    }
}

/* What there is of one kind: the size of a record, and then records by sections. */
static void find_records(const struct object *o, const struct btf *b, const char *info,
                         uint32_t size, const struct place *p, struct records *r)
{
    uint32_t at = sizeof(uint32_t);

    if (size < at)
        return;
    r->size = *(const uint32_t *)info;
    if (r->size < sizeof(struct bpf_func_info) || r->size > RECORD_SIZE_MAX || r->size % 4)
        return;
    while (size - at >= sizeof(struct btf_ext_info_sec)) {
        const struct btf_ext_info_sec *s = (const struct btf_ext_info_sec *)(info + at);

        at += sizeof(*s);
        if (s->num_info > (size - at) / r->size)
            return;
        if (!strcmp(name_of(b, s->sec_name_off), section_name(o, p->section)))
            add_records(r, p, info + at, s->num_info);
        at += s->num_info * r->size;
    }
}

void find_said(const struct object *o, const struct place *p, struct records *functions,
               struct records *lines)
{
    unsigned int section = find_section(o, ".BTF.ext");
    const struct btf_ext_header *h;
    struct btf b;
    uint64_t room;

    if (!section || o->btf_fd < 0 || !open_btf(o, &b))
        return;
    room = o->sections[section].sh_size;
    h = (const struct btf_ext_header *)section_data(o, section);
    if (room < sizeof(*h) || h->magic != BTF_MAGIC || o->sections[section].sh_offset % 4 ||
        (h->hdr_len | h->func_info_off | h->line_info_off) % 4 ||
        (uint64_t)h->hdr_len + h->func_info_off + h->func_info_len > room ||
        (uint64_t)h->hdr_len + h->line_info_off + h->line_info_len > room)
        return;
    find_records(o, &b, (const char *)h + h->hdr_len + h->func_info_off, h->func_info_len, p,
                 functions);
    find_records(o, &b, (const char *)h + h->hdr_len + h->line_info_off, h->line_info_len, p,
                 lines);
}
