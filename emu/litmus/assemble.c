/*
 * assemble.c - see assemble.h. The tests become one source file; what the assembler makes of it is
 * read from the object file: the bytes of .text, and a table of offsets that the source asks for.
 */
#include "litmus/assemble.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "load/file.h"

const char *const assemblers[] = {"riscv64-unknown-elf-as", "riscv64-linux-gnu-as", NULL};

extern char **environ;

/* A range of lines of the source, from `first' on, that came from a line of a test's file; 0: from
 * a value in it. */
struct origin {
    unsigned first;
    size_t test;
    unsigned line;
};

struct batch {
    struct test *const *tests;
    struct assembled *out;
    size_t count;
    const struct diag *diag;
    char source[64], object[64], messages[64]; /* paths */
    FILE *file;
    unsigned line; /* of the source that is written next, from 1 on */
    VEC_OF(struct origin) origins;
};

static void PRINTF_LIKE(2, 3) emit(struct batch *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(b->file, format, args);
    va_end(args);
    fputc('\n', b->file);
    b->line++;
}

/* ---- jumps ---- */

enum { OPCODE_BRANCH = 0x63, OPCODE_JAL = 0x6f, OPCODE_MASK = 0x7f };

int64_t insn_offset(uint32_t i)
{
    if ((i & OPCODE_MASK) == OPCODE_JAL)
        return (int32_t)((i >> 31 ? 0xfff00000U : 0) | (i & 0xff000) | (i >> 9 & 0x800) |
                         (i >> 20 & 0x7fe));
    if ((i & OPCODE_MASK) == OPCODE_BRANCH)
        return (int32_t)((i >> 31 ? 0xfffff000U : 0) | (i << 4 & 0x800) | (i >> 20 & 0x7e0) |
                         (i >> 7 & 0x1e));
    return 0;
}

uint32_t insn_move(uint32_t i, int64_t by)
{
    uint32_t o = (uint32_t)(insn_offset(i) + by);

    if ((i & OPCODE_MASK) == OPCODE_JAL)
        return (i & 0xfff) | (o & 0x100000) << 11 | (o & 0x7fe) << 20 | (o & 0x800) << 9 |
               (o & 0xff000);
    if ((i & OPCODE_MASK) == OPCODE_BRANCH)
        return (i & 0x1fff07f) | (o & 0x1000) << 19 | (o & 0x7e0) << 20 | (o & 0x1e) << 7 |
               (o & 0x800) >> 4;
    return i;
}

/* ---- one instruction ---- */

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static bool has_label(const struct program *p, const char *name, size_t len)
{
    for (size_t i = 0; i < p->lines.len; i++)
        if (p->lines.at[i].label && strlen(p->lines.at[i].label) == len &&
            !strncmp(p->lines.at[i].label, name, len))
            return true;
    return false;
}

/* The program that has the label; hart first, then the others. harts: none has it. */
static unsigned program_with_label(const struct test *t, unsigned hart, const char *name,
                                   size_t len)
{
    if (hart < t->harts && has_label(&t->programs[hart], name, len))
        return hart;
    for (unsigned h = 0; h < t->harts; h++)
        if (has_label(&t->programs[h], name, len))
            return h;
    return t->harts;
}

/* The parts of "lw.aq x5,0(x6)". */
struct ordered_access {
    bool is_load, aq, rl;
    char width, data[16], base[16];
};

static bool read_ordered_access(const char *insn, struct ordered_access *a)
{
    char what[16] = "";
    long offset;
    char *end;

    *a = (struct ordered_access){0};
    if (sscanf(insn, "%15s %15[a-z0-9] , ", what, a->data) != 2 || strlen(what) < 5)
        return false;
    a->is_load = what[0] == 'l';
    a->width = what[1];
    a->aq = strstr(what, ".aq") != NULL;
    a->rl = strstr(what, ".rl") != NULL;
    if ((what[0] != 'l' && what[0] != 's') || !strchr("bhwd", a->width) || what[2] != '.' ||
        !(a->is_load ? a->aq : a->rl))
        return false;
    insn = strchr(insn, ',') + 1;
    offset = strtol(insn, &end, 0);
    return offset == 0 && sscanf(end, " ( %15[a-z0-9] )", a->base) == 1 &&
           register_number(a->base) < 32 && register_number(a->data) < 32;
}

/*
 * Loads that acquire and stores that release, lw.aq and sw.rl (Zalasr), which assemblers do not
 * know yet. False: it is another instruction.
 */
static bool emit_ordered_access(struct batch *b, const char *insn)
{
    enum { AMO = 0x2f, LOAD = 6, STORE = 7 };
    static const char widths[] = "bhwd";
    struct ordered_access a;
    uint32_t word;

    if (!read_ordered_access(insn, &a))
        return false;
    word = (uint32_t)(a.is_load ? LOAD : STORE) << 27 | (uint32_t)a.aq << 26 |
           (uint32_t)a.rl << 25 | (uint32_t)(strchr(widths, a.width) - widths) << 12 |
           register_number(a.base) << 15 | register_number(a.data) << (a.is_load ? 7 : 20) | AMO;
    emit(b, ".4byte 0x%x", word);
    return true;
}

/* Writes an instruction, with the labels of the test's programs as the source has them. */
static void emit_insn(struct batch *b, size_t test, unsigned hart, const char *insn)
{
    const struct test *t = b->tests[test];
    bool first = true, compressed = !strncmp(insn, "c.", 2);

    if (compressed)
        emit(b, ".option arch, +c");
    for (const char *c = insn; *c;) {
        size_t len = 0;
        unsigned owner;

        while (is_word_char(c[len]))
            len++;
        if (!len) {
            fputc(*c == '\n' ? ' ' : *c, b->file);
            c++;
            continue;
        }
        owner = first ? t->harts : program_with_label(t, hart, c, len);
        if (owner < t->harts)
            fprintf(b->file, ".L%zu.%u.u.", test, owner);
        if (first && len > 6 && !strncmp(c + len - 6, ".aq.rl", 6))
            fprintf(b->file, "%.*s.aqrl", (int)len - 6, c);
        else
            fwrite(c, 1, len, b->file);
        c += len;
        first = false;
    }
    emit(b, "%s", "");
    if (compressed)
        emit(b, ".option arch, -c");
}

/* ---- the source ---- */

static void add_insn_value(struct assembled *a, const struct value *v)
{
    if (v->kind != VALUE_INSN)
        return;
    for (size_t i = 0; i < a->insn_texts.len; i++)
        if (!strcmp(a->insn_texts.at[i], v->name))
            return;
    VEC_PUSH(&a->insn_texts, xstrdup(v->name));
}

static void add_condition_values(struct assembled *a, const struct condition *c)
{
    if (!c)
        return;
    if (c->kind == CONDITION_EQUAL)
        add_insn_value(a, &c->value);
    add_condition_values(a, c->left);
    add_condition_values(a, c->right);
}

static void list_insn_values(const struct test *t, struct assembled *a)
{
    for (size_t i = 0; i < t->starts.len; i++)
        add_insn_value(a, &t->starts.at[i].value);
    for (size_t i = 0; i < t->locations.len; i++)
        add_insn_value(a, &t->locations.at[i].start);
    add_condition_values(a, t->condition);
    add_condition_values(a, t->filter);
}

/* Code, then in the table: the start and end of each program and its lines, then of each value. */
static void emit_test(struct batch *b, size_t n)
{
    const struct test *t = b->tests[n];
    const struct assembled *a = &b->out[n];

    VEC_PUSH(&b->origins, ((struct origin){b->line, n, 0}));
    for (unsigned h = 0; h < t->harts; h++) {
        const struct program *p = &t->programs[h];

        emit(b, ".balign 8");
        emit(b, ".L%zu.%u:", n, h);
        for (size_t i = 0; i < p->lines.len; i++) {
            emit(b, ".L%zu.%u.%zu:", n, h, i);
            if (p->lines.at[i].label)
                emit(b, ".L%zu.%u.u.%s:", n, h, p->lines.at[i].label);
            VEC_PUSH(&b->origins, ((struct origin){b->line, n, p->lines.at[i].number}));
            if (p->lines.at[i].insn && !emit_ordered_access(b, p->lines.at[i].insn))
                emit_insn(b, n, h, p->lines.at[i].insn);
        }
        emit(b, ".L%zu.%u._END_:", n, h);
    }
    VEC_PUSH(&b->origins, ((struct origin){b->line, n, 0}));
    for (size_t i = 0; i < a->insn_texts.len; i++) {
        emit(b, ".balign 8");
        emit(b, ".L%zu.v%zu:", n, i);
        if (!emit_ordered_access(b, a->insn_texts.at[i]))
            emit_insn(b, n, t->harts, a->insn_texts.at[i]);
    }
    emit(b, ".section .litmus, \"a\"");
    for (unsigned h = 0; h < t->harts; h++) {
        emit(b, ".4byte .L%zu.%u - .Lbase, .L%zu.%u._END_ - .L%zu.%u", n, h, n, h, n, h);
        for (size_t i = 0; i < t->programs[h].lines.len; i++)
            emit(b, ".4byte .L%zu.%u.%zu - .L%zu.%u", n, h, i, n, h);
    }
    for (size_t i = 0; i < a->insn_texts.len; i++)
        emit(b, ".4byte .L%zu.v%zu - .Lbase", n, i);
    emit(b, ".text");
}

static bool is_included(const struct batch *b, size_t n)
{
    return test_is_riscv(b->tests[n]) && !b->out[n].problem;
}

static void write_source(struct batch *b)
{
    b->line = 1;
    b->origins.len = 0;
    emit(b, ".option norelax");
    emit(b, ".option norvc");
    emit(b, ".text");
    emit(b, ".Lbase:");
    for (size_t i = 0; i < b->count; i++)
        if (is_included(b, i))
            emit_test(b, i);
    VEC_PUSH(&b->origins, ((struct origin){b->line, b->count, 0}));
}

/* ---- the assembler ---- */

/* The status of the process: 0 if it has assembled the source; -1: it cannot be started. */
static int run_assembler(const struct batch *b, const char *program)
{
    char march[] = "-march=rv64imafd_zicsr_zifencei_zba_zbb_zbs_zicbom_zicboz_svinval",
         mabi[] = "-mabi=lp64d", no_relax[] = "-mno-relax", o[] = "-o", name[256];
    char source[64], object[64];
    char *argv[] = {name, march, mabi, no_relax, o, object, source, NULL};
    posix_spawn_file_actions_t actions;
    int status = -1, failed;
    pid_t pid;

    snprintf(name, sizeof name, "%s", program);
    memcpy(source, b->source, sizeof source);
    memcpy(object, b->object, sizeof object);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, b->messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    failed = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        errno = failed;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

/* Where the line of the source came from; the test is `count': from none. */
static struct origin origin_of(const struct batch *b, unsigned line)
{
    struct origin found = {0, b->count, 0};

    for (size_t i = 0; i < b->origins.len && b->origins.at[i].first <= line; i++)
        found = b->origins.at[i];
    return found;
}

/* The test cannot be assembled; line 0: that of the file is not known. */
static void set_problem(struct batch *b, size_t test, unsigned line, const char *what)
{
    b->out[test].problem = line ? xasprintf("%u: %s", line, what) : xstrdup(what);
}

/* Gives their problems to the tests that the assembler complains of. Returns their number. */
static size_t read_messages(struct batch *b)
{
    FILE *f = fopen(b->messages, "r");
    char text[512];
    size_t found = 0;

    while (f && fgets(text, sizeof text, f)) {
        char *error = strstr(text, ": Error: "), *colon = strchr(text, ':');
        struct origin from;

        if (!error || !colon || colon >= error)
            continue;
        from = origin_of(b, (unsigned)strtoul(colon + 1, NULL, 10));
        text[strcspn(text, "\n")] = '\0';
        if (from.test < b->count && !b->out[from.test].problem) {
            char *what = xasprintf("the assembler: %s", error + strlen(": Error: "));

            set_problem(b, from.test, from.line, what);
            free(what);
            found++;
        }
    }
    if (f)
        fclose(f);
    return found;
}

/* ---- the object file ---- */

struct object {
    struct file file;
    uint8_t *text, *table;
    const uint8_t *symbols;
    size_t text_size, table_size, symbols_size;
    size_t taken; /* bytes of the table that were read */
};

/* Where a test is in .text, and in the table. */
struct code_place {
    uint32_t code; /* UINT32_MAX: it is not there */
    size_t table;
};

static bool fits(const struct object *o, uint64_t offset, uint64_t size)
{
    return offset <= o->file.size && size <= o->file.size - offset;
}

static uint32_t table_word(const struct object *o, size_t at)
{
    uint32_t word = 0;

    if (at + 4 <= o->table_size)
        memcpy(&word, o->table + at, 4);
    return word;
}

/* The line of the file with the instruction there; 0: it is a value. `at`: the test's in the table.
 */
static unsigned line_of_code(const struct test *t, const struct object *o, size_t at,
                             uint64_t offset)
{
    for (unsigned h = 0; h < t->harts; h++) {
        uint64_t start = table_word(o, at), size = table_word(o, at + 4);
        size_t line = t->programs[h].lines.len;

        at += 8;
        while (line && start + table_word(o, at + (line - 1) * 4) > offset)
            line--;
        if (line && offset >= start && offset < start + size)
            return t->programs[h].lines.at[line - 1].number;
        at += t->programs[h].lines.len * 4;
    }
    return 0;
}

/* An instruction that the assembler has not completed: its test has the problem. */
static void note_unresolved(struct batch *b, const struct object *o,
                            const struct code_place *starts, uint64_t offset)
{
    size_t n = b->count;

    for (size_t i = 0; i < b->count; i++)
        if (starts[i].code != UINT32_MAX && starts[i].code <= offset)
            n = i;
    if (n < b->count && !b->out[n].problem)
        set_problem(b, n, line_of_code(b->tests[n], o, starts[n].table, offset),
                    "an instruction names a label that no program has");
}

static bool take_symbol(const struct object *o, const Elf64_Rela *r, Elf64_Sym *symbol)
{
    uint64_t n = ELF64_R_SYM(r->r_info);

    if (n >= o->symbols_size / sizeof *symbol)
        return false;
    memcpy(symbol, o->symbols + n * sizeof *symbol, sizeof *symbol);
    return true;
}

/* The differences of labels in the table, which the assembler leaves to the linker. */
static bool complete_table(struct object *o, const Elf64_Rela *r)
{
    uint32_t word;
    Elf64_Sym symbol;
    unsigned type = ELF64_R_TYPE(r->r_info);

    if (!take_symbol(o, r, &symbol) || r->r_offset > o->table_size - 4)
        return false;
    memcpy(&word, o->table + r->r_offset, 4);
    if (type == R_RISCV_ADD32)
        word += (uint32_t)(symbol.st_value + (uint64_t)r->r_addend);
    else if (type == R_RISCV_SUB32)
        word -= (uint32_t)(symbol.st_value + (uint64_t)r->r_addend);
    else
        return false;
    memcpy(o->table + r->r_offset, &word, 4);
    return true;
}

/* The jumps to labels. */
static void complete_insn(struct batch *b, struct object *o, const struct code_place *starts,
                          const Elf64_Rela *r)
{
    Elf64_Sym symbol;
    unsigned type = ELF64_R_TYPE(r->r_info);
    uint32_t insn;

    if (!take_symbol(o, r, &symbol) || symbol.st_shndx == SHN_UNDEF ||
        (type != R_RISCV_BRANCH && type != R_RISCV_JAL) || r->r_offset > o->text_size - 4) {
        note_unresolved(b, o, starts, r->r_offset);
        return;
    }
    memcpy(&insn, o->text + r->r_offset, 4);
    insn = insn_move(insn, (int64_t)(symbol.st_value + (uint64_t)r->r_addend - r->r_offset) -
                               insn_offset(insn));
    memcpy(o->text + r->r_offset, &insn, 4);
}

static uint32_t next_word(struct object *o)
{
    uint32_t word = 0;

    if (o->taken + 4 <= o->table_size)
        memcpy(&word, o->table + o->taken, 4);
    o->taken += 4;
    return word;
}

static bool in_text(const struct object *o, uint32_t at, uint32_t size)
{
    return at <= o->text_size && size <= o->text_size - at;
}

static bool take_test(struct batch *b, struct object *o, size_t n)
{
    const struct test *t = b->tests[n];
    struct assembled *a = &b->out[n];

    for (unsigned h = 0; h < t->harts; h++) {
        struct code *code = &a->codes[h];
        size_t lines = t->programs[h].lines.len;
        uint32_t at = next_word(o);

        code->size = next_word(o);
        if (!in_text(o, at, (uint32_t)code->size))
            return false;
        code->bytes = xcalloc(code->size + 1, 1);
        memcpy(code->bytes, o->text + at, code->size);
        code->offsets = xcalloc(lines + 1, sizeof *code->offsets);
        for (size_t i = 0; i < lines; i++)
            code->offsets[i] = next_word(o);
    }
    for (size_t i = 0; i < a->insn_texts.len; i++) {
        uint32_t at = next_word(o), insn = 0;

        if (!in_text(o, at, 2))
            return false;
        memcpy(&insn, o->text + at, in_text(o, at, 4) ? 4 : 2);
        if ((insn & 3) != 3)
            insn &= 0xffff;
        insn = insn_move(insn, at); /* from its place to address 0 */
        VEC_PUSH(&a->insns, insn);
    }
    return true;
}

/* Calls fn for each entry of a section of relocations. False: fn refuses one. */
static bool complete(struct batch *b, struct object *o, const struct code_place *starts,
                     const Elf64_Shdr *section)
{
    for (size_t i = 0; section && i < section->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;

        memcpy(&r, o->file.bytes + section->sh_offset + i * sizeof r, sizeof r);
        if (starts)
            complete_insn(b, o, starts, &r);
        else if (!complete_table(o, &r))
            return false;
    }
    return true;
}

struct object_sections {
    const Elf64_Shdr *of_text, *of_table; /* relocations */
};

static bool find_sections(struct object *o, struct object_sections *found)
{
    const Elf64_Ehdr *head = (const void *)o->file.bytes;
    const Elf64_Shdr *sections;
    const char *names;

    if (!fits(o, 0, sizeof *head) || head->e_machine != EM_RISCV ||
        !fits(o, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections) ||
        head->e_shstrndx >= head->e_shnum)
        return false;
    sections = (const void *)(o->file.bytes + head->e_shoff);
    names = (const char *)o->file.bytes + sections[head->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        const char *name = names + s->sh_name;

        if (s->sh_type == SHT_NOBITS)
            continue;
        if (!fits(o, s->sh_offset, s->sh_size))
            return false;
        if (!strcmp(name, ".text"))
            o->text = o->file.bytes + s->sh_offset, o->text_size = s->sh_size;
        else if (!strcmp(name, ".litmus"))
            o->table = o->file.bytes + s->sh_offset, o->table_size = s->sh_size;
        else if (s->sh_type == SHT_SYMTAB)
            o->symbols = o->file.bytes + s->sh_offset, o->symbols_size = s->sh_size;
        else if (!strcmp(name, ".rela.text"))
            found->of_text = s;
        else if (!strcmp(name, ".rela.litmus"))
            found->of_table = s;
    }
    return o->text && o->text_size >= 4;
}

/* Where each test is. */
static struct code_place *find_starts(const struct batch *b, const struct object *o)
{
    struct code_place *starts = xcalloc(b->count + 1, sizeof *starts);
    size_t at = 0;

    for (size_t i = 0; i < b->count; i++) {
        const struct test *t = b->tests[i];

        starts[i] = (struct code_place){UINT32_MAX, at};
        if (!is_included(b, i))
            continue;
        starts[i].code = table_word(o, at);
        for (unsigned h = 0; h < t->harts; h++)
            at += (2 + t->programs[h].lines.len) * 4;
        at += b->out[i].insn_texts.len * 4;
    }
    return starts;
}

static bool take_object(struct batch *b, struct object *o)
{
    struct object_sections found = {0};
    struct code_place *starts;
    bool whole;

    if (!find_sections(o, &found))
        return b->origins.at[0].test == b->count; /* it was empty, as there are no tests */
    if (!complete(b, o, NULL, found.of_table))
        return false;
    starts = find_starts(b, o);
    whole = complete(b, o, starts, found.of_text);
    for (size_t i = 0; i < b->count && whole; i++)
        if (starts[i].code != UINT32_MAX)
            whole = take_test(b, o, i);
    free(starts);
    return whole && o->taken <= o->table_size;
}

static enum exit_status read_object(struct batch *b)
{
    struct object o = {0};
    enum exit_status status = file_read(b->object, b->diag, &o.file);

    if (status != EXIT_PASS)
        return status;
    if (!take_object(b, &o)) {
        diag_error(b->diag, "%s: the assembler has not written what its source asks for",
                   b->object);
        status = EXIT_INTERNAL;
    }
    file_free(&o.file);
    return status;
}

/* ---- the whole ---- */

static enum exit_status open_files(struct batch *b, char *folder)
{
    if (!mkdtemp(folder)) {
        diag_error(b->diag, "%s: %s", folder, strerror(errno));
        return EXIT_IO;
    }
    snprintf(b->source, sizeof b->source, "%s/tests.s", folder);
    snprintf(b->object, sizeof b->object, "%s/tests.o", folder);
    snprintf(b->messages, sizeof b->messages, "%s/messages", folder);
    return EXIT_PASS;
}

/* Finds an assembler that can be started; *status: what it said to the source. */
static const char *start_assembler(const struct batch *b, const char *program, int *status)
{
    if (program) {
        *status = run_assembler(b, program);
        return program;
    }
    for (size_t i = 0; assemblers[i]; i++) {
        *status = run_assembler(b, assemblers[i]);
        if (*status >= 0)
            return assemblers[i];
    }
    return assemblers[0];
}

/* Assembles the tests that have no problem yet; *again: some turned out to have one. */
static enum exit_status assemble_once(struct batch *b, const char **program, bool *again)
{
    int status;
    bool written;

    *again = false;
    b->file = fopen(b->source, "w");
    if (!b->file) {
        diag_error(b->diag, "%s: %s", b->source, strerror(errno));
        return EXIT_IO;
    }
    write_source(b);
    written = !ferror(b->file);
    written &= !fclose(b->file);
    if (!written) {
        diag_error(b->diag, "%s: %s", b->source, strerror(errno));
        return EXIT_IO;
    }
    *program = start_assembler(b, *program, &status);
    if (status < 0) {
        diag_error(b->diag,
                   "%s cannot be started: install binutils-riscv64-unknown-elf, or name an "
                   "assembler for RISC-V with --as",
                   *program);
        return EXIT_NO_FILE;
    }
    if (status == 0)
        return read_object(b);
    *again = read_messages(b) != 0;
    if (*again)
        return EXIT_PASS;
    diag_error(b->diag, "%s has failed (status %d) and names no line", *program, status);
    return EXIT_INTERNAL;
}

enum exit_status assemble(struct test *const *tests, size_t count, const char *program,
                          const struct diag *d, struct assembled *out)
{
    struct batch b = {.tests = tests, .out = out, .count = count, .diag = d};
    char folder[] = "/tmp/rvftrace-litmus-XXXXXX";
    enum exit_status status;
    bool again = true;

    for (size_t i = 0; i < count; i++)
        if (test_is_riscv(tests[i]))
            list_insn_values(tests[i], &out[i]);
    status = open_files(&b, folder);
    if (status != EXIT_PASS)
        return status;
    while (status == EXIT_PASS && again)
        status = assemble_once(&b, &program, &again);
    unlink(b.source);
    unlink(b.object);
    unlink(b.messages);
    rmdir(folder);
    VEC_FREE(&b.origins);
    return status;
}

void assembled_free(struct assembled *a)
{
    for (unsigned h = 0; h < LITMUS_HARTS_MAX; h++) {
        free(a->codes[h].bytes);
        free(a->codes[h].offsets);
    }
    for (size_t i = 0; i < a->insn_texts.len; i++)
        free(a->insn_texts.at[i]);
    VEC_FREE(&a->insn_texts);
    VEC_FREE(&a->insns);
    free(a->problem);
}
