/*
 * shell.h - shared by the files of the shell.
 *
 * parse.c parses text to a tree, expand.c expands words to arguments, exec.c executes the tree,
 * jobs.c executes parts of it in child processes, job_control.c waits for these; vars.c holds
 * variables and functions; edit.c reads lines from the terminal.
 */
#ifndef SH_SHELL_H
#define SH_SHELL_H

#include "../libc.h"

/* ---- growing strings ---- */

struct strbuf {
    char *s; /* NULL or NUL-terminated */
    size_t len, room;
};

/* Allocates zeroed memory; ends the program if there is none. */
void *shell_alloc(size_t size);
char *shell_strdup(const char *s);
char *shell_strndup(const char *s, size_t len);
void strbuf_addn(struct strbuf *b, const char *s, size_t n);
void strbuf_addc(struct strbuf *b, char c);
void strbuf_adds(struct strbuf *b, const char *s);
char *strbuf_detach(struct strbuf *b); /* returns the string, to be freed; never NULL */

struct strings {
    char **v; /* NULL after the last */
    int n, room;
};

void strings_add(struct strings *list, char *s); /* takes s over */
void strings_free(struct strings *list);
void sort_strings(char **v, int n);

/* ---- the tree ---- */

struct word {
    const char *text; /* as written, with quotes */
    struct word *next;
};

enum redirect_type { REDIR_IN, REDIR_OUT, REDIR_APPEND, REDIR_RDWR, REDIR_DUP, REDIR_HERE };

struct redirect {
    enum redirect_type type;
    int fd;
    struct word *word; /* file name, descriptor, or text of a here-document */
    bool literal;      /* a here-document with a quoted delimiter */
    bool strip_tabs;
    struct redirect *next;
    struct redirect *next_here; /* while parsing: list of those whose text is still to come */
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
    struct node *body; /* NULL: empty */
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

/* A parsed command; its nodes are freed together. */
struct program {
    unsigned int refs;
    struct chunk *chunks;
    struct node *root; /* NULL: an empty line */
};

struct program *program_get(struct program *prog);
void program_put(struct program *prog);

enum parse_status { PARSE_OK, PARSE_END, PARSE_INCOMPLETE, PARSE_ERROR };

/*
 * Parses one command of *text, up to its `;`, `&` or newline, and advances *text. Errors have
 * been reported.
 */
enum parse_status shell_parse(const char **text, struct program **prog);
/* Return the end of the word, `$...` or `...` at p; NULL if a quote is not closed. */
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
    struct program *prog; /* referenced; contains the body */
    const struct node *body;
    struct function *next;
};

/* The reason for leaving the current commands. */
enum leaving { LEAVE_NOT, LEAVE_BREAK, LEAVE_CONTINUE, LEAVE_RETURN, LEAVE_INTERRUPT, LEAVE_EXIT };

struct shell {
    struct variable *vars;
    struct function *functions;
    char *name;  /* $0 */
    char **args; /* $1 and on; NULL after the last */
    struct program *prog;
    int status;              /* $? */
    int substitution_status; /* status of the last $(...) in the current simple command; 0: none */
    enum leaving leaving;
    int leave_count;  /* number of loops still to leave */
    bool interactive; /* commands come from the terminal */
    bool condition;   /* the status is tested by `if`, `while`, `&&`, `||` or `!`: set -e has no
                         effect */
    bool last;        /* this process ends after the next simple command */
    bool exit_on_error;
    bool trace_commands;
    pid_t pid;      /* $$; the same in subshells */
    pid_t pgrp;     /* process group of all children; 0: each job has its own */
    pid_t own_pgrp; /* group of an interactive shell, which has the terminal while no job runs */
    pid_t last_background; /* $! */
    struct job *jobs;      /* in the background or stopped, not yet waited for; the newest first */
    char *command;         /* the text of the command that was typed; NULL: none */
};

struct shell *shell_new(const char *name, char *const args[]);
void shell_set_args(struct shell *sh, char *const args[]);

const char *shell_getvar(const struct shell *sh, const char *name); /* NULL: not set */
void shell_setvar(struct shell *sh, const char *name, const char *value);
void shell_unsetvar(struct shell *sh, const char *name);
void shell_export(struct shell *sh, const char *name);
void shell_set_default_path(struct shell *sh);
/* Sets and exports each NAME=VALUE of a list that ends with NULL. */
void shell_import(struct shell *sh, char *const *env);
bool is_name(const char *s, size_t len);
size_t name_length(const char *s); /* length of the name at the start of s; 0: none */
/* Adds `NAME=value` strings of the exported variables, freed with the list. */
void shell_environ(const struct shell *sh, struct strings *env);
const struct function *shell_find_function(const struct shell *sh, const char *name);
void shell_define(struct shell *sh, const struct node *definition);

/* ---- expansion: returns 0, or -EINVAL after a message ---- */

int expand_words(struct shell *sh, const struct word *words, struct strings *out);
/* Expands to one string, without splitting and file names; NULL after a message. */
char *expand_string(struct shell *sh, const char *text);
/* The same for a pattern: quoted characters match themselves. */
char *expand_pattern(struct shell *sh, const char *text);
char *expand_here(struct shell *sh, const char *text);
int shell_arith(struct shell *sh, const char *text, int64_t *value);

/* ---- running ---- */

int run_node(struct shell *sh, const struct node *node);
/* Runs a whole text: a script, or the arguments of `eval`. */
int run_text(struct shell *sh, const char *text);
/* The same if this process ends afterwards. */
int run_last_text(struct shell *sh, const char *text);
/* Runs a function, applet or program by its name. */
int run_command(struct shell *sh, char **argv, bool last);
/* Called in a child: closes the parent's saved descriptors. */
void close_saved_fds(void);
int run_script_file(struct shell *sh, const char *path);
/* Runs commands from descriptor 0, with prompts on a terminal; returns the last status. */
int run_input_to_end(struct shell *sh, const char *unused);
/* Returns the output of a command, to be freed. */
char *run_substitution(struct shell *sh, const char *command);
/* Ends the current command of an interactive shell after an interrupt. */
void shell_check_interrupt(struct shell *sh);
/* From now on ^C interrupts what the shell runs, not the shell itself. */
void shell_catch_interrupts(void);
/* Returns whether there was an interrupt since the last call. */
bool shell_was_interrupted(void);
int run_pipeline(struct shell *sh, const struct node *node);
int run_subshell(struct shell *sh, const struct node *node);
int run_background(struct shell *sh, const struct node *node);

/* job_control.c */
int exit_status(int status); /* as $? shows what waitpid() has returned */
/* Gives the terminal to a process group. */
void set_foreground(pid_t pgrp);
/* Waits for children of one group; returns the status of the last one. */
int finish_foreground(struct shell *sh, const pid_t *pids, int count);
void add_background(struct shell *sh, pid_t pid);
/* The group of job %N, or 0 after a message. */
pid_t job_group(struct shell *sh, const char *word);
int do_jobs(struct shell *sh, int argc, char **argv);
int do_fg(struct shell *sh, int argc, char **argv);
int do_bg(struct shell *sh, int argc, char **argv);
int wait_for_job(struct shell *sh, pid_t pid); /* 127: no such job; -EINTR: interrupted */
void wait_for_jobs(struct shell *sh);
void reap_jobs(struct shell *sh);         /* tells of jobs that have ended, and removes them */
void shell_forget_jobs(struct shell *sh); /* removes all jobs without waiting */

struct applet;

/*
 * Run commands that are not built in, and return their status. last: no child is needed, since
 * this process ends with the command.
 */
int run_applet(struct shell *sh, const struct applet *applet, char **argv, bool last);
int run_file(struct shell *sh, const char *path, char **argv, bool last);
/* Run in a child shell that inherits exported variables only; argv[0] becomes its $0. */
int run_shell_script(struct shell *sh, const char *path, char **argv);
int run_shell_command(struct shell *sh, const char *command, char **argv);
int run_shell_input(struct shell *sh, char **argv);

/*
 * edit.c: reads a line with its newline from the terminal. 1, 0 (end of file) or -EINTR; *line is
 * added to.
 */
int edit_line(const char *prompt, struct strbuf *line);
/* Sets the terminal as it was when the last line was read. */
void restore_terminal(void);

/* Returns whether so much stack is used that deeper nesting must be refused. */
bool shell_stack_low(void);
void shell_error(const char *fmt, ...) PRINTF(1, 2);

#endif
