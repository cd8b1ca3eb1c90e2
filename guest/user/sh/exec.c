/* exec.c - executes parsed commands. */
#include "applet.h"
#include "shell.h"

/* ---- redirections ---- */

enum { FIRST_SAVED_FD = 10 };

/* A descriptor saved during a redirection. */
struct saved_fd {
    int fd, copy; /* copy < 0: it was closed */
    struct saved_fd *next;
};

static uint64_t saved_fds; /* bits of the descriptors that hold saved copies */

void close_saved_fds(void)
{
    int fd;

    for (fd = FIRST_SAVED_FD; saved_fds >> fd; fd++)
        if (saved_fds >> fd & 1)
            close(fd);
    saved_fds = 0;
}

/* Returns a descriptor, or a negative error after a message. */
static int open_path(const char *path, int flags)
{
    int fd = open(path, flags, 0644);

    if (fd < 0)
        shell_error("cannot open %s: %s", path, strerror(-fd));
    return fd;
}

static int open_here(const char *text)
{
    int fd = syscall(__NR_memfd_create, "here-document", 0);

    if (fd < 0) {
        shell_error("cannot make a here-document: %s", strerror(-fd));
        return fd;
    }
    write_all(fd, text, strlen(text));
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* `-` closes the descriptor: returns -1 and sets *closed. */
static int open_dup(const char *word, bool *closed)
{
    unsigned long from;
    int fd;

    *closed = !strcmp(word, "-");
    if (*closed)
        return -1;
    fd = kstrtoul(word, 10, &from) ? -EBADF : fcntl(from, F_DUPFD, 0);
    if (fd < 0)
        shell_error("%s: %s", word, strerror(-fd));
    return fd;
}

static int open_redirect(const struct redirect *r, const char *word, bool *closed)
{
    switch (r->type) {
    case REDIR_IN: return open_path(word, O_RDONLY);
    case REDIR_OUT: return open_path(word, O_WRONLY | O_CREAT | O_TRUNC);
    case REDIR_APPEND: return open_path(word, O_WRONLY | O_CREAT | O_APPEND);
    case REDIR_RDWR: return open_path(word, O_RDWR | O_CREAT);
    case REDIR_DUP: return open_dup(word, closed);
    case REDIR_HERE: return open_here(word);
    }
    return -EINVAL;
}

/*
 * Reports errors of close(): some files (set_ftrace_filter) accept what was written only at
 * close.
 */
static int close_reporting(int fd)
{
    int err = close(fd);

    if (err && err != -EBADF)
        shell_error("write error: %s", strerror(-err));
    return err == -EBADF ? 0 : err;
}

static void save_fd(struct saved_fd **saved, int fd)
{
    struct saved_fd *s = shell_alloc(sizeof(*s));

    s->fd = fd;
    s->copy = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_SAVED_FD);
    s->next = *saved;
    *saved = s;
    if (s->copy >= 0)
        saved_fds |= 1ull << s->copy;
}

static void forget_copy(const struct saved_fd *s)
{
    if (s->copy >= 0)
        saved_fds &= ~(1ull << s->copy);
}

/* Moves descriptor `from` to `to`. */
static void move_fd(int from, int to)
{
    if (from == to)
        return;
    dup2(from, to);
    close(from);
}

/*
 * The old descriptor is saved first: if it is closed, opening the file may return the same
 * number.
 */
static int apply_redirect(struct shell *sh, const struct redirect *r, struct saved_fd **saved)
{
    char *word = r->type != REDIR_HERE ? expand_string(sh, r->word->text)
                 : r->literal          ? shell_strdup(r->word->text)
                                       : expand_here(sh, r->word->text);
    bool closed = false;
    int fd = -EINVAL;

    if (word) {
        save_fd(saved, r->fd);
        fd = open_redirect(r, word, &closed);
    }
    free(word);
    if (closed)
        close_reporting(r->fd);
    else if (fd >= 0)
        move_fd(fd, r->fd);
    return closed || fd >= 0 ? 0 : fd;
}

static int restore_fds(struct saved_fd *saved)
{
    int err = 0;

    while (saved) {
        struct saved_fd *s = saved;
        int closed = close_reporting(s->fd);

        err = closed ? closed : err;
        forget_copy(s);
        if (s->copy >= 0)
            move_fd(s->copy, s->fd);
        saved = s->next;
        free(s);
    }
    return err;
}

/* For `exec > FILE`: keeps the redirections. */
static void keep_fds(struct saved_fd *saved)
{
    while (saved) {
        struct saved_fd *s = saved;

        forget_copy(s);
        if (s->copy >= 0)
            close(s->copy);
        saved = s->next;
        free(s);
    }
}

static int apply_redirects(struct shell *sh, const struct redirect *r, struct saved_fd **saved)
{
    int err = 0;

    for (*saved = NULL; r && !err; r = r->next)
        err = apply_redirect(sh, r, saved);
    return err;
}

/* ---- assignments ---- */

/* The value of a variable before a command with assignments. */
struct saved_var {
    char *name, *value; /* value NULL: it was not set */
    struct saved_var *next;
};

static int assign(struct shell *sh, const char *text, struct saved_var **saved)
{
    size_t len = name_length(text);
    char *value = expand_string(sh, text + len + 1);
    char *name;
    const char *old;

    if (!value)
        return -EINVAL;
    name = shell_strndup(text, len);
    if (saved) {
        struct saved_var *s = shell_alloc(sizeof(*s));

        old = shell_getvar(sh, name);
        *s = (struct saved_var){shell_strdup(name), old ? shell_strdup(old) : NULL, *saved};
        *saved = s;
    }
    shell_setvar(sh, name, value);
    if (saved)
        shell_export(sh, name);
    free(value);
    free(name);
    return 0;
}

static int assign_all(struct shell *sh, const struct word *assigns, struct saved_var **saved)
{
    int err = 0;

    for (; assigns && !err; assigns = assigns->next)
        err = assign(sh, assigns->text, saved);
    return err;
}

static void restore_vars(struct shell *sh, struct saved_var *saved)
{
    while (saved) {
        struct saved_var *s = saved;

        if (s->value)
            shell_setvar(sh, s->name, s->value);
        else
            shell_unsetvar(sh, s->name);
        saved = s->next;
        free(s->name);
        free(s->value);
        free(s);
    }
}

/* ---- commands ---- */

static int run_function(struct shell *sh, const struct function *f, char **argv)
{
    struct program *prog = sh->prog;
    char **args = sh->args;
    int status;

    if (shell_stack_low()) {
        shell_error("%s: function calls nested too deeply", argv[0]);
        return STATUS_ERROR;
    }
    sh->prog = program_get(f->prog);
    sh->args = NULL;
    shell_set_args(sh, argv + 1);
    status = run_node(sh, f->body);
    shell_set_args(sh, NULL);
    program_put(sh->prog);
    sh->prog = prog;
    sh->args = args;
    if (sh->leaving == LEAVE_RETURN)
        sh->leaving = LEAVE_NOT;
    return status;
}

/* Searches PATH for a command; returns its path, to be freed, or NULL. */
static char *search_path(const struct shell *sh, const char *name)
{
    const char *path = shell_getvar(sh, "PATH");

    while (path && *path) {
        struct strbuf b = {NULL, 0, 0};
        const char *end = strchr(path, ':');
        size_t len = end ? (size_t)(end - path) : strlen(path);
        struct stat st;

        strbuf_addn(&b, path, len);
        strbuf_addc(&b, '/');
        strbuf_adds(&b, name);
        if (!stat(b.s, &st) && S_ISREG(st.st_mode))
            return strbuf_detach(&b);
        free(b.s);
        path += len + !!end;
    }
    return NULL;
}

static int run_from_path(struct shell *sh, char **argv, bool last)
{
    char *path = strchr(argv[0], '/') ? shell_strdup(argv[0]) : search_path(sh, argv[0]);
    int status = STATUS_NOT_FOUND;

    if (path)
        status = run_file(sh, path, argv, last);
    else
        shell_error("%s: not found", argv[0]);
    free(path);
    return status;
}

int run_command(struct shell *sh, char **argv, bool last)
{
    const struct function *f = shell_find_function(sh, argv[0]);
    const struct applet *applet = f ? NULL : find_applet(argv[0]);

    if (f)
        return run_function(sh, f, argv);
    if (applet)
        return run_applet(sh, applet, argv, last);
    return run_from_path(sh, argv, last);
}

static void show_command(char **argv)
{
    struct strbuf b = {NULL, 0, 0};

    for (; *argv; argv++) {
        strbuf_addc(&b, ' ');
        strbuf_adds(&b, *argv);
    }
    shell_error("+%s", b.s);
    free(b.s);
}

static int run_expanded(struct shell *sh, const struct node *n, char **argv)
{
    struct saved_var *saved = NULL;
    bool last = sh->last;
    int status;

    sh->last = false; /* does not apply to commands of a function */
    if (sh->trace_commands)
        show_command(argv);
    status = assign_all(sh, n->assigns, &saved) ? STATUS_ERROR : run_command(sh, argv, last);
    restore_vars(sh, saved);
    return status;
}

/* Assignments without a command persist; the status is that of the last $(...) in them. */
static int run_assignments(struct shell *sh, const struct node *n)
{
    return assign_all(sh, n->assigns, NULL) ? STATUS_ERROR : sh->substitution_status;
}

static int run_simple(struct shell *sh, const struct node *n)
{
    struct strings argv = {NULL, 0, 0};
    struct saved_fd *saved = NULL;
    int status = STATUS_ERROR;
    bool keep = false;

    sh->substitution_status = 0;
    if (!expand_words(sh, n->words, &argv) && !apply_redirects(sh, n->redirects, &saved)) {
        keep = argv.n == 1 && !strcmp(argv.v[0], "exec");
        status = argv.n ? run_expanded(sh, n, argv.v) : run_assignments(sh, n);
    }
    strings_free(&argv);
    if (keep)
        keep_fds(saved);
    else if (restore_fds(saved) && !status)
        status = STATUS_ERROR;
    return status;
}

/* ---- compound commands ---- */

/* Runs a condition, whose failure does not end the shell under set -e. */
static int run_condition(struct shell *sh, const struct node *n)
{
    bool before = sh->condition;
    int status;

    sh->condition = true;
    status = run_node(sh, n);
    sh->condition = before;
    return status;
}

static int run_if(struct shell *sh, const struct node *n)
{
    int status = run_condition(sh, n->first);

    if (sh->leaving)
        return status;
    if (status == 0)
        return run_node(sh, n->second);
    return n->third ? run_node(sh, n->third) : 0;
}

/* Returns whether to leave the loop. `break 2` continues with the enclosing loop. */
static bool loop_left(struct shell *sh)
{
    enum leaving leaving = sh->leaving;

    if (leaving != LEAVE_BREAK && leaving != LEAVE_CONTINUE)
        return leaving != LEAVE_NOT;
    if (--sh->leave_count > 0)
        return true;
    sh->leaving = LEAVE_NOT;
    return leaving == LEAVE_BREAK;
}

static int run_while(struct shell *sh, const struct node *n)
{
    int status = 0;

    for (;;) {
        int condition = run_condition(sh, n->first);

        if (sh->leaving) {
            status = condition;
            if (loop_left(sh))
                break;
            continue;
        }
        if ((condition == 0) != (n->type == NODE_WHILE))
            break;
        status = run_node(sh, n->second);
        if (loop_left(sh))
            break;
    }
    return status;
}

static int for_each_word(struct shell *sh, const struct node *n, char **words)
{
    int status = 0;

    for (; words && *words; words++) {
        shell_setvar(sh, n->name, *words);
        status = run_node(sh, n->first);
        if (loop_left(sh))
            break;
    }
    return status;
}

static int run_for(struct shell *sh, const struct node *n)
{
    struct strings words = {NULL, 0, 0};
    int status = STATUS_ERROR, i;

    for (i = 0; n->all_args && sh->args && sh->args[i]; i++)
        strings_add(&words, shell_strdup(sh->args[i]));
    if (!expand_words(sh, n->words, &words))
        status = for_each_word(sh, n, words.v);
    strings_free(&words);
    return status;
}

static bool case_matches(struct shell *sh, const struct case_item *item, const char *value)
{
    const struct word *w;
    bool hit = false;

    for (w = item->patterns; w && !hit; w = w->next) {
        char *pattern = expand_pattern(sh, w->text);

        hit = pattern && glob_match(pattern, value);
        free(pattern);
    }
    return hit;
}

static int run_case(struct shell *sh, const struct node *n)
{
    char *value = expand_string(sh, n->words->text);
    const struct case_item *item = n->items;
    int status = value ? 0 : STATUS_ERROR;

    while (value && item && !case_matches(sh, item, value))
        item = item->next;
    free(value);
    return value && item && item->body ? run_node(sh, item->body) : status;
}

static int run_and_or(struct shell *sh, const struct node *n)
{
    int status = run_condition(sh, n->first);

    if (sh->leaving || (status == 0) != (n->type == NODE_AND))
        return status;
    return run_node(sh, n->second);
}

static int run_list(struct shell *sh, const struct node *n)
{
    int status = run_node(sh, n->first);

    return sh->leaving ? status : run_node(sh, n->second);
}

static int run_compound(struct shell *sh, const struct node *n)
{
    switch (n->type) {
    case NODE_SIMPLE: return run_simple(sh, n);
    case NODE_PIPE: return run_pipeline(sh, n);
    case NODE_NOT: return !run_condition(sh, n->first);
    case NODE_AND:
    case NODE_OR: return run_and_or(sh, n);
    case NODE_LIST: return run_list(sh, n);
    case NODE_BACKGROUND: return run_background(sh, n->first);
    case NODE_IF: return run_if(sh, n);
    case NODE_WHILE:
    case NODE_UNTIL: return run_while(sh, n);
    case NODE_FOR: return run_for(sh, n);
    case NODE_CASE: return run_case(sh, n);
    case NODE_GROUP: return run_node(sh, n->first);
    case NODE_SUBSHELL: return run_subshell(sh, n->first);
    case NODE_FUNCTION: shell_define(sh, n); return 0;
    }
    return STATUS_ERROR;
}

static int run_redirected(struct shell *sh, const struct node *n)
{
    struct saved_fd *saved;
    int status = STATUS_ERROR;

    if (!apply_redirects(sh, n->redirects, &saved))
        status = run_compound(sh, n);
    if (restore_fds(saved) && !status)
        status = STATUS_ERROR;
    return status;
}

static bool ends_shell(const struct shell *sh, const struct node *n)
{
    return sh->exit_on_error && !sh->condition && sh->status &&
           (n->type == NODE_SIMPLE || n->type == NODE_PIPE || n->type == NODE_SUBSHELL);
}

int run_node(struct shell *sh, const struct node *n)
{
    if (shell_stack_low()) {
        shell_error("commands nested too deeply");
        return sh->status = STATUS_ERROR;
    }
    if (n->type != NODE_SIMPLE && n->redirects)
        sh->status = run_redirected(sh, n);
    else
        sh->status = run_compound(sh, n);
    shell_check_interrupt(sh);
    if (!sh->leaving && ends_shell(sh, n))
        sh->leaving = LEAVE_EXIT;
    return sh->status;
}

static bool is_blank(const char *text)
{
    while (*text && strchr(" \t\n", *text))
        text++;
    return !*text;
}

/* last: the process ends after this text, so its last simple command needs no child. */
static int run_commands(struct shell *sh, const char *text, bool last)
{
    struct program *prog, *before = sh->prog;
    enum parse_status parsed = PARSE_END;
    bool ran = false;

    while (!sh->leaving && (parsed = shell_parse(&text, &prog)) != PARSE_END) {
        if (parsed != PARSE_OK) {
            if (parsed == PARSE_INCOMPLETE)
                shell_error("syntax error: unexpected end of file");
            sh->status = STATUS_USAGE;
            if (!sh->interactive)
                sh->leaving = LEAVE_EXIT;
            break;
        }
        sh->prog = prog;
        if (prog->root) {
            sh->last = last && prog->root->type == NODE_SIMPLE && is_blank(text);
            run_node(sh, prog->root);
            ran = true;
        }
        program_put(prog);
        sh->prog = before;
    }
    if (!ran && parsed == PARSE_END) /* the text had no commands */
        sh->status = 0;
    return sh->status;
}

int run_text(struct shell *sh, const char *text)
{
    return run_commands(sh, text, false);
}

int run_last_text(struct shell *sh, const char *text)
{
    return run_commands(sh, text, true);
}

int run_script_file(struct shell *sh, const char *path)
{
    size_t size;
    char *text = read_whole_file(path, &size);

    if (IS_ERR(text)) {
        shell_error("cannot open %s: %s", path, strerror(-PTR_ERR(text)));
        return STATUS_NOT_FOUND;
    }
    run_text(sh, text);
    free(text);
    return sh->status;
}
