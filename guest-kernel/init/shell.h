/*
 * shell.h - between the parts of the shell.
 *
 * shell_parse.c turns text into a tree, shell_expand.c words into arguments,
 * shell_exec.c runs the tree, shell_jobs.c in other threads; shell_vars.c
 * keeps the variables.  A struct shell belongs to one thread.
 */
#ifndef INIT_SHELL_H
#define INIT_SHELL_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/types.h>

struct file;

/* ---- text that grows ---- */

struct strbuf {
    char *s; /* NULL or ended by a NUL */
    size_t len, room;
};

/* Small pieces of memory never fail: without them init cannot go on, and the kernel panics. */
void *shell_alloc(size_t size);
char *shell_strdup(const char *s);
void strbuf_addn(struct strbuf *b, const char *s, size_t n);
void strbuf_addc(struct strbuf *b, char c);
void strbuf_adds(struct strbuf *b, const char *s);
char *strbuf_detach(struct strbuf *b); /* to be freed; never NULL */

struct strings {
    char **v; /* NULL behind the last */
    int n, room;
};

void strings_add(struct strings *list, char *s); /* takes s over */
void strings_free(struct strings *list);
void sort_strings(char **v, int n);

/* ---- the tree ---- */

struct word {
    const char *text; /* as written, quotes and all */
    struct word *next;
};

enum redirect_type { REDIR_IN, REDIR_OUT, REDIR_APPEND, REDIR_RDWR, REDIR_DUP, REDIR_HERE };

struct redirect {
    enum redirect_type type;
    int fd;
    struct word *word; /* the file, the descriptor, or the text of a here-document */
    bool literal;      /* a here-document whose mark was quoted */
    bool strip_tabs;
    struct redirect *next;
    struct redirect *next_here; /* while parsing: among those whose text is still to come */
};

enum node_type {
    NODE_SIMPLE,     /* words, assigns */
    NODE_PIPE,       /* first | second */
    NODE_NOT,        /* ! first */
    NODE_AND,        /* first && second */
    NODE_OR,         /* first || second */
    NODE_LIST,       /* first ; second */
    NODE_BACKGROUND, /* first & */
    NODE_IF,         /* if first; then second; else third */
    NODE_WHILE,      /* while first; do second */
    NODE_UNTIL,
    NODE_FOR,      /* for name in words; do first */
    NODE_CASE,     /* case words in items */
    NODE_GROUP,    /* { first; } */
    NODE_SUBSHELL, /* ( first ) */
    NODE_FUNCTION, /* name() first */
};

struct case_item {
    struct word *patterns;
    struct node *body; /* NULL: nothing to do */
    struct case_item *next;
};

struct node {
    enum node_type type;
    struct node *first, *second, *third;
    struct word *words, *assigns;
    struct redirect *redirects;
    struct case_item *items;
    const char *name;
    bool all_args; /* `for` without `in` */
};

/* A parsed command: its nodes live and die together. */
struct program {
    atomic_t refs;
    struct chunk *chunks;
    struct node *root; /* NULL: an empty line */
};

struct program *program_get(struct program *prog);
void program_put(struct program *prog);

enum parse_status { PARSE_OK, PARSE_END, PARSE_INCOMPLETE, PARSE_ERROR };

/* Takes one command off *text, up to its `;`, `&` or line end. The message for an error is out. */
enum parse_status shell_parse(const char **text, struct program **prog);
/* Behind one word of a command at p, or NULL if a quote is open; `$`: behind an expansion. */
const char *skip_word(const char *p);
const char *skip_dollar(const char *p);
const char *skip_backquote(const char *p);

/* ---- state ---- */

struct variable {
    char *name, *value;
    bool exported;
    struct variable *next;
};

struct function {
    char *name;
    struct program *prog; /* referenced: the body is in it */
    const struct node *body;
    struct function *next;
};

/* Why the tree is being left. */
enum leaving { LEAVE_NOT, LEAVE_BREAK, LEAVE_CONTINUE, LEAVE_RETURN, LEAVE_INTERRUPT, LEAVE_EXIT };

struct shell {
    struct variable *vars;
    struct function *functions;
    const char *name; /* $0 */
    char **args;      /* $1 and on; NULL behind the last */
    struct program *prog;
    int status;              /* $? */
    int substitution_status; /* of the last $(...) in the simple command at hand; 0: none */
    enum leaving leaving;
    int leave_count;  /* loops that are still to be left */
    bool interactive; /* commands come from the terminal */
    bool condition;   /* in what `if`, `while`, `&&`, `||` or `!` looks at: set -e does not hold */
    bool exit_on_error;
    bool trace_commands;
    pid_t pgrp;            /* of the job this thread is in; 0: none yet */
    pid_t last_background; /* $! */
    struct list_head jobs; /* in the background */
};

struct shell *shell_new(const char *name, char *const args[]);
struct shell *shell_fork(const struct shell *parent);
void shell_free(struct shell *sh);
void shell_set_args(struct shell *sh, char *const args[]);

const char *shell_getvar(const struct shell *sh, const char *name); /* NULL: not set */
void shell_setvar(struct shell *sh, const char *name, const char *value);
void shell_unsetvar(struct shell *sh, const char *name);
void shell_export(struct shell *sh, const char *name);
bool is_name(const char *s, size_t len);
size_t name_length(const char *s); /* of the name that s begins with; 0: none */
/* `NAME=value`, each to be freed with the list. */
void shell_environ(const struct shell *sh, struct strings *env);
const struct function *shell_find_function(const struct shell *sh, const char *name);
void shell_define(struct shell *sh, const struct node *definition);

/* ---- expansion: 0, or -EINVAL with the message out ---- */

int expand_words(struct shell *sh, const struct word *words, struct strings *out);
/* To one string: no splitting, no names of files. */
char *expand_string(struct shell *sh, const char *text);
/* The same as a pattern: what was quoted stands for itself. */
char *expand_pattern(struct shell *sh, const char *text);
char *expand_here(struct shell *sh, const char *text);
int shell_arith(struct shell *sh, const char *text, s64 *value);

/* ---- running ---- */

int run_node(struct shell *sh, const struct node *node);
/* All of a text: a script, or what `eval` was given. */
int run_text(struct shell *sh, const char *text);
int run_script_file(struct shell *sh, const char *path);
/* Reads all that the command writes. */
char *run_substitution(struct shell *sh, const char *command);
/* A signal that came in ends the command, or the shell if nobody is at the terminal. */
void shell_check_signals(struct shell *sh);
int run_pipeline(struct shell *sh, const struct node *node);
int run_subshell(struct shell *sh, const struct node *node);
int run_background(struct shell *sh, const struct node *node);
int wait_for_job(struct shell *sh, pid_t pid); /* 127: there is none; -EINTR: a signal came */
void wait_for_jobs(struct shell *sh);
void reap_jobs(struct shell *sh);         /* those that are done */
void shell_forget_jobs(struct shell *sh); /* without waiting */

struct applet;

/* A program of the kernel's own; 0 or more: its status. */
int run_applet(struct shell *sh, const struct applet *applet, char **argv);
int run_file(struct shell *sh, const char *path, char **argv);
/* In a shell of its own; argv[0] becomes its $0. */
int run_shell_script(struct shell *sh, const char *path, char **argv);
int run_shell_command(struct shell *sh, const char *command, char **argv);

/* A kernel stack is small: is more than half of this thread's used?  Then nothing may nest deeper.
 */
bool shell_stack_low(void);
void __printf(1, 2) shell_error(const char *fmt, ...);

#endif
