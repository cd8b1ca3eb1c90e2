/*
 * commands.h - the commands by their names: those of commands.def and info.def, the user's own, and
 * aliases.
 */
#ifndef DEBUG_COMMANDS_H
#define DEBUG_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct debugger;

/* ---- commands.c: the table ---- */

void command_run(struct debugger *d, const char *line);
bool command_is_known(const char *name); /* by its whole name */
/* Writes the whole name of the command that the word means, or the word if none is known. */
void command_meant(const struct debugger *d, const char *word, size_t len, char *name, size_t size);
/* Whether the line begins with a command or its beginning. */
bool command_fits(const struct debugger *d, const char *line);
/* Calls back for every command whose name starts with `prefix`. */
void commands_for_each(const char *prefix, void (*found)(void *ctx, const char *name), void *ctx);
/* Whether an empty line repeats this one. */
bool command_repeats(const struct debugger *d, const char *line);

/* ---- info.c: the subjects of info ---- */

void info_help(struct debugger *d);
void info_apropos(struct debugger *d,
                  const char *word); /* prints the subjects that have the word in their help */
void info_for_each(const char *prefix, void (*found)(void *ctx, const char *name), void *ctx);

/* ---- user.c: the user's commands ---- */

/* Runs a user's command of exactly this name. False: there is none. */
bool user_run(struct debugger *d, const char *line, size_t len);
bool user_has(const struct debugger *d, const char *name, size_t len);
void user_for_each(const struct debugger *d, void (*found)(void *ctx, const char *name), void *ctx);
void user_help(struct debugger *d, bool all, const char *name, size_t len, bool *found);
void user_free(struct debugger *d);

/* ---- alias.c ---- */

/*
 * Returns the line with the alias in its first `len' bytes replaced, which the caller frees; NULL:
 * they are no alias.
 */
char *alias_expand(const struct debugger *d, const char *line, size_t len);
void aliases_for_each(const struct debugger *d, void (*found)(void *ctx, const char *name),
                      void *ctx);
void aliases_free(struct debugger *d);

/* ---- one function for each command and each subject ---- */

#define COMMAND(function, name, short_name, arguments, repeats, help) \
    void do_##function(struct debugger *d, const char *args);
#include "debug/commands/commands.def"
#undef COMMAND

#define INFO(function, name, arguments, help) \
    void info_##function(struct debugger *d, const char *args);
#include "debug/commands/info.def"
#undef INFO

#endif
