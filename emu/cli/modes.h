/*
 * modes.h - how a run was made: its modes in words, and the command that repeats it. All that names
 * the modes of a run has them from here.
 */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "cli/options.h"

/* The value of the option, with its seed: "stale", "random:5". The caller frees it. */
char *modes_fetch(const struct cluster_config *c);
char *modes_translate(const struct cluster_config *c);
char *modes_agnostic(const struct cluster_config *c);
char *modes_stores(const struct cluster_config *c);

/* "fetch stale, translate stale, stores prompt, seed 1". The caller frees it. */
char *modes_words(const struct options *o);

/*
 * The words of a command line that repeats the run, up to NULL: "rvftrace", "run", the modes,
 * whether they were given or not, and whatever else the guest can notice but its input; not what
 * the run writes, nor where it was stopped. A restored run is repeated from power-on. So the
 * command is that of the recorded run in its replay, too.
 */
char **modes_command(const struct options *o);
void modes_free_command(char **command); /* NULL is allowed */

/* The command as a line for a shell. The caller frees it. */
char *modes_command_line(char *const *command);

#endif
