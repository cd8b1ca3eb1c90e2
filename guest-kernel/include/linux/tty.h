/* tty.h - what others need of the terminal. */
#ifndef LINUX_TTY_H
#define LINUX_TTY_H

void tty_init(void);
/* Called at the end of current: if it leads the terminal's session, its jobs are told. */
void disassociate_ctty(void);

#endif
