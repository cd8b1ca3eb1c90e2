/* shell_vars.c - a shell's state: variables, functions, arguments. */
#include "shell.h"
#include <linux/slab.h>
#include <linux/string.h>

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
    kfree(v->name);
    kfree(v->value);
    kfree(v);
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

    kfree(v->value);
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

void shell_environ(const struct shell *sh, struct strings *env)
{
    const struct variable *v;

    strings_add(env, NULL); /* so that there is a list, even an empty one */
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
    kfree(f->name);
    kfree(f);
}

/* One that is running goes on: who runs it holds its program. */
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
        kfree(*arg);
    kfree(args);
}

void shell_set_args(struct shell *sh, char *const args[])
{
    char **copy = copy_args(args);

    free_args(sh->args);
    sh->args = copy;
}

/* ---- whole shells ---- */

struct shell *shell_new(const char *name, char *const args[])
{
    struct shell *sh = shell_alloc(sizeof(*sh));

    sh->name = shell_strdup(name);
    sh->args = copy_args(args);
    INIT_LIST_HEAD(&sh->jobs);
    shell_setvar(sh, "PATH", "/bin:/sbin");
    shell_export(sh, "PATH");
    return sh;
}

/* What a subshell starts from: everything but the jobs, which are its parent's to wait for. */
struct shell *shell_fork(const struct shell *parent)
{
    struct shell *sh = shell_new(parent->name, parent->args);
    const struct variable *v;
    const struct function *f;

    for (v = parent->vars; v; v = v->next) {
        if (v->value)
            shell_setvar(sh, v->name, v->value);
        if (v->exported)
            shell_export(sh, v->name);
    }
    for (f = parent->functions; f; f = f->next)
        add_function(sh, f->name, f->prog, f->body);
    sh->prog = program_get(parent->prog);
    sh->status = parent->status;
    sh->condition = parent->condition;
    sh->exit_on_error = parent->exit_on_error;
    sh->trace_commands = parent->trace_commands;
    sh->pgrp = parent->pgrp;
    sh->last_background = parent->last_background;
    return sh;
}

void shell_free(struct shell *sh)
{
    struct variable *v;
    struct function *f;

    while ((v = sh->vars)) {
        sh->vars = v->next;
        free_variable(v);
    }
    while ((f = sh->functions)) {
        sh->functions = f->next;
        free_function(f);
    }
    shell_forget_jobs(sh);
    free_args(sh->args);
    program_put(sh->prog);
    kfree(sh->name);
    kfree(sh);
}
