/*
 * shell.h - between the parts of the shell.
 *
 * parse.c turns text into a tree, expand.c words into arguments, exec.c runs
 * the tree, jobs.c runs parts of it in child processes; vars.c keeps the
 * variables.
 */
#ifndef SH_SHELL_H
#define SH_SHELL_H

#include "../libc.h"

/* ---- text that grows ---- */

struct strbuf {
    char *s; /* NULL or ended by a NUL */
    size_t len, room;
};

/* Memory of zeros. Without memory the program ends: a shell cannot go on. */
void *shell_alloc(size_t size);
char *shell_strdup(const char *s);
char *shell_strndup(const char *s, size_t len);
void strbuf_addn(struct strbuf *b, const char *s, size_t n);
void strbuf_addc(struct strbuf *b, char c);
void strbuf_adds(struct strbuf *b, const char *s);
char *strbuf_detach(struct strbuf *b); /* to be freed; never NULL */

struct strings {
    char **v; /* NULL after the last */
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
    unsigned int refs;
    struct chunk *chunks;
    struct node *root; /* NULL: an empty line */
};

struct program *program_get(struct program *prog);
void program_put(struct program *prog);

enum parse_status { PARSE_OK, PARSE_END, PARSE_INCOMPLETE, PARSE_ERROR };

/* Takes one command off *text, up to its `;`, `&` or line end. The message for an error is out. */
enum parse_status shell_parse(const char **text, struct program **prog);
/* The end of the word (of the `$...`, of the `...`) that starts at p; NULL if a quote is open. */
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
    char *name;  /* $0 */
    char **args; /* $1 and on; NULL after the last */
    struct program *prog;
    int status;              /* $? */
    int substitution_status; /* of the last $(...) in the simple command at hand; 0: none */
    enum leaving leaving;
    int leave_count;  /* loops that are still to be left */
    bool interactive; /* commands come from the terminal */
    bool condition;   /* the status is tested by `if`, `while`, `&&`, `||` or `!`: set -e is off */
    bool last;        /* this process has nothing to do after the next simple command */
    bool exit_on_error;
    bool trace_commands;
    pid_t pid;      /* $$: stays in subshells */
    pid_t pgrp;     /* the group all its children are in; 0: each job is a group of its own */
    pid_t own_pgrp; /* of an interactive shell: it has the terminal while no job runs */
    pid_t last_background; /* $! */
    struct job *jobs;      /* in the background, not yet waited for */
};

struct shell *shell_new(const char *name, char *const args[]);
void shell_free(struct shell *sh);
void shell_set_args(struct shell *sh, char *const args[]);

const char *shell_getvar(const struct shell *sh, const char *name); /* NULL: not set */
void shell_setvar(struct shell *sh, const char *name, const char *value);
void shell_unsetvar(struct shell *sh, const char *name);
void shell_export(struct shell *sh, const char *name);
void shell_set_default_path(struct shell *sh);
/* Sets and exports each NAME=VALUE of a list that ends with NULL. */
void shell_import(struct shell *sh, char *const *env);
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
/* The same as a pattern: quoted characters match themselves. */
char *expand_pattern(struct shell *sh, const char *text);
char *expand_here(struct shell *sh, const char *text);
int shell_arith(struct shell *sh, const char *text, int64_t *value);

/* ---- running ---- */

int run_node(struct shell *sh, const struct node *node);
/* All of a text: a script, or the words of `eval`. */
int run_text(struct shell *sh, const char *text);
/* The same when this process has nothing to do afterwards. */
int run_last_text(struct shell *sh, const char *text);
/* A function, an applet or a program by its name. */
int run_command(struct shell *sh, char **argv, bool last);
/* In a child: closes what redirections of the parent have put aside. */
void close_saved_fds(void);
int run_script_file(struct shell *sh, const char *path);
/* Commands from descriptor 0, with prompts if that is a terminal; answers the last status. */
int run_input_to_end(struct shell *sh, const char *unused);
/* Reads all that the command writes. */
char *run_substitution(struct shell *sh, const char *command);
/* An interrupt from the terminal ends the command that an interactive shell is running. */
void shell_check_interrupt(struct shell *sh);
/* From now on ^C interrupts what the shell runs, and not the shell itself. */
void shell_catch_interrupts(void);
/* Was there one since the last call? */
bool shell_was_interrupted(void);
int run_pipeline(struct shell *sh, const struct node *node);
int run_subshell(struct shell *sh, const struct node *node);
int run_background(struct shell *sh, const struct node *node);
int wait_for_job(struct shell *sh, pid_t pid); /* 127: there is none; -EINTR: interrupted */
void wait_for_jobs(struct shell *sh);
void reap_jobs(struct shell *sh);         /* those that have ended */
void shell_forget_jobs(struct shell *sh); /* without waiting */

struct applet;

/*
 * Commands that are not part of the shell.  Each answers the command's status.
 * last: this process is the command's, and no child has to be made.
 */
int run_applet(struct shell *sh, const struct applet *applet, char **argv, bool last);
int run_file(struct shell *sh, const char *path, char **argv, bool last);
/* In a shell that knows only what was exported; argv[0] becomes its $0. */
int run_shell_script(struct shell *sh, const char *path, char **argv);
int run_shell_command(struct shell *sh, const char *command, char **argv);
int run_shell_input(struct shell *sh, char **argv);

/* Is so much of the stack used that nothing may nest deeper? */
bool shell_stack_low(void);
void shell_error(const char *fmt, ...) PRINTF(1, 2);

#endif
