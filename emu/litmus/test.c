/*
 * test.c - see test.h. The file is read once, from left to right: header, start, programs,
 * condition.
 */
#include "litmus/parse_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Those of the tests that herd7 reads. A file that begins with another word is no test. */
static bool is_architecture(const char *name)
{
    static const char *const names[] = {"AArch64", "ARM",  "ASL", "BPF",   "C",   "CPP",   "JAVA",
                                        "LISA",    "MIPS", "PPC", "RISCV", "X86", "X86_64"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* The architecture, the name, and lines up to the start, of which only Variant= counts. */
static void parse_header(struct parser *p)
{
    const char *end;
    char arch[TOKEN_MAX];

    lex_name(p, arch);
    p->test->arch = xstrdup(arch);
    end = p->at + strcspn(p->at, "\n");
    p->test->name = lex_copy(p->at, end);
    p->at = end;
    if (!p->test->name[0])
        lex_problem(p, "expected an architecture and the name of the test");
    else if (!is_architecture(arch))
        lex_problem(p, "no litmus test: it begins with `%s', which is no architecture, as RISCV is",
                    arch);
    if (p->problem || !test_is_riscv(p->test))
        return;
    for (;;) {
        lex_blanks(p);
        if (!*p->at) {
            lex_problem(p, "there is no `{'");
            return;
        }
        if (*p->at == '{')
            return;
        end = p->at + strcspn(p->at, "\n");
        if (!strncmp(p->at, "Variant=", 8)) {
            char *variants = lex_copy(p->at + 8, end);

            p->test->translated |= strstr(variants, "vm") != NULL;
            p->test->fetches |= strstr(variants, "self") != NULL;
            free(variants);
        }
        p->at = end;
    }
}

bool place_equal(const struct place *a, const struct place *b)
{
    return a->is_register == b->is_register && a->hart == b->hart && a->reg == b->reg &&
           a->location == b->location && a->element == b->element;
}

bool test_is_riscv(const struct test *t)
{
    return !strcmp(t->arch, "RISCV");
}

struct test *test_parse(const char *path, const char *text, char **problem)
{
    struct parser p = {.test = xcalloc(1, sizeof(struct test))};
    const char *open;
    char *plain = lex_without_comments(text, &open);

    p.at = p.text = p.counted = plain;
    p.line = 1;
    p.test->path = xstrdup(path);
    parse_header(&p);
    if (test_is_riscv(p.test) && open && !p.problem)
        p.problem = xasprintf("%u: the comment has no end", lex_line(&p, plain + (open - text)));
    if (!p.problem && test_is_riscv(p.test)) {
        parse_start(&p);
        if (!p.problem)
            parse_programs(&p);
        if (!p.problem)
            parse_condition(&p);
        for (size_t i = 0; i < p.test->starts.len && !p.problem; i++)
            if (p.test->starts.at[i].hart >= p.test->harts)
                lex_problem(&p, "there is no hart %u", p.test->starts.at[i].hart);
    }
    free(plain);
    *problem = p.problem;
    if (p.problem) {
        test_delete(p.test);
        return NULL;
    }
    return p.test;
}

static void condition_free(struct condition *c)
{
    if (!c)
        return;
    condition_free(c->left);
    condition_free(c->right);
    free(c->value.name);
    free(c);
}

void test_delete(struct test *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->locations.len; i++) {
        free(t->locations.at[i].name);
        free(t->locations.at[i].start.name);
        free(t->locations.at[i].entry.name);
        for (size_t n = 0; n < t->locations.at[i].elements.len; n++)
            free(t->locations.at[i].elements.at[n].name);
        VEC_FREE(&t->locations.at[i].elements);
    }
    for (size_t i = 0; i < t->starts.len; i++)
        free(t->starts.at[i].value.name);
    for (unsigned h = 0; h < LITMUS_HARTS_MAX; h++) {
        for (size_t i = 0; i < t->programs[h].lines.len; i++) {
            free(t->programs[h].lines.at[i].label);
            free(t->programs[h].lines.at[i].insn);
        }
        VEC_FREE(&t->programs[h].lines);
    }
    condition_free(t->condition);
    condition_free(t->filter);
    free(t->condition_text);
    VEC_FREE(&t->locations);
    VEC_FREE(&t->starts);
    VEC_FREE(&t->observed);
    free(t->path);
    free(t->name);
    free(t->arch);
    free(t);
}
