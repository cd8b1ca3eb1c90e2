/*
 * image.c - see image.h.
 */
#include "litmus/image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/new_file.h"
#include "cpu/cluster.h"

/* Offsets from IMAGE_BASE. */
enum {
    OFFSET_ENTRY = 0,        /* where all harts start */
    OFFSET_STARTS = 0x1000,  /* the registers that harts start with, START_BYTES each */
    OFFSET_RESULTS = 0x2000, /* the registers that harts end with, RESULT_BYTES each */
    OFFSET_DONE = 0x2800,    /* the number of harts that have ended */
    OFFSET_CODE = 0x4000,    /* the programs, a page each */
    OFFSET_DATA = 0x10000,   /* locations (room_for) */
    OFFSET_TABLES = OFFSET_DATA + LITMUS_LOCATIONS_MAX * 0x1000, /* root, middle, leaves */
    PAGE = 0x1000,
    START_BYTES = 512,
    RESULT_BYTES = 256,
};
#define VIRTUAL_BASE UINT64_C(0x40000000) /* of translated locations */

/* Words after the registers of a hart's start. */
enum { START_PC = 256, START_STATUS = 264, START_SATP = 272, START_VECTOR = 280 };

enum { ENTRY_LEAF = 0xcf }; /* D A X W R V */

enum { T6 = 31, T5 = 30 };

/* ---- instructions ---- */

struct writer_at {
    struct test_image *image;
    uint64_t at; /* address of the next instruction */
};

static uint8_t *host(const struct test_image *i, uint64_t address)
{
    return i->bytes + (address - IMAGE_BASE);
}

static void put(struct writer_at *w, uint32_t insn)
{
    memcpy(host(w->image, w->at), &insn, 4);
    w->at += 4;
}

static uint32_t i_type(uint32_t opcode, unsigned funct, unsigned rd, unsigned rs, int imm)
{
    return (uint32_t)imm << 20 | rs << 15 | funct << 12 | rd << 7 | opcode;
}

static uint32_t addi(unsigned rd, unsigned rs, int imm)
{
    return i_type(0x13, 0, rd, rs, imm);
}

static uint32_t load(unsigned rd, int offset, unsigned base)
{
    return i_type(0x03, 3, rd, base, offset);
}

static uint32_t store(unsigned funct, unsigned data, unsigned offset, unsigned base)
{
    return (offset & 0xfe0) << 20 | data << 20 | base << 15 | funct << 12 | (offset & 0x1f) << 7 |
           0x23;
}

static uint32_t csr_write(unsigned csr, unsigned rs)
{
    return i_type(0x73, 1, 0, rs, (int)csr);
}

static uint32_t csr_read(unsigned rd, unsigned csr)
{
    return i_type(0x73, 2, rd, 0, (int)csr);
}

enum {
    CSR_SATP = 0x180,
    CSR_SSCRATCH = 0x140,
    CSR_MSTATUS = 0x300,
    CSR_MTVEC = 0x305,
    CSR_MEPC = 0x341,
    CSR_PMPCFG0 = 0x3a0,
    CSR_PMPADDR0 = 0x3b0,
    CSR_MHARTID = 0xf14
};
enum { INSN_MRET = 0x30200073, INSN_WFI = 0x10500073, INSN_FENCE = 0x0330000f };

/* rd = address */
static void put_address(struct writer_at *w, unsigned rd, uint64_t address)
{
    int64_t offset = (int64_t)(address - w->at);
    int64_t low = (int64_t)((uint64_t)offset << 52) >> 52;

    put(w, (uint32_t)(offset - low) | rd << 7 | 0x17);
    put(w, addi(rd, rd, (int)low));
}

/* Each hart takes its registers from its start, and goes to its program. */
static void put_entry(struct test_image *i)
{
    struct writer_at w = {i, IMAGE_BASE + OFFSET_ENTRY};

    put(&w, csr_read(5, CSR_MHARTID));
    put(&w, i_type(0x13, 1, 5, 5, 9)); /* slli x5, x5, 9: START_BYTES */
    put_address(&w, 6, IMAGE_BASE + OFFSET_STARTS);
    put(&w, 5U << 20 | 6U << 15 | 6U << 7 | 0x33); /* add x6, x6, x5 */
    put(&w, addi(7, 0, -1));
    put(&w, csr_write(CSR_PMPADDR0, 7));
    put(&w, addi(7, 0, 0x1f));
    put(&w, csr_write(CSR_PMPCFG0, 7));
    put(&w, load(7, START_PC, 6));
    put(&w, csr_write(CSR_MEPC, 7));
    put(&w, load(7, START_STATUS, 6));
    put(&w, csr_write(CSR_MSTATUS, 7));
    put(&w, load(7, START_SATP, 6));
    put(&w, csr_write(CSR_SATP, 7));
    put(&w, load(7, START_VECTOR, 6));
    put(&w, csr_write(CSR_MTVEC, 7));
    for (unsigned reg = 1; reg < 32; reg++)
        if (reg != 6)
            put(&w, load(reg, (int)reg * 8, 6));
    put(&w, load(6, 6 * 8, 6));
    put(&w, INSN_MRET);
}

/* After a program: keeps the registers; the last hart ends the run. */
static void put_end(struct test_image *i, unsigned hart)
{
    struct writer_at w = {i, i->harts[hart].end};

    put(&w, csr_write(CSR_SSCRATCH, T6));
    put_address(&w, T6, IMAGE_BASE + OFFSET_RESULTS + (uint64_t)hart * RESULT_BYTES);
    for (unsigned reg = 1; reg < T6; reg++)
        put(&w, store(3, reg, reg * 8, T6));
    put(&w, csr_read(T5, CSR_SSCRATCH));
    put(&w, store(3, T5, T6 * 8, T6));
    put(&w, INSN_FENCE);
    put_address(&w, T6, IMAGE_BASE + OFFSET_DONE);
    put(&w, addi(T5, 0, 1));
    put(&w, (uint32_t)T5 << 20 | (uint32_t)T6 << 15 | 2U << 12 | (uint32_t)T5 << 7 |
                0x2f); /* amoadd.w t5, t5, (t6) */
    put(&w, addi(T5, T5, 1 - (int)i->test->harts));
    put(&w, insn_move((uint32_t)T5 << 15 | 1U << 12 | 0x63, 20)); /* bne t5, x0, to the wfi */
    put(&w, 0x100U << 12 | (uint32_t)T6 << 7 | 0x37);             /* lui t6: the test finisher */
    put(&w, 5U << 12 | (uint32_t)T5 << 7 | 0x37);                 /* lui t5: 0x5555, pass */
    put(&w, addi(T5, T5, 0x555));
    put(&w, store(2, T5, 0, T6));
    put(&w, INSN_WFI);
    put(&w, insn_move(0x6f, -4));
    w.at = (w.at + 3) & ~UINT64_C(3);
    i->harts[hart].fault = w.at;
    put(&w, insn_move(0x6f, (int64_t)(i->harts[hart].end - w.at)));
}

/* ---- values ---- */

bool test_image_label(const struct test_image *i, unsigned hart, const char *name, uint64_t *at)
{
    const struct program *p = &i->test->programs[hart];

    for (size_t n = 0; n < p->lines.len; n++) {
        if (!p->lines.at[n].label || strcmp(p->lines.at[n].label, name) != 0)
            continue;
        *at = i->harts[hart].start + i->code->codes[hart].offsets[n];
        return true;
    }
    return false;
}

/* The first start of the hart's register; NULL: it has none. */
static const struct value *start_of(const struct test *t, unsigned hart, unsigned reg)
{
    for (size_t i = 0; i < t->starts.len; i++)
        if (t->starts.at[i].hart == hart && t->starts.at[i].reg == reg)
            return &t->starts.at[i].value;
    return NULL;
}

/* "sw t0,0(a1)": whether it stores `reg'; *base is the other register. */
static bool stores(const char *insn, unsigned reg, unsigned *base)
{
    char data[16], to[16];
    int offset;

    if (sscanf(insn, "s%*[bhwd] %15[a-z0-9] , %d ( %15[a-z0-9] )", data, &offset, to) != 3 &&
        sscanf(insn, "s%*[bhwd] %15[a-z0-9] , ( %15[a-z0-9] )", data, to) != 2)
        return false;
    *base = register_number(to);
    return register_number(data) == reg && *base < 32;
}

/* The label at which the hart stores the register; else the first label that the test names. */
static const struct value *find_slot(const struct test *t, unsigned hart, unsigned reg)
{
    const struct value *v;
    unsigned base;

    for (size_t n = 0; reg < 32 && n < t->programs[hart].lines.len; n++) {
        const char *insn = t->programs[hart].lines.at[n].insn;

        if (!insn || !stores(insn, reg, &base))
            continue;
        v = start_of(t, hart, base);
        if (v && v->kind == VALUE_LABEL)
            return v;
    }
    for (size_t n = 0; n < t->starts.len; n++)
        if (t->starts.at[n].value.kind == VALUE_LABEL)
            return &t->starts.at[n].value;
    return NULL;
}

/* The address of the label that the text of a jump names last; 0: it names none. */
static uint64_t target_of(const struct test_image *i, const char *text)
{
    const char *name = text + strlen(text);
    uint64_t at;

    while (name > text && name[-1] != ' ' && name[-1] != ',')
        name--;
    for (unsigned h = 0; h < i->test->harts; h++)
        if (test_image_label(i, h, name, &at))
            return at;
    return 0;
}

static uint64_t insn_value(const struct test_image *i, const char *text, unsigned hart,
                           unsigned reg)
{
    const struct assembled *a = i->code;
    const struct value *slot;
    uint64_t target = target_of(i, text), at;

    for (size_t n = 0; n < a->insn_texts.len; n++) {
        uint32_t insn = a->insns.at[n];

        if (strcmp(a->insn_texts.at[n], text) != 0)
            continue;
        slot = target ? find_slot(i->test, hart, reg) : NULL;
        if (slot && test_image_label(i, slot->hart, slot->name, &at))
            insn = insn_move(insn, (int64_t)(target - at) - insn_offset(insn));
        return insn;
    }
    return 0;
}

static uint64_t entry_address(size_t location)
{
    return IMAGE_BASE + OFFSET_TABLES + 2 * PAGE + location * 8;
}

uint64_t test_image_value(const struct test_image *i, const struct value *v, unsigned hart,
                          unsigned reg)
{
    size_t location = v->name ? test_find_location(i->test, v->name) : SIZE_MAX;
    uint64_t at = 0;

    switch (v->kind) {
    case VALUE_NUMBER: return v->number;
    case VALUE_LOCATION: return i->va[location] + v->number;
    case VALUE_LABEL: (void)test_image_label(i, v->hart, v->name, &at); return at;
    case VALUE_INSN: return insn_value(i, v->name, hart, reg);
    case VALUE_ENTRY: return (location == SIZE_MAX ? 0 : i->pa[location] >> 12 << 10) | v->number;
    case VALUE_ENTRY_OF: return entry_address(location);
    }
    return 0;
}

/* ---- memory ---- */

static void put_word(struct test_image *i, uint64_t address, uint64_t value, unsigned size)
{
    memcpy(host(i, address), &value, size);
}

/*
 * The first GiB, with the devices, and that of the image are mapped as they are; locations are
 * mapped page by page.
 */
static void put_tables(struct test_image *i)
{
    uint64_t root = IMAGE_BASE + OFFSET_TABLES;

    put_word(i, root, ENTRY_LEAF, 8);
    put_word(i, root + 8, (root + PAGE) >> 12 << 10 | 1, 8);
    put_word(i, root + 16, IMAGE_BASE >> 12 << 10 | ENTRY_LEAF, 8);
    put_word(i, root + PAGE, (root + 2 * PAGE) >> 12 << 10 | 1, 8);
    for (size_t n = 0; n < i->test->locations.len; n++) {
        const struct location *l = &i->test->locations.at[n];
        uint64_t entry = i->pa[n] >> 12 << 10 | ENTRY_LEAF;

        if (l->has_entry)
            entry = test_image_value(i, &l->entry, 0, 32);
        put_word(i, entry_address(n), entry, 8);
    }
}

static const struct value *start_of_element(const struct location *l, unsigned element)
{
    return element < l->elements.len ? &l->elements.at[element] : &l->start;
}

static void put_data(struct test_image *i)
{
    for (size_t n = 0; n < i->test->locations.len; n++) {
        const struct location *l = &i->test->locations.at[n];
        for (unsigned element = 0; element < l->count; element++)
            put_word(i, i->pa[n] + element * l->size,
                     test_image_value(i, start_of_element(l, element), 0, 32), l->size);
    }
    if (i->test->translated)
        put_tables(i);
}

enum { STATUS_MPP_S = 1 << 11, STATUS_MPP_M = 3 << 11 };

static void put_start(struct test_image *i, unsigned hart)
{
    const struct test *t = i->test;
    uint64_t start = IMAGE_BASE + OFFSET_STARTS + (uint64_t)hart * START_BYTES;

    for (size_t n = 0; n < t->starts.len; n++) {
        const struct start *s = &t->starts.at[n];

        if (s->hart == hart && s->reg)
            put_word(i, start + s->reg * 8, test_image_value(i, &s->value, hart, s->reg), 8);
    }
    put_word(i, start + START_PC, i->harts[hart].start, 8);
    put_word(i, start + START_STATUS, t->translated ? STATUS_MPP_S : STATUS_MPP_M, 8);
    put_word(i, start + START_SATP,
             t->translated ? UINT64_C(8) << 60 | (IMAGE_BASE + OFFSET_TABLES) >> 12 : 0, 8);
    put_word(i, start + START_VECTOR, i->harts[hart].fault, 8);
}

/* ---- checks ---- */

static char *check_value(const struct test_image *i, const struct value *v)
{
    uint64_t at;

    if (v->kind == VALUE_LABEL &&
        (v->hart >= i->test->harts || !test_image_label(i, v->hart, v->name, &at)))
        return xasprintf("P%u has no label `%s'", v->hart, v->name);
    return NULL;
}

static char *check_condition(const struct test_image *i, const struct condition *c)
{
    char *problem = c && c->kind == CONDITION_EQUAL ? check_value(i, &c->value) : NULL;

    if (!problem && c && c->left)
        problem = check_condition(i, c->left);
    if (!problem && c && c->right)
        problem = check_condition(i, c->right);
    return problem;
}

static char *check(const struct test_image *i)
{
    const struct test *t = i->test;
    char *problem = NULL;

    for (unsigned h = 0; h < t->harts && !problem; h++)
        if (i->code->codes[h].size > PAGE - 512)
            problem = xasprintf("the program of P%u is longer than %d bytes", h, PAGE - 512);
    for (size_t n = 0; n < t->starts.len && !problem; n++)
        problem = check_value(i, &t->starts.at[n].value);
    for (size_t n = 0; n < t->locations.len && !problem; n++)
        for (unsigned element = 0; element < t->locations.at[n].count && !problem; element++)
            problem = check_value(i, start_of_element(&t->locations.at[n], element));
    if (!problem)
        problem = check_condition(i, t->condition);
    if (!problem)
        problem = check_condition(i, t->filter);
    return problem;
}

/* ---- the whole ---- */

/* The bytes from the start of a location to that of the next one. */
static uint64_t room_for(const struct test *t, const struct location *l, bool near)
{
    uint64_t bytes = (uint64_t)l->size * l->count;

    if (t->translated)
        return PAGE;
    return near ? align_up(bytes, 8) : align_up(bytes, CACHE_BLOCK_BYTES) + CACHE_BLOCK_BYTES;
}

static void place_locations(struct test_image *i, bool near)
{
    const struct test *t = i->test;

    i->va = xcalloc(t->locations.len + 1, sizeof *i->va);
    i->pa = xcalloc(t->locations.len + 1, sizeof *i->pa);
    for (size_t n = 0; n < t->locations.len; n++) {
        i->pa[n] = i->data + i->locations_size;
        i->va[n] = t->translated ? VIRTUAL_BASE + n * PAGE : i->pa[n];
        i->locations_size += room_for(t, &t->locations.at[n], near);
    }
}

struct test_image *test_image_new(const struct test *t, const struct assembled *code, bool near,
                                  char **problem)
{
    struct test_image *i = xcalloc(1, sizeof *i);

    i->test = t;
    i->code = code;
    i->data = IMAGE_BASE + OFFSET_DATA;
    place_locations(i, near);
    i->data_size = t->translated ? OFFSET_TABLES + 3 * PAGE - OFFSET_DATA : i->locations_size;
    i->tables = t->translated ? IMAGE_BASE + OFFSET_TABLES : i->data + i->data_size;
    i->size = OFFSET_DATA + ((i->data_size + PAGE - 1) & ~(size_t)(PAGE - 1));
    i->bytes = xcalloc(1, i->size);
    for (unsigned h = 0; h < t->harts; h++) {
        i->harts[h].start = IMAGE_BASE + OFFSET_CODE + (uint64_t)h * PAGE;
        i->harts[h].end = i->harts[h].start + code->codes[h].size;
    }
    *problem = check(i);
    if (*problem) {
        test_image_free(i);
        return NULL;
    }
    put_entry(i);
    for (unsigned h = 0; h < t->harts; h++) {
        memcpy(host(i, i->harts[h].start), code->codes[h].bytes, code->codes[h].size);
        put_end(i, h);
        put_start(i, h);
    }
    put_data(i);
    return i;
}

void test_image_free(struct test_image *i)
{
    if (!i)
        return;
    free(i->bytes);
    free(i->va);
    free(i->pa);
    free(i);
}

/* ---- the file ---- */

struct symbol_list {
    VEC_OF(Elf64_Sym) symbols;
    VEC_OF(char) names;
};

static void add_symbol(struct symbol_list *s, const char *name, uint64_t address, uint64_t size,
                       unsigned char type)
{
    Elf64_Sym symbol = {.st_name = (Elf64_Word)s->names.len,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, type),
                        .st_shndx = 1,
                        .st_value = address,
                        .st_size = size};

    for (const char *c = name;; c++) {
        VEC_PUSH(&s->names, *c);
        if (!*c)
            break;
    }
    VEC_PUSH(&s->symbols, symbol);
}

static void add_symbols(struct symbol_list *s, const struct test_image *i)
{
    const struct test *t = i->test;
    char name[300];

    VEC_PUSH(&s->symbols, ((Elf64_Sym){0}));
    VEC_PUSH(&s->names, '\0');
    for (unsigned h = 0; h < t->harts; h++) {
        const struct program *p = &t->programs[h];

        snprintf(name, sizeof name, "P%u", h);
        add_symbol(s, name, i->harts[h].start, i->harts[h].end - i->harts[h].start, STT_FUNC);
        snprintf(name, sizeof name, "P%u_end", h);
        add_symbol(s, name, i->harts[h].end, 0, STT_NOTYPE);
        snprintf(name, sizeof name, "P%u_registers", h);
        add_symbol(s, name, IMAGE_BASE + OFFSET_RESULTS + (uint64_t)h * RESULT_BYTES, RESULT_BYTES,
                   STT_OBJECT);
        for (size_t n = 0; n < p->lines.len; n++) {
            if (!p->lines.at[n].label)
                continue;
            snprintf(name, sizeof name, "P%u_%s", h, p->lines.at[n].label);
            add_symbol(s, name, i->harts[h].start + i->code->codes[h].offsets[n], 0, STT_NOTYPE);
        }
    }
    for (size_t n = 0; n < t->locations.len; n++)
        add_symbol(s, t->locations.at[n].name, i->va[n],
                   t->locations.at[n].size * t->locations.at[n].count, STT_OBJECT);
}

enum exit_status test_image_write(const struct test_image *i, const char *path,
                                  const struct diag *d)
{
    static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
    struct symbol_list s = {0};
    struct new_file file;
    FILE *out;
    Elf64_Ehdr head = {.e_type = ET_EXEC,
                       .e_machine = EM_RISCV,
                       .e_version = EV_CURRENT,
                       .e_entry = IMAGE_BASE,
                       .e_phoff = sizeof head,
                       .e_ehsize = sizeof head,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 5,
                       .e_shstrndx = 4};
    Elf64_Phdr segment = {.p_type = PT_LOAD,
                          .p_flags = PF_R | PF_W | PF_X,
                          .p_offset = PAGE,
                          .p_vaddr = IMAGE_BASE,
                          .p_paddr = IMAGE_BASE,
                          .p_filesz = i->size,
                          .p_memsz = i->size,
                          .p_align = PAGE};
    static const uint8_t zeros[PAGE];
    Elf64_Shdr sections[5] = {{0}};
    uint64_t at = PAGE + i->size;

    if (!new_file_open(&file, path, d))
        return EXIT_IO;
    out = new_file_stream(&file);
    add_symbols(&s, i);
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    sections[1] = (Elf64_Shdr){.sh_name = 1,
                               .sh_type = SHT_PROGBITS,
                               .sh_flags = SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE,
                               .sh_addr = IMAGE_BASE,
                               .sh_offset = PAGE,
                               .sh_size = OFFSET_DATA,
                               .sh_addralign = PAGE};
    sections[2] = (Elf64_Shdr){.sh_name = 7,
                               .sh_type = SHT_SYMTAB,
                               .sh_offset = at,
                               .sh_size = s.symbols.len * sizeof(Elf64_Sym),
                               .sh_link = 3,
                               .sh_info = 1,
                               .sh_addralign = 8,
                               .sh_entsize = sizeof(Elf64_Sym)};
    at += sections[2].sh_size;
    sections[3] = (Elf64_Shdr){.sh_name = 15,
                               .sh_type = SHT_STRTAB,
                               .sh_offset = at,
                               .sh_size = s.names.len,
                               .sh_addralign = 1};
    at += s.names.len;
    sections[4] = (Elf64_Shdr){.sh_name = 23,
                               .sh_type = SHT_STRTAB,
                               .sh_offset = at,
                               .sh_size = sizeof section_names,
                               .sh_addralign = 1};
    at += sizeof section_names;
    head.e_shoff = at;
    fwrite(&head, sizeof head, 1, out);
    fwrite(&segment, sizeof segment, 1, out);
    fwrite(zeros, PAGE - sizeof head - sizeof segment, 1, out);
    fwrite(i->bytes, i->size, 1, out);
    fwrite(s.symbols.at, sizeof(Elf64_Sym), s.symbols.len, out);
    fwrite(s.names.at, 1, s.names.len, out);
    fwrite(section_names, 1, sizeof section_names, out);
    fwrite(sections, sizeof sections, 1, out);
    VEC_FREE(&s.symbols);
    VEC_FREE(&s.names);
    return new_file_commit(&file, d) ? EXIT_PASS : EXIT_IO;
}
