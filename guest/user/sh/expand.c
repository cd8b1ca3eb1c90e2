/*
 * expand.c - expands words to arguments.
 *
 * A field is collected as a pattern: quoted characters that are special to glob_match() get a
 * backslash. At its end the field is matched against file names if it has unquoted special
 * characters, and loses its backslashes otherwise.
 */
#include "applet.h"
#include "shell.h"

struct expander {
    struct shell *sh;
    struct strbuf field;
    bool started;        /* a field exists even if it is empty, because it was quoted */
    bool has_glob;       /* the field has an unquoted special character */
    bool split;          /* unquoted expansions are split into fields */
    bool keep_escapes;   /* the result is a pattern */
    struct strings *out; /* NULL: everything goes to a single field */
    int err;
};

static void expand_text(struct expander *e, const char *p, const char *end, bool quoted);

/* ---- file names ---- */

static bool is_special(char c)
{
    return c == '*' || c == '?' || c == '[' || c == '\\';
}

static void remove_escapes(char *s)
{
    char *to = s;

    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        *to++ = *s;
    }
    *to = 0;
}

static void glob_rest(struct expander *e, const char *dir, const char *rest);

static char *join(const char *dir, const char *name, size_t len)
{
    struct strbuf b = {NULL, 0, 0};

    strbuf_adds(&b, dir);
    strbuf_addn(&b, name, len);
    return strbuf_detach(&b);
}

/*
 * Matches one more component. dir is empty or ends with a slash, rest is empty or begins with
 * one.
 */
static void glob_name(struct expander *e, const char *dir, const char *name, const char *rest)
{
    char *path = join(dir, name, strlen(name)), *below;
    struct stat st;

    if (!stat(path, &st)) {
        if (!*rest) {
            strings_add(e->out, shell_strdup(path));
        } else if (S_ISDIR(st.st_mode)) {
            while (*rest == '/')
                rest++;
            below = join(path, "/", 1);
            if (*rest)
                glob_rest(e, below, rest);
            else
                strings_add(e->out, shell_strdup(below));
            free(below);
        }
    }
    free(path);
}

static void glob_dir(struct expander *e, const char *dir, const char *pattern, const char *rest)
{
    struct strings names = {NULL, 0, 0};
    int i;

    if (!read_names(*dir ? dir : ".", pattern[0] == '.', &names))
        sort_strings(names.v, names.n);
    for (i = 0; i < names.n; i++)
        if (glob_match(pattern, names.v[i]))
            glob_name(e, dir, names.v[i], rest);
    strings_free(&names);
}

static bool has_unquoted_special(const char *s)
{
    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        else if (is_special(*s))
            return true;
    }
    return false;
}

static void glob_rest(struct expander *e, const char *dir, const char *rest)
{
    size_t len = 0;
    char *component;

    if (shell_stack_low())
        return;
    while (rest[len] && rest[len] != '/')
        len++;
    component = join("", rest, len);
    rest += len;
    if (has_unquoted_special(component)) {
        glob_dir(e, dir, component, rest);
    } else {
        remove_escapes(component);
        glob_name(e, dir, component, rest);
    }
    free(component);
}

/* Adds the matching names, or the pattern itself if there are none. */
static void add_matches(struct expander *e, const char *pattern)
{
    int before = e->out->n;
    const char *rest = pattern;

    while (*rest == '/')
        rest++;
    glob_rest(e, rest == pattern ? "" : "/", rest);
    if (e->out->n == before) {
        char *copy = shell_strdup(pattern);

        remove_escapes(copy);
        strings_add(e->out, copy);
    }
}

/* ---- fields ---- */

static void end_field(struct expander *e)
{
    char *field;

    if (!e->started && !e->field.len)
        return;
    field = strbuf_detach(&e->field);
    if (e->has_glob) {
        add_matches(e, field);
        free(field);
    } else {
        remove_escapes(field);
        strings_add(e->out, field);
    }
    e->started = e->has_glob = false;
}

static void put_char(struct expander *e, char c, bool quoted)
{
    if (is_special(c)) {
        if (quoted || c == '\\')
            strbuf_addc(&e->field, '\\');
        else
            e->has_glob = e->out;
    }
    strbuf_addc(&e->field, c);
}

static const char *field_separators(const struct shell *sh)
{
    const char *ifs = shell_getvar(sh, "IFS");

    return ifs ? ifs : " \t\n";
}

/* Adds an expanded value. White space between fields makes no empty fields, other separators do. */
static void put_value(struct expander *e, const char *value, bool quoted)
{
    const char *ifs = field_separators(e->sh);
    bool split = e->split && !quoted;

    for (; *value; value++) {
        if (split && strchr(ifs, *value)) {
            if (!strchr(" \t\n", *value))
                e->started = true;
            end_field(e);
        } else {
            put_char(e, *value, quoted);
        }
    }
}

static void put_number(struct expander *e, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%ld", (long)value);
    put_value(e, text, true);
}

/* ---- $... ---- */

static int count_args(const struct shell *sh)
{
    int n = 0;

    while (sh->args && sh->args[n])
        n++;
    return n;
}

/* "$@" makes a field of each argument, "$*" one field of all. */
static void put_args(struct expander *e, bool quoted, bool separate)
{
    char **arg, separator = *field_separators(e->sh);

    for (arg = e->sh->args; arg && *arg; arg++) {
        put_value(e, *arg, quoted);
        if (!arg[1])
            break;
        if ((quoted && separate && e->split) || (!quoted && e->split)) {
            e->started |= quoted;
            end_field(e);
        } else if (separator) {
            put_char(e, separate ? ' ' : separator, quoted);
        }
    }
}

static char *special_value(const struct shell *sh, char c)
{
    char text[24];
    int64_t value;

    switch (c) {
    case '?': value = sh->status; break;
    case '#': value = count_args(sh); break;
    case '$': value = sh->pid; break;
    case '!':
        if (!sh->last_background)
            return NULL;
        value = sh->last_background;
        break;
    default: return NULL;
    }
    snprintf(text, sizeof(text), "%ld", (long)value);
    return shell_strdup(text);
}

static size_t parameter_length(const char *p)
{
    size_t len = name_length(p);

    if (len)
        return len;
    if (*p >= '0' && *p <= '9') {
        while (p[len] >= '0' && p[len] <= '9')
            len++;
        return len;
    }
    return *p && strchr("?#$!@*", *p) ? 1 : 0;
}

/* Returns a copy of the value; NULL: not set. */
static char *parameter_value(const struct shell *sh, const char *name)
{
    unsigned long number;
    const char *value;

    if (*name >= '0' && *name <= '9') {
        if (kstrtoul(name, 10, &number) || number > (unsigned long)count_args(sh))
            return NULL;
        return shell_strdup(number ? sh->args[number - 1] : sh->name);
    }
    if (!name_length(name))
        return special_value(sh, *name);
    value = shell_getvar(sh, name);
    return value ? shell_strdup(value) : NULL;
}

/* Removes the shortest or longest match from the front or the end of value. */
static void cut_match(char *value, const char *pattern, bool front, bool longest)
{
    size_t len = strlen(value), i;

    for (i = 0; i <= len; i++) {
        size_t n = longest ? len - i : i; /* characters to remove */
        char saved, *at = front ? value + n : value + len - n;
        bool hit;

        saved = *at;
        if (front)
            *at = 0;
        hit = glob_match(pattern, front ? value : at);
        *at = saved;
        if (!hit)
            continue;
        if (front)
            memmove(value, at, len - n + 1);
        else
            *at = 0;
        return;
    }
}

static void put_cut(struct expander *e, const char *value, const char *op, bool quoted)
{
    bool longest = op[1] == op[0];
    char *pattern = expand_pattern(e->sh, op + 1 + longest), *copy = shell_strdup(value);

    if (pattern)
        cut_match(copy, pattern, *op == '#', longest);
    else
        e->err = -EINVAL;
    put_value(e, copy, quoted);
    free(copy);
    free(pattern);
}

static void put_default(struct expander *e, const char *name, char op, const char *word,
                        bool quoted)
{
    char *value = op == '-' ? NULL : expand_string(e->sh, word);

    switch (op) {
    case '-': expand_text(e, word, word + strlen(word), quoted); break;
    case '=':
        if (value && name_length(name))
            shell_setvar(e->sh, name, value);
        put_value(e, value ? value : "", quoted);
        break;
    case '?':
        shell_error("%s: %s", name, value && *value ? value : "parameter not set");
        e->err = -EINVAL;
        break;
    }
    free(value);
}

static int bad_substitution(struct expander *e, const char *text)
{
    shell_error("%s: bad substitution", text);
    return e->err = -EINVAL;
}

/* ${name op word}; op points to the end of the name. */
static void put_operated(struct expander *e, const char *name, const char *op, bool quoted)
{
    char *value = parameter_value(e->sh, name);
    bool colon = *op == ':', missing = !value || (colon && !*value);

    op += colon;
    if (!colon && (*op == '#' || *op == '%'))
        put_cut(e, value ? value : "", op, quoted);
    else if (*op == '+' && !missing)
        expand_text(e, op + 1, op + strlen(op), quoted);
    else if (*op && strchr("-=?", *op) && missing)
        put_default(e, name, *op, op + 1, quoted);
    else if (*op && strchr("-=?", *op))
        put_value(e, value, quoted);
    else if (*op != '+')
        bad_substitution(e, name);
    free(value);
}

static void put_parameter(struct expander *e, const char *name, bool quoted)
{
    char *value;

    if (!strcmp(name, "@") || !strcmp(name, "*")) {
        put_args(e, quoted, *name == '@');
        return;
    }
    value = parameter_value(e->sh, name);
    put_value(e, value ? value : "", quoted);
    free(value);
}

static void put_length(struct expander *e, const char *name)
{
    char *value = parameter_value(e->sh, name);

    put_number(e, value ? strlen(value) : 0);
    free(value);
}

/* Expands ${text}. */
static void put_braced(struct expander *e, const char *text, bool quoted)
{
    bool length = text[0] == '#' && text[1];
    size_t len = parameter_length(text + length);
    char *name = join("", text + length, len);
    const char *op = text + length + len;

    if (!len)
        bad_substitution(e, text);
    else if (length && !*op)
        put_length(e, name);
    else if (length)
        bad_substitution(e, text);
    else if (*op)
        put_operated(e, name, op, quoted);
    else
        put_parameter(e, name, quoted);
    free(name);
}

static void put_arith(struct expander *e, const char *text)
{
    char *expanded = expand_string(e->sh, text);
    int64_t value = 0;

    if (!expanded || shell_arith(e->sh, expanded, &value))
        e->err = -EINVAL;
    else
        put_number(e, value);
    free(expanded);
}

static void put_substitution(struct expander *e, const char *command, bool quoted)
{
    char *output = run_substitution(e->sh, command);

    if (output)
        put_value(e, output, quoted);
    else
        e->err = -EINVAL;
    free(output);
}

/* Expands `...`, in which a backslash quotes a dollar sign, a backquote or itself. */
static const char *expand_backquote(struct expander *e, const char *p, bool quoted)
{
    const char *end = skip_backquote(p);
    struct strbuf command = {NULL, 0, 0};
    char *text;

    for (p++; p < end - 1; p++) {
        if (*p == '\\' && strchr("$`\\", p[1]))
            p++;
        strbuf_addc(&command, *p);
    }
    text = strbuf_detach(&command);
    put_substitution(e, text, quoted);
    free(text);
    return end;
}

/* Expands what starts with `$` at p; returns its end. */
static const char *expand_dollar(struct expander *e, const char *p, bool quoted)
{
    const char *end = skip_dollar(p);
    size_t len = end - p;
    char *text;

    if (p[1] == '(' && p[2] == '(' && len >= 5 && end[-2] == ')') {
        text = join("", p + 3, len - 5);
        put_arith(e, text);
    } else if (p[1] == '(') {
        text = join("", p + 2, len - 3);
        put_substitution(e, text, quoted);
    } else if (p[1] == '{') {
        text = join("", p + 2, len - 3);
        put_braced(e, text, quoted);
    } else {
        len = parameter_length(p + 1);
        if (p[1] >= '0' && p[1] <= '9')
            len = 1;
        if (!len) {
            put_char(e, '$', quoted);
            return p + 1;
        }
        end = p + 1 + len;
        text = join("", p + 1, len);
        put_parameter(e, text, quoted);
    }
    free(text);
    return end;
}

/* ---- text with quotes ---- */

static const char *expand_single_quotes(struct expander *e, const char *p)
{
    for (p++; *p && *p != '\''; p++)
        put_char(e, *p, true);
    e->started = true;
    return *p ? p + 1 : p;
}

static const char *double_quotes_end(const char *p)
{
    while (*p && *p != '"') {
        if (*p == '$')
            p = skip_dollar(p);
        else if (*p == '`')
            p = skip_backquote(p);
        else
            p += *p == '\\' && p[1] ? 2 : 1;
    }
    return p;
}

static const char *expand_double_quotes(struct expander *e, const char *p)
{
    const char *end = double_quotes_end(p + 1);
    bool only_args = end - p == 3 && p[1] == '$' && p[2] == '@';

    expand_text(e, p + 1, end, true);
    if (!only_args || count_args(e->sh)) /* "$@" without arguments makes no field */
        e->started = true;
    return *end ? end + 1 : end;
}

static const char *expand_backslash(struct expander *e, const char *p, bool quoted)
{
    if (p[1] == '\n')
        return p + 2;
    if (quoted && !strchr("$`\"\\", p[1])) {
        put_char(e, '\\', true);
        return p + 1;
    }
    put_char(e, p[1], true);
    e->started = true;
    return p + 2;
}

static void expand_text(struct expander *e, const char *p, const char *end, bool quoted)
{
    if (shell_stack_low()) {
        shell_error("expansion nested too deeply");
        e->err = -EINVAL;
        return;
    }
    while (p < end && !e->err) {
        if (*p == '$')
            p = expand_dollar(e, p, quoted);
        else if (*p == '`')
            p = expand_backquote(e, p, quoted);
        else if (*p == '\\' && p[1])
            p = expand_backslash(e, p, quoted);
        else if (*p == '\'' && !quoted)
            p = expand_single_quotes(e, p);
        else if (*p == '"' && !quoted)
            p = expand_double_quotes(e, p);
        else
            put_char(e, *p++, quoted);
    }
}

int expand_words(struct shell *sh, const struct word *words, struct strings *out)
{
    struct expander e = {.sh = sh, .split = true, .out = out};

    for (; words && !e.err; words = words->next) {
        expand_text(&e, words->text, words->text + strlen(words->text), false);
        end_field(&e);
    }
    free(e.field.s);
    return e.err;
}

static char *expand_one(struct expander *e, const char *text, bool quoted)
{
    char *s;

    expand_text(e, text, text + strlen(text), quoted);
    s = strbuf_detach(&e->field);
    if (e->err) {
        free(s);
        return NULL;
    }
    if (!e->keep_escapes)
        remove_escapes(s);
    return s;
}

char *expand_string(struct shell *sh, const char *text)
{
    struct expander e = {.sh = sh};

    return expand_one(&e, text, false);
}

char *expand_pattern(struct shell *sh, const char *text)
{
    struct expander e = {.sh = sh, .keep_escapes = true};

    return expand_one(&e, text, false);
}

/* In a here-document quotes are ordinary characters, except the backslash. */
char *expand_here(struct shell *sh, const char *text)
{
    struct expander e = {.sh = sh};

    return expand_one(&e, text, true);
}
