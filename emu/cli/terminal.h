/*
 * terminal.h - the terminal of a descriptor: raw while the guest has it, restored afterwards.
 *
 * It has one owner at a time. While it is taken it is raw and its keys go to the guest; given back
 * it is as it was before, for the debugger's line editor or the shell. A process in the background
 * never takes it.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

struct terminal;

/* NULL: the descriptor is no terminal. From here on a crash leaves the terminal usable. */
struct terminal *terminal_new(int fd);
void terminal_free(struct terminal *t); /* gives it back; NULL is allowed */

/* Makes it raw. False: this process is in the background, and the terminal is another's. */
bool terminal_take(struct terminal *t);
void terminal_give_back(struct terminal *t); /* NULL is allowed */
bool terminal_is_taken(const struct terminal *t);

/*
 * For SIGTSTP: stops this process, with the terminal as it was found. Returns when the process is
 * continued, with the line editor's settings restored; a terminal that was taken must be taken
 * again. NULL is allowed.
 */
void terminal_stop_process(struct terminal *t);

/* For SIGCONT: the shell may have changed it, or put this process in the background. NULL is
 * allowed. */
void terminal_continued(struct terminal *t);

#endif
