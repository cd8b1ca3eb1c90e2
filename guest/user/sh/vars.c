/* vars.c - the state of a shell: variables, functions, arguments. */
#include "shell.h"

size_t name_length(const char *s)
{
    size_t n = 0;

    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') || s[n] == '_' ||
           (n && s[n] >= '0' && s[n] <= '9'))
        n++;
    return n;
}

bool is_name(const char *s, size_t len)
{
    return len && name_length(s) == len;
}

static struct variable *find_variable(const struct shell *sh, const char *name)
{
    struct variable *v;

    for (v = sh->vars; v; v = v->next)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

static struct variable *make_variable(struct shell *sh, const char *name)
{
    struct variable *v = find_variable(sh, name);

    if (v)
        return v;
    v = shell_alloc(sizeof(*v));
    v->name = shell_strdup(name);
    v->next = sh->vars;
    sh->vars = v;
    return v;
}

static void free_variable(struct variable *v)
{
    free(v->name);
    free(v->value);
    free(v);
}

const char *shell_getvar(const struct shell *sh, const char *name)
{
    const struct variable *v = find_variable(sh, name);

    return v ? v->value : NULL;
}

void shell_setvar(struct shell *sh, const char *name, const char *value)
{
    struct variable *v = make_variable(sh, name);
    char *copy = shell_strdup(value);

    free(v->value);
    v->value = copy;
}

void shell_unsetvar(struct shell *sh, const char *name)
{
    struct variable **link, *v;

    for (link = &sh->vars; (v = *link); link = &v->next) {
        if (strcmp(v->name, name))
            continue;
        *link = v->next;
        free_variable(v);
        return;
    }
}

void shell_export(struct shell *sh, const char *name)
{
    make_variable(sh, name)->exported = true;
}

void shell_import(struct shell *sh, char *const *env)
{
    int n = 0;

    while (env && env[n])
        n++;
    while (n--) { /* in reverse order, since new variables are added at the front */
        size_t len = name_length(env[n]);
        char *name;

        if (!len || env[n][len] != '=')
            continue;
        name = shell_strndup(env[n], len);
        shell_setvar(sh, name, env[n] + len + 1);
        shell_export(sh, name);
        free(name);
    }
}

void shell_set_default_path(struct shell *sh)
{
    if (!shell_getvar(sh, "PATH"))
        shell_setvar(sh, "PATH", "/bin:/sbin");
    shell_export(sh, "PATH");
}

void shell_environ(const struct shell *sh, struct strings *env)
{
    const struct variable *v;

    strings_add(env, NULL); /* allocates the list even if it stays empty */
    env->n = 0;
    for (v = sh->vars; v; v = v->next) {
        struct strbuf b = {NULL, 0, 0};

        if (!v->exported || !v->value)
            continue;
        strbuf_adds(&b, v->name);
        strbuf_addc(&b, '=');
        strbuf_adds(&b, v->value);
        strings_add(env, strbuf_detach(&b));
    }
}

/* ---- functions ---- */

const struct function *shell_find_function(const struct shell *sh, const char *name)
{
    const struct function *f;

    for (f = sh->functions; f; f = f->next)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

static void add_function(struct shell *sh, const char *name, struct program *prog,
                         const struct node *body)
{
    struct function *f = shell_alloc(sizeof(*f));

    *f = (struct function){shell_strdup(name), program_get(prog), body, sh->functions};
    sh->functions = f;
}

static void free_function(struct function *f)
{
    program_put(f->prog);
    free(f->name);
    free(f);
}

/* A running call of the old definition continues: it holds a reference to its program. */
void shell_define(struct shell *sh, const struct node *definition)
{
    struct function **link, *f;

    for (link = &sh->functions; (f = *link); link = &f->next) {
        if (strcmp(f->name, definition->name))
            continue;
        *link = f->next;
        free_function(f);
        break;
    }
    add_function(sh, definition->name, sh->prog, definition->first);
}

/* ---- arguments ---- */

static char **copy_args(char *const args[])
{
    struct strings copy = {NULL, 0, 0};

    for (; args && *args; args++)
        strings_add(&copy, shell_strdup(*args));
    return copy.v;
}

static void free_args(char **args)
{
    char **arg;

    for (arg = args; arg && *arg; arg++)
        free(*arg);
    free(args);
}

void shell_set_args(struct shell *sh, char *const args[])
{
    char **copy = copy_args(args);

    free_args(sh->args);
    sh->args = copy;
}

/* ---- shells ---- */

struct shell *shell_new(const char *name, char *const args[])
{
    struct shell *sh = shell_alloc(sizeof(*sh));

    sh->name = shell_strdup(name);
    sh->args = copy_args(args);
    return sh;
}
