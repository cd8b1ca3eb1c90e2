/*
 * terminal.h - the terminal behind a descriptor: whose it is, and how it is left.
 *
 * It has one owner at a time. While it is taken it is raw and its keys are the
 * guest's; given back it is as it was found, for the debugger's line editing or
 * the shell. A process in the background never takes it.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

struct terminal;

/* NULL: the descriptor is no terminal. A crash leaves one usable from here on. */
struct terminal *terminal_new(int fd);
void terminal_free(struct terminal *t); /* gives it back; NULL is allowed */

/* Makes it raw. False: we are in the background, and it is somebody else's. */
bool terminal_take(struct terminal *t);
void terminal_give_back(struct terminal *t); /* NULL is allowed */
bool terminal_is_taken(const struct terminal *t);

/*
 * What SIGTSTP asks for: stops this process, with the terminal as it was found.
 * Comes back when the process is continued, with the line editor's settings set
 * again; a terminal that was taken is to be taken again. NULL: there is none.
 */
void terminal_stop_process(struct terminal *t);

/* For SIGCONT: who stopped us may have changed it, or put us in the background. NULL is allowed. */
void terminal_continued(struct terminal *t);

#endif
