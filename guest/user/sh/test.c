/*
 * test.c - test EXPRESSION, [ EXPRESSION ].
 *
 * Evaluated by the number of words, as in POSIX, so that operands are not taken for operators;
 * -a and -o join the expressions on both sides.
 */
#include "applet.h"
#include "shell.h"

struct test {
    char **word; /* next word */
    char **end;
    bool invalid;
};

static bool invalid(struct test *t, const char *word)
{
    if (!t->invalid)
        shell_error("test: %s: invalid expression", word);
    t->invalid = true;
    return false;
}

static bool test_file(char op, const char *path)
{
    struct stat st;

    if (stat(path, &st))
        return false;
    switch (op) {
    case 'd': return S_ISDIR(st.st_mode);
    case 'f': return S_ISREG(st.st_mode);
    case 'c': return S_ISCHR(st.st_mode);
    case 'p': return S_ISFIFO(st.st_mode);
    case 's': return st.st_size;
    case 'r': return st.st_mode & S_IRUGO;
    case 'w': return st.st_mode & S_IWUGO;
    case 'x': return st.st_mode & S_IXUGO;
    }
    return true;
}

static bool is_unary(const char *word)
{
    return word[0] == '-' && word[1] && !word[2] && strchr("defcpsrwxnz", word[1]);
}

static bool test_unary(const char *op, const char *word)
{
    if (op[1] == 'n' || op[1] == 'z')
        return (op[1] == 'n') == (*word != 0);
    return test_file(op[1], word);
}

static int64_t number(struct test *t, const char *s)
{
    bool negative = *s == '-';
    unsigned long value = 0;

    if (kstrtoul(s + negative, 10, &value))
        invalid(t, s);
    return negative ? -(int64_t)value : (int64_t)value;
}

static const char *const binary[] = {"=",   "==",  "!=",  "<",   ">",  "-eq",
                                     "-ne", "-lt", "-le", "-gt", "-ge"};

static bool is_binary(const char *word)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(binary); i++)
        if (!strcmp(word, binary[i]))
            return true;
    return false;
}

static bool test_numbers(struct test *t, int64_t a, const char *op, int64_t b)
{
    (void)t;
    if (!strcmp(op, "-eq"))
        return a == b;
    if (!strcmp(op, "-ne"))
        return a != b;
    if (!strcmp(op, "-lt"))
        return a < b;
    if (!strcmp(op, "-le"))
        return a <= b;
    return !strcmp(op, "-gt") ? a > b : a >= b;
}

static bool test_binary(struct test *t, const char *a, const char *op, const char *b)
{
    int order = strcmp(a, b);

    if (op[0] == '-')
        return test_numbers(t, number(t, a), op, number(t, b));
    switch (op[0]) {
    case '=': return order == 0;
    case '!': return order != 0;
    case '<': return order < 0;
    }
    return order > 0;
}

static bool test_or(struct test *t);

static bool test_primary(struct test *t)
{
    size_t left = t->end - t->word;
    char **w = t->word;
    bool value;

    if (!left)
        return invalid(t, "missing operand");
    if (left >= 3 && is_binary(w[1])) {
        t->word += 3;
        return test_binary(t, w[0], w[1], w[2]);
    }
    if (left >= 2 && is_unary(w[0])) {
        t->word += 2;
        return test_unary(w[0], w[1]);
    }
    if (left >= 2 && !strcmp(w[0], "!")) {
        t->word++;
        return !test_primary(t);
    }
    if (left >= 3 && !strcmp(w[0], "(") && !shell_stack_low()) {
        t->word++;
        value = test_or(t);
        if (t->word == t->end || strcmp(*t->word, ")"))
            return invalid(t, "missing )");
        t->word++;
        return value;
    }
    t->word++;
    return *w[0];
}

static bool accept(struct test *t, const char *word)
{
    if (t->word == t->end || strcmp(*t->word, word))
        return false;
    t->word++;
    return true;
}

static bool test_and(struct test *t)
{
    bool value = test_primary(t);

    while (accept(t, "-a"))
        value = test_primary(t) && value;
    return value;
}

static bool test_or(struct test *t)
{
    bool value = test_and(t);

    while (accept(t, "-o"))
        value = test_and(t) || value;
    return value;
}

int do_test(int argc, char **argv)
{
    struct test t = {argv + 1, argv + argc, false};
    bool value;

    if (!strcmp(argv[0], "[")) {
        if (strcmp(argv[argc - 1], "]")) {
            shell_error("[: missing ]");
            return STATUS_USAGE;
        }
        t.end--;
    }
    if (t.word == t.end)
        return STATUS_ERROR;
    value = test_or(&t);
    if (t.word != t.end)
        invalid(&t, *t.word);
    return t.invalid ? STATUS_USAGE : value ? 0 : STATUS_ERROR;
}
