/*
 * terminal.h - the terminal of a descriptor: raw while the guest has it, restored afterwards.
 *
 * While it is taken it is raw and its keys go to the guest. When it is given back its settings are
 * restored, for the debugger's line editor or the shell. A process in the background cannot take
 * it.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

struct terminal;

/* NULL: the descriptor is not a terminal. From here on a crash leaves the terminal usable. */
struct terminal *terminal_new(int fd);
void terminal_free(struct terminal *t); /* gives it back; NULL is allowed */

/* Takes the terminal: makes it raw. False: this process is in the background. */
bool terminal_take(struct terminal *t);
void terminal_give_back(struct terminal *t); /* NULL is allowed */
bool terminal_is_taken(const struct terminal *t);

/*
 * For SIGTSTP: restores the terminal and stops this process. Returns when the process is continued,
 * with the line editor's settings; a terminal that was taken must be taken again. NULL is allowed.
 */
void terminal_stop_process(struct terminal *t);

/*
 * For SIGCONT: the shell may have changed the settings or put this process in the background. NULL
 * is allowed.
 */
void terminal_continued(struct terminal *t);

#endif
